"""What a life computes and is judged by, and what is kept and told of lives."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from benchmarks.sweep import looks, plain, report, topology
from benchmarks.sweep.journal import Journal, code_hash
from benchmarks.sweep.kubelet import Kubelet
from benchmarks.sweep.life import PHASES, Life
from benchmarks.sweep.plain import Plain, expected
from benchmarks.sweep.points import Kind, parse, points
from levee.topology.load import load_bytes
from levee_spark.lane import rows
from levee_spark.log.requests import Compute, Computed, Files, Restore, Snapshot
from levee_spark.log.values import GENESIS, EpochObject, Manifest
from levee_spark.log.values import Kind as Of

COUNTS = {"api": {"create": 2, "edit": 1}, "store": {"create": 1}, "worker": {"edit": 1}}
ROW = {"verdict": "passed", "wrong": [], "struck": ["before api/create/1 POST /pods"], "took_s": 3.0}


def epoch(number: int, table: pa.Table) -> EpochObject:
    return EpochObject(Manifest(number, Of.FINAL, table.num_rows, "d", GENESIS, 1, writer="w"), rows.encode(table))


def computed(work: Plain, one: EpochObject) -> tuple[Computed, EpochObject]:
    answer = work(Compute(one.manifest.epoch, (one,)))
    assert isinstance(answer, Computed)
    assert isinstance(answer.payload, bytes)
    return answer, epoch(one.manifest.epoch, rows.decode(answer.payload))


def test_the_plain_functions_compute_what_is_expected_and_go_on_from_a_snapshot() -> None:
    first, second = (Plain.of(f"{topology.FUNCTIONS}:{name}") for name in ("labelled", "total"))
    found = {}
    for number in range(1, 60):
        _, between = computed(first, epoch(number, plain.numbers(number, {}, 0, 1)))
        answer, out = computed(second, between)
        if answer.rows:
            found[number] = rows.decode(out.payload).to_pylist()  # type: ignore[arg-type]
        files = second(Snapshot())
        assert isinstance(files, Files)
        second = Plain.of(f"{topology.FUNCTIONS}:total")
        second(Restore(number, tuple(payload for _, payload in files.files)))
    assert found == expected(59)


@pytest.mark.parametrize("twice", [False, True])
def test_the_topology_of_a_life_is_valid(tmp_path: Path, twice: bool) -> None:
    [loaded] = load_bytes(json.dumps(topology.resource(tmp_path, "life", twice=twice)).encode(), origin="sweep")
    assert not loaded.complaints


def test_every_phase_is_something_that_a_life_does() -> None:
    assert all(callable(getattr(Life, phase)) for phase in PHASES)


def test_pods_have_addresses_of_their_own(tmp_path: Path) -> None:
    kubelet = Kubelet(None, "life", None, tmp_path, tmp_path, "127.1.2")  # type: ignore[arg-type]  # it asks nobody
    kubelet.changed({"metadata": {"uid": "1", "name": "a"}})
    kubelet.pods["1"].address = kubelet.address()
    assert (kubelet.pods["1"].address, kubelet.address(), kubelet.born) == ("127.1.2.1", "127.1.2.2", ["a"])


def lay(place: Path, found: dict[int, Any]) -> None:
    (place / "out").mkdir()
    for number, made in found.items():
        (place / "out" / f"part-{number:012d}.json").write_text("".join(json.dumps(row) + "\n" for row in made))


def test_what_was_delivered_is_compared_epoch_by_epoch(tmp_path: Path) -> None:
    found = expected(20)
    lay(tmp_path, found)
    assert looks.delivered(tmp_path) == []


def test_a_missing_epoch_and_a_changed_row_are_told(tmp_path: Path) -> None:
    found = expected(20)
    del found[7]
    found[9][0]["sum"] += 1
    lay(tmp_path, found)
    assert looks.delivered(tmp_path) == ["delivered epochs [7] are missing", "delivered epochs [9] have other rows"]


def test_a_life_without_output_has_not_delivered(tmp_path: Path) -> None:
    assert looks.delivered(tmp_path) == ["nothing was delivered"]


def test_two_looks_differ_in_what_is_told() -> None:
    golden = {"pods": {"a": 1}, "store": True}
    assert looks.agree(golden, {"store": True, "pods": {"a": 1}})
    assert not looks.agree(golden, {})
    assert looks.difference(golden, {"pods": {}, "store": True}) == 'pods: {} instead of {"a": 1}'


def test_a_row_counts_for_its_code_alone_and_the_last_one_counts(tmp_path: Path) -> None:
    mine, other = Journal(tmp_path, "mine"), Journal(tmp_path, "other")
    other.add({"trial": "api/edit/1/before", **ROW})
    mine.add({"trial": "api/edit/1/after", **ROW})
    mine.add({"trial": "api/edit/1/after", **ROW, "verdict": "failed"})
    assert {name: row["verdict"] for name, row in mine.rows().items()} == {"api/edit/1/after": "failed"}
    assert mine.left([parse("api/edit/1/after"), parse("api/edit/1/before")]) == [parse("api/edit/1/before")]


def test_a_line_that_was_cut_off_is_passed_over(tmp_path: Path) -> None:
    journal = Journal(tmp_path, "mine")
    journal.add({"trial": "api/edit/1/after", **ROW})
    with journal.path.open("a") as file:
        file.write('{"code": "mine", "trial"')
    assert list(journal.rows()) == ["api/edit/1/after"]


def test_another_line_of_code_is_other_code(tmp_path: Path) -> None:
    module = tmp_path / "operator" / "levee" / "one.py"
    module.parent.mkdir(parents=True)
    module.write_text("a = 1\n")
    before = code_hash(tmp_path)
    module.write_text("a = 2\n")
    assert code_hash(tmp_path) != before


def test_the_page_counts_what_was_tried_of_what_is_there(tmp_path: Path) -> None:
    trials = ["api/create/1/before", "api/create/1/after", "api/edit/1/before+1/after"]
    known = {name: {"trial": name, **ROW} for name in trials}
    known[trials[1]] = {**known[trials[1]], "verdict": "failed", "wrong": ["a | b"]}
    golden = {"counts": COUNTS, "took_s": 20.0, "writes": ["api/create/1 POST /pods a", "worker/edit/1 create x"]}
    page = tmp_path / "sweep.md"
    report.write(page, report.Found(points(COUNTS), known, golden, "abc", 1))
    text = page.read_text()
    assert f"| {report.WHO[Kind.API]} | one | 6 | 2 | 1 | 0 | 1 |" in text
    assert f"| {report.WHO[Kind.API]} | two | 6 | 1 | 1 | 0 | 0 |" in text
    assert "| `api/create/1/after` | before api/create/1 POST /pods | a / b |" in text
    assert "| create | api: POST /pods a |" in text
    assert "create x" not in text
