"""Who may be on the test cluster at the same time: what breaks it for others is alone there, and nobody else waits."""

import fcntl
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.cluster.turns import LOCK, LONGEST, MEASURING, ORDER, Turn, begins, taken, turn_of

FILES = Path(__file__).parents[1] / "e2e" / "cluster"


@dataclass(frozen=True)
class Item:
    marks: tuple[str, ...]

    def iter_markers(self) -> Iterable[pytest.Mark]:
        return [getattr(pytest.mark, name).mark for name in self.marks]


def turn(*items: tuple[str, ...]) -> Turn:
    return turn_of(map(Item, items))  # type: ignore[arg-type]  # it reads marks alone


def test_one_test_that_breaks_nodes_or_has_to_be_alone_makes_its_file_be_alone() -> None:
    assert turn(("e2e",), ("e2e", "breaks_nodes")) is Turn.ALONE
    assert turn(("e2e", "own_cluster", "alone"), ("e2e",)) is Turn.ALONE
    assert turn(("e2e", "own_cluster"), ("e2e",)) is Turn.TOGETHER
    assert turn(("e2e", "off_cluster")) is Turn.OFF_CLUSTER
    assert turn(("e2e", "off_cluster", "alone")) is Turn.ALONE


@pytest.mark.parametrize(
    ("there", "beside"),
    [
        (Turn.TOGETHER, {Turn.TOGETHER, Turn.OFF_CLUSTER}),
        (Turn.ALONE, {Turn.OFF_CLUSTER}),
        (Turn.OFF_CLUSTER, {Turn.TOGETHER, Turn.ALONE, Turn.OFF_CLUSTER}),
    ],
)
def test_whoever_is_alone_keeps_out_all_others_that_have_something_on_the_cluster(there: Turn, beside: set[Turn], tmp_path: Path) -> None:
    with taken(there, tmp_path):
        assert {one for one in Turn if comes_in(one, tmp_path)} == beside
    assert all(comes_in(one, tmp_path) for one in Turn)


def comes_in(turn: Turn, folder: Path) -> bool:
    """At once, as another process of the run."""
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, turn | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


def test_who_must_be_alone_begins_when_the_others_have_begun_and_who_measures_at_the_very_end() -> None:
    turns = {"chaos": Turn.ALONE, "data": Turn.TOGETHER, "operator": Turn.TOGETHER, "packets": Turn.ALONE, "sweep": Turn.OFF_CLUSTER}
    found = sorted(turns, key=lambda name: begins(Path(f"test_e2e_{name}.py"), turns[name]))
    assert found == ["operator", "data", "sweep", "chaos", "packets"]
    assert set(ORDER) == set(Turn)


def test_the_files_that_are_named_are_there() -> None:
    assert [name for name in (*LONGEST, *MEASURING) if not (FILES / f"test_e2e_{name}.py").exists()] == []
