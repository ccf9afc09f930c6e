"""Kill whoever manages a topology at every point, once and twice; nobody must be able to tell afterwards."""

from functools import cache

import pytest

from levee.lifecycle.documents import machine
from levee.lifecycle.names import Kind
from levee.lifecycle.runner import Runner
from tests.lifecycle.fake import Operator
from tests.lifecycle.scripts import SCRIPTS, seen
from tests.lifecycle.wrong import ActsFirst, Forgets


@cache
def undisturbed(script: str) -> tuple[list[object], Operator]:
    name, deeds = SCRIPTS[script]
    return seen(machine(name), deeds)


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_crash_at_any_point_leaves_no_trace(script: str) -> None:
    name, deeds = SCRIPTS[script]
    expected, calm = undisturbed(script)
    for point in range(1, calm.world.points + 1):
        views, operator = seen(machine(name), deeds, [point])
        assert len(operator.deaths) == 1
        assert views == expected, operator.deaths


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_second_crash_during_recovery_leaves_no_trace(script: str) -> None:
    name, deeds = SCRIPTS[script]
    expected, calm = undisturbed(script)
    for point in range(1, calm.world.points + 1):
        for later in (1, 2, 3, 5, 8):
            views, operator = seen(machine(name), deeds, [point, point + later, point + 2 * later])
            assert views == expected, operator.deaths


def test_every_stored_state_is_met_by_a_crash() -> None:
    for name in ("job", "bounded"):
        died = set()
        for script, (document, deeds) in SCRIPTS.items():
            if document == name:
                points = undisturbed(script)[1].world.points
                for point in range(1, points + 1):
                    died |= {death.split(":")[0] for death in seen(machine(name), deeds, [point])[1].deaths}
        alive = {state.name for state in machine(name).states.values() if state.persist and state.kind is not Kind.FINAL}
        assert alive <= died


def test_a_life_without_crashes_is_written_once_for_each_stored_state() -> None:
    _, calm = undisturbed("edited, suspended, resumed and deleted")
    written = [record.state for record in calm.world.writes]
    assert written == [
        *("submitted", "mapping", "dispatching", "running", "updating", "running", "suspending", "suspended", "updating", "running"),
        *("canceling", "cleanup", "canceled"),
    ]


@pytest.mark.parametrize("kind", [ActsFirst, Forgets])
def test_the_sweep_notices_an_executor_that_is_wrong(kind: type[Runner]) -> None:
    name, deeds = SCRIPTS["edited, suspended, resumed and deleted"]
    expected, calm = undisturbed("edited, suspended, resumed and deleted")

    def differs(point: int) -> bool:
        try:
            return seen(machine(name), deeds, [point], kind)[0] != expected
        except (AssertionError, KeyError):
            return True

    assert any(differs(point) for point in range(1, calm.world.points + 1))
