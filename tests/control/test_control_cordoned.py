"""A node that takes no pods any more: what runs there goes on, what ends there begins elsewhere, and comes back when it may."""

from collections.abc import Iterable
from dataclasses import replace

from levee.control.actions import EndWorker, Reason, StartWorker
from levee.control.decide import decide
from levee.control.events import nodes
from levee.control.names import ReplicaName, WorkerName
from levee.control.seen import NodeSeen, Observation, Phase, WorkerSeen
from levee.control.wanted import Placed
from tests.control.stage import HEALTHY, NODES, NOW, PLACED, WANTED, replicas, seeing, with_worker, worker


def cordoned(index: int = 0, base: Observation = HEALTHY) -> Observation:
    found = list(base.nodes)
    found[index] = replace(found[index], accepts=False)
    return replace(base, nodes=tuple(found))


def evicted(base: Observation) -> Observation:
    return with_worker(0, worker(PLACED[0], Phase.ENDED, ago_ms=1_000), base)


def decided(seen: Observation) -> tuple[Reason, list[StartWorker | EndWorker]]:
    """Once the survivors lead."""
    while True:
        decision = decide(WANTED, seen, NOW)
        if decision.reason is not Reason.SURVIVORS_LEAD:
            return decision.reason, [one for one in decision.actions if isinstance(one, StartWorker | EndWorker)]
        seen = replace(seen, record=decision.actions[0].record)  # type: ignore[union-attr]  # it writes nothing else


def homes(started: Iterable[StartWorker | EndWorker]) -> dict[ReplicaName, str]:
    return {replica: one.node for one in started if isinstance(one, StartWorker) for replica in one.replicas}


def test_what_works_on_a_cordoned_node_is_left_alone() -> None:
    assert decided(cordoned()) == (Reason.SETTLED, [])


def test_what_was_evicted_begins_elsewhere_and_not_beside_its_twin() -> None:
    reason, started = decided(evicted(cordoned()))
    assert reason is Reason.NODE_CORDONED
    assert homes(started) == {"market/0/0": "node-3", "vwap/0/0": "node-3", "out/0/0": "node-2"}


def test_what_is_gone_altogether_begins_elsewhere_too() -> None:
    reason, started = decided(seeing(cordoned(), workers=HEALTHY.workers[1:]))
    assert reason is Reason.NODE_CORDONED
    assert homes(started).keys() == set(PLACED[0].replicas)


def test_it_moves_once() -> None:
    moved = refuges()
    reason, _ = decided(evicted(seeing(cordoned(), workers=(*HEALTHY.workers, *moved))))
    assert reason is not Reason.NODE_CORDONED


def refuges() -> tuple[WorkerSeen, ...]:
    away = Placed(WorkerName("node-3-1"), NODES[2], tuple(sorted(replicas("market/0/0", "vwap/0/0"))))
    other = Placed(WorkerName("node-2-1"), NODES[1], tuple(replicas("out/0/0")))
    return worker(away), worker(other)


def test_a_node_that_is_open_again_gets_its_replicas_back() -> None:
    reason, started = decided(seeing(HEALTHY, workers=(*HEALTHY.workers[1:], *refuges())))
    assert reason is Reason.REPLICAS_STARTING
    assert [one.worker for one in started] == [PLACED[0].worker]
    reason, ended = decided(seeing(HEALTHY, workers=(*refuges(), *HEALTHY.workers)))
    assert reason is Reason.HOME_AGAIN
    assert {one.worker for one in ended} == {"node-3-1", "node-2-1"}


def test_who_was_to_start_on_a_node_when_it_was_cordoned_is_not_waited_for() -> None:
    starting = with_worker(0, worker(PLACED[0], Phase.STARTING, ago_ms=WANTED.patience.failure_ms), cordoned())
    reason, ended = decided(starting)
    assert (reason, ended) == (Reason.WORKER_HANGS, [EndWorker(PLACED[0].worker, 1)])
    assert decided(with_worker(0, worker(PLACED[0], Phase.STARTING, ago_ms=1_000), cordoned()))[1] == []


def test_it_is_told_when_a_node_is_cordoned_and_when_it_is_open_again() -> None:
    [closed], [opened] = nodes(HEALTHY, cordoned()), nodes(cordoned(), HEALTHY)
    assert (closed.subject, opened.subject) == (NODES[0], NODES[0])
    assert closed.text.startswith("is cordoned")
    assert opened.text == "is open again"
    assert NodeSeen(NODES[0], alive=False, since=NOW).is_open is False
