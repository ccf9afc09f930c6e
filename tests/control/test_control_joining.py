"""Who is switched on counts as active once it has caught up, and goes on to count."""

from dataclasses import replace

from levee.control.actions import Reason
from levee.control.decide import decide
from levee.control.joining import Joining, followed
from levee.control.names import ReplicaName
from levee.control.seen import Observation, ReplicaSeen, Status, WorkerSeen
from levee.topology.names import TaskId
from tests.control.stage import FULL, HEALTHY, HIGH, NOW, PLACED, WANTED, record, replicas, running, seeing, with_worker, worker

ENDED = replace(WANTED, ends=frozenset({TaskId("market/0"), TaskId("out/0")}))
ON = ReplicaName("vwap/0/1")
IN_HIGH = replace(record(tuple((name, rank) for name, rank in FULL if name in WANTED.active[HIGH])), number=6)
BEFORE = followed(Joining(), ENDED, seeing(record=IN_HIGH), NOW)


def with_state(state: ReplicaSeen, base: Observation = HEALTHY) -> Observation:
    """The one that is switched on, as it says itself."""
    home = worker(PLACED[1])
    states = tuple(state if one.replica == state.replica else one for one in home.states)
    changed: WorkerSeen = replace(home, states=states)
    return with_worker(1, changed, base)


def behind(state: ReplicaSeen, before: Joining = BEFORE) -> frozenset[ReplicaName]:
    return followed(before, ENDED, with_state(state), NOW).behind


def test_where_nobody_was_switched_on_nobody_joins() -> None:
    assert BEFORE.behind == frozenset()
    assert followed(BEFORE, ENDED, seeing(record=IN_HIGH), NOW) == BEFORE


def test_who_is_switched_on_joins_until_it_is_as_far_as_the_others() -> None:
    assert behind(running(ON, status=Status.IDLE, epoch=100)) == {ON}, "it has not read it yet"
    assert behind(running(ON, epoch=96)) == {ON}
    assert behind(running(ON, epoch=97)) == frozenset()


def test_who_has_once_caught_up_does_not_join_again_for_being_late() -> None:
    caught_up = followed(BEFORE, ENDED, with_state(running(ON, epoch=100)), NOW)
    assert behind(running(ON, epoch=50), caught_up) == frozenset()


def test_who_begins_anew_joins_again() -> None:
    caught_up = followed(BEFORE, ENDED, HEALTHY, NOW)
    begun = followed(caught_up, ENDED, with_state(running(ON, status=Status.IDLE, epoch=0)), NOW)
    assert begun.behind == {ON}
    assert behind(running(ON, epoch=40), begun) == {ON}


def test_who_is_switched_off_again_joins_nobody() -> None:
    joining = followed(BEFORE, ENDED, with_state(running(ON, epoch=50)), NOW)
    assert joining.behind == {ON}
    assert followed(joining, ENDED, seeing(record=replace(IN_HIGH, number=8)), NOW).behind == frozenset()


def test_ends_of_the_graph_have_no_state_to_take() -> None:
    silent = with_worker(2, replace(worker(PLACED[2]), states=(running(ReplicaName("out/0/1"), status=Status.IDLE, epoch=0),)))
    assert followed(BEFORE, ENDED, silent, NOW).behind.isdisjoint(replicas("out/0/1"))


def test_before_the_anchor_and_on_the_way_to_a_stop_nobody_joins_anybody() -> None:
    idle = with_state(running(ON, status=Status.IDLE))
    assert followed(BEFORE, ENDED, replace(idle, anchored=False), NOW) == Joining()
    assert followed(BEFORE, ENDED, replace(idle, record=record(stopped=True)), NOW) == Joining()


def test_a_topology_that_is_well_says_who_has_yet_to_catch_up() -> None:
    decision = decide(WANTED, seeing(joining=replicas("vwap/0/1")), NOW)
    assert (decision.reason, decision.actions) == (Reason.CATCHING_UP, ())
    assert decision.text == "vwap/0/1 has yet to catch up: until then it counts as not active"
