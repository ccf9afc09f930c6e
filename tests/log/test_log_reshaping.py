"""Another graph begins at one epoch for all, whoever of the graph before is still about; and each rule that sees to it is needed."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest

from levee_spark.log import rest
from levee_spark.log.change import Changes
from levee_spark.log.wiring import Wiring
from tests.log.simulation.reshaping import Violation, drawn, run

SEEDS, CHUNK, SOUGHT = 40, 10, 60


def nothing(*_: Any, **__: Any) -> Any:
    return ()
    yield


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_a_graph_that_changes_breaks_no_stream_and_stops_none(first: int) -> None:
    for seed in range(first, first + CHUNK):
        try:
            run(seed)
        except Exception as error:  # noqa: BLE001  (any error of a role is one of the protocol's)
            pytest.fail(f"{type(error).__name__}: {error}\nReplay it: python -m tests.log.simulation.reshaping {seed} log", pytrace=False)


MUTATIONS: dict[str, tuple[object, str, Callable[..., Any]]] = {
    "another graph begins before all have come": (rest, "lacking", nothing),
    "any wiring computes any epoch": (Wiring, "computes", lambda *_: True),
    "nobody looks which graph an epoch is of": (Changes, "must_be_ours", lambda *_: None),
    "the stream of whoever is added has no floor": (rest, "begin_floor", nothing),
    "whoever is added begins with nothing": (rest, "begin", nothing),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_rule_of_another_graph_that_is_taken_away_is_missed(name: str) -> None:
    assert any(is_noticed(name, seed) for seed in range(SOUGHT)), f"with '{name}' none of the first {SOUGHT} seeds fails"


def is_noticed(name: str, seed: int) -> bool:
    with patch.object(*MUTATIONS[name]):
        try:
            run(seed)
        except Violation:
            return True
        except Exception:  # noqa: BLE001
            return False
    return False


def test_the_runs_are_of_every_kind() -> None:
    """Tasks are added and removed, sources too, inputs change, and names come again."""
    added, removed = set(), set()
    for seed in range(SEEDS):
        first, second, third = (one.wiring for one in drawn(seed))
        added |= second.tasks.keys() - first.tasks.keys()
        removed |= first.tasks.keys() - second.tasks.keys()
        assert third == first
    assert {"t", "p/1", "f", "g", "sink-f"} <= added & removed
