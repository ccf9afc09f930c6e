"""The way to a moment is found in the document: the shortest one that can be made to happen."""

import pytest

from levee.fit.ways import Goal, Standing, way
from levee.lifecycle.documents import NAMES, machine
from levee.lifecycle.names import RECOVER, EventName, StateName

JOB = machine("job")
NEW = Standing(JOB.initial)


def told(standing: Standing, state: str, event: str, after: str = "", *, acting: bool = False) -> list[str] | None:
    found = way(JOB, standing, Goal(StateName(state), EventName(event), after, acting))
    return None if found is None else [f"{one.origin} {one.when}" for one in found]


@pytest.mark.parametrize("name", NAMES)
def test_every_transition_of_our_documents_has_a_way(name: str) -> None:
    document = machine(name)
    lost = [one for one in document.transitions if way(document, Standing(document.initial), Goal(one.origin, one.when)) is None]
    assert lost == []


def test_a_way_is_the_shortest_and_follows_what_methods_say() -> None:
    assert told(NEW, "mapping", "mapped") == ["submitted admit", "parsing parsed", "mapping mapped"]
    assert told(NEW, "cleanup", "cleaned") == ["submitted cancel", "cleanup cleaned"]


def test_on_request_it_has_run_before_and_who_fails_has_done_something() -> None:
    short, changed = told(NEW, "updating", "error"), told(NEW, "updating", "error", "all", acting=True)
    assert (short or [])[-2:] == ["dispatching edit", "updating error"]
    assert (changed or [])[-4:] == ["dispatching all_ready", "running edit", "updating planned", "updating error"]


def test_who_remembers_nothing_recovers_first() -> None:
    dead = Standing(StateName("running"), failing=RECOVER)
    assert told(dead, "running", "recover") == ["running recover"]
    assert told(dead, "running", "adapt") == ["running recover", "running adapt"]


def test_after_the_end_there_is_no_way_back() -> None:
    assert told(Standing(StateName("canceled"), StateName("canceled")), "submitted", "admit") is None
