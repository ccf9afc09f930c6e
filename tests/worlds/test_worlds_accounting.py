"""An account outlives whoever adds it up: its parts lie in the topology's store."""

from dataclasses import replace
from pathlib import Path

import pytest

from levee.control.account import Level
from levee.control.names import Instant
from levee.topology.load import load_bytes
from levee.topology.names import TaskId
from levee.worlds.accounting import AGAIN_MS, Accounting, reads
from levee_spark.log.keys import Layout
from levee_spark.store.address import open_store
from levee_spark.store.blobs import Blobs, Trouble
from levee_spark.worker.wiring import wiring_of
from tests.control.stage import NOW, WANTED, seeing

LAYOUT, LEVEL = Layout("shop/clicks", "uid"), Level(window_s=120, promised=0.7)
PART_MS = 10_000
NAMES = f"{LAYOUT.root()}/accounts"


def test_what_a_stream_emits_is_divided_among_the_tasks_that_read_it() -> None:
    text = (Path(__file__).parents[2] / "examples" / "bargain-discovery.yaml").read_bytes()
    [loaded] = load_bytes(text, origin="bargains")
    assert loaded.resource is not None
    shares = reads(wiring_of(loaded.resource, "uid"))
    assert {task.partition("/")[0] for task in shares} == {one.name for one in loaded.resource.spec.operators}
    of_filter = [shares[TaskId(f"trade-filter/{number}")] for number in range(2)]
    assert of_filter == [{"market/0": 0.5}, {"market/0": 0.5}]


@pytest.fixture
def blobs(tmp_path: Path) -> Blobs:
    return open_store(f"{tmp_path.as_uri()}?durable=false")


def go_on(accounting: Accounting, from_ms: int, until_ms: int, *, silent: bool = False) -> float:
    """A look each second; what is accounted then."""
    told = 0.0
    for ms in range(from_ms, until_ms + 1, 1_000):
        told = accounting.look(WANTED, seeing(silent=silent), Instant(NOW + ms), ms).sums.seconds
    return told


def parts(blobs: Blobs) -> list[str]:
    return [name.rpartition("-")[2].lstrip("0") or "0" for name in blobs.names(NAMES, "", 100)]


def test_a_part_is_written_once_when_it_is_over(blobs: Blobs) -> None:
    accounting = Accounting(blobs, LAYOUT, LEVEL)
    assert go_on(accounting, 0, 9_000) == 9
    assert parts(blobs) == []
    assert go_on(accounting, 10_000, 19_000) == 19
    assert parts(blobs) == ["0"]
    assert go_on(accounting, 20_000, 39_000) == 39
    assert parts(blobs) == ["2"], "what is older is in it"


def test_who_takes_over_goes_on_with_it_but_for_the_part_that_went_on(blobs: Blobs) -> None:
    go_on(Accounting(blobs, LAYOUT, LEVEL), 0, 35_000)
    assert go_on(Accounting(blobs, LAYOUT, LEVEL), 36_000, 40_000) == 29 + 4


def test_another_window_begins_another_account(blobs: Blobs) -> None:
    accounting = Accounting(blobs, LAYOUT, LEVEL)
    go_on(accounting, 0, 20_000)
    accounting.follow(replace(LEVEL, promised=0.8))
    assert go_on(accounting, 21_000, 22_000) == 22
    accounting.follow(replace(LEVEL, window_s=240))
    assert go_on(accounting, 23_000, 24_000) == 2


class Away:
    """A store that does not answer."""

    def __init__(self) -> None:
        self.asked = 0

    def get(self, *_: object) -> None:
        self.asked += 1
        raise Trouble("away")

    create = overwrite = delete = names = clear = get


def test_a_store_that_does_not_answer_is_asked_again_later_and_nothing_is_forgotten(blobs: Blobs) -> None:
    away = Away()
    accounting = Accounting(away, LAYOUT, LEVEL)  # type: ignore[arg-type]
    assert go_on(accounting, 0, AGAIN_MS - 1_000) == AGAIN_MS / 1_000 - 1
    assert away.asked == 1
    go_on(accounting, AGAIN_MS, AGAIN_MS + 20_000, silent=True)
    assert away.asked == 1
    accounting.blobs = blobs
    assert go_on(accounting, AGAIN_MS + 21_000, AGAIN_MS + 22_000) == AGAIN_MS / 1_000 + 22
    assert parts(blobs) == ["4"]


@pytest.mark.parametrize("text", [b"no json", b"[]", b'{"3": {"seconds": 1, "else": 2}}', b'{"3": 4}', b'{"x": {}}'])
def test_what_cannot_be_read_is_left_out(blobs: Blobs, text: bytes) -> None:
    blobs.create(LAYOUT.account(PART_MS, 3), text)
    accounting = Accounting(blobs, LAYOUT, LEVEL)
    assert go_on(accounting, 40_000, 41_000) == 1
    assert go_on(accounting, 42_000, 51_000) == 11
    assert parts(blobs) == ["3", "4"]


def test_of_what_was_kept_only_the_window_counts(blobs: Blobs) -> None:
    blobs.create(LAYOUT.account(PART_MS, 3), b'{"1": {"seconds": 5}, "3": {"seconds": 7}}')
    accounting = Accounting(blobs, LAYOUT, LEVEL)
    assert go_on(accounting, 130_000, 130_000) == 7
