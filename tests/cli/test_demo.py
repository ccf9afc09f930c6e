"""The demo's arithmetic, and what it refuses; running it takes minutes and is left to `make demo`."""

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from pyarrow import parquet

from levee.cli.demo import check as demo_check
from levee.cli.demo.findings import Compared, Gap, Timeline, compare, delivered, gaps
from levee.cli.demo.page import write_page
from levee.cli.demo.plan import OUTPUT, Place, document, faults
from levee.cli.demo.run import EXAMPLE, report
from levee.control.names import Instant
from levee.topology.load import load
from levee.worlds.local.faults import Hit
from levee.worlds.local.script import Inflicted
from tests.cli.stage import levee

GOLDEN = {1: Counter(a=1, b=2), 2: Counter(c=1)}


@pytest.mark.parametrize(
    ("there", "lost", "doubled"),
    [
        (GOLDEN, 0, 0),
        ({1: Counter(a=1, b=1), 2: Counter(c=1)}, 1, 0),
        ({1: Counter(a=1, b=3), 2: Counter(c=1)}, 0, 1),
        ({1: Counter(a=1, b=2)}, 1, 0),
        ({1: Counter(a=1, b=2), 2: Counter(d=1)}, 1, 1),
        (GOLDEN | {3: Counter(e=1)}, 0, 0),  # beyond the epochs that are compared
    ],
)
def test_outputs_are_compared_row_by_row(there: dict[int, Counter[str]], lost: int, doubled: int) -> None:
    assert compare(GOLDEN, there, epochs=2) == Compared(4, 2, lost, doubled)


def struck(epoch: int) -> Inflicted:
    [first, _] = faults(30)
    return Inflicted(first, Instant(0), 0, epoch, Hit("worker w", (), ()))


def test_a_gap_lasts_from_one_output_to_the_next() -> None:
    committed = {1: 1_050, 2: 2_060, 3: 3_050, 4: 4_900, 5: 5_100, 6: 6_040, 7: 7_050}
    times = Timeline({epoch: 1_000 * epoch for epoch in committed}, committed, 1_000)
    assert gaps(times, [struck(3), struck(6)]) == [
        Gap("worker w, at epoch 3", 1_850, 0),
        Gap("worker w, at epoch 6", 1_010, 0),
    ]
    late = Timeline(times.due_ms, {**committed, 5: 6_200}, 1_000)
    assert [one.epochs_late for one in gaps(late, [struck(3)])] == [1]


@pytest.mark.parametrize("narrow", [False, True])
def test_what_the_demo_runs_is_a_valid_topology(narrow: bool, tmp_path: Path) -> None:
    example = yaml.safe_load(EXAMPLE.read_text())
    for run in ("undisturbed", "disturbed"):
        [loaded] = load(yaml.safe_dump(document(example, Place(tmp_path), run, "1s", 30, narrow=narrow)), origin="demo")
        assert loaded.complaints == ()
        assert loaded.resource is not None
        assert OUTPUT in {one.name for one in loaded.resource.spec.operators}


def test_the_report_says_what_was_lost(tmp_path: Path) -> None:
    bad = Compared(10, 2, 1, 0)
    assert "NOT what the undisturbed run delivered: 10 rows in 2 epochs" in report(bad, [], 1_000)
    page = tmp_path / "report.html"
    write_page(page, bad, [], Timeline({1: 0}, {1: 40}, 1_000), [struck(1)])
    assert "The outputs differ." in page.read_text()
    assert "<svg" in page.read_text()


def test_a_folder_that_is_not_the_demos_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "thesis.tex").touch()
    ended = levee(capsys, "demo", "--directory", str(tmp_path))
    assert ended.code == 1
    assert "holds something that is not a demo's. Name another --directory." in ended.err
    assert (tmp_path / "thesis.tex").exists()


def test_too_little_memory_is_said_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_check, "MEMORY_MIB", 10**9)
    assert [one.where for one in demo_check.memory()] == ["memory"]


def test_rows_are_read_from_the_files_as_they_are_named(tmp_path: Path) -> None:
    for task, epoch in ((0, 7), (1, 7), (0, 12)):
        parquet.write_table(pa.table({"n": [epoch]}), tmp_path / f"part-{task:05d}-{epoch:012d}.snappy.parquet")
    assert {epoch: rows.total() for epoch, rows in delivered(tmp_path).items()} == {7: 2, 12: 1}
