"""A plan that has fewer replicas than the one before: what those leave behind goes, and does not come again."""

from dataclasses import replace

from levee.control import rules
from levee.control.actions import EndWorker, Reason, StartWorker
from levee.control.decide import decide
from levee.control.names import ReplicaName, WorkerName
from levee.control.part import part_of
from levee.control.seen import Observation, Phase, WorkerSeen
from levee.control.wanted import Placed
from levee.topology.names import TaskId
from tests.control.stage import HEALTHY, NODES, NOW, PLACED, WANTED, record, seeing, worker

GONE = ReplicaName("vwap/0/1")
REST = Placed(WorkerName("node-2-1"), NODES[1], tuple(one for one in PLACED[1].replicas if one != GONE))  # as the plan has it now
FEWER = replace(
    WANTED,
    workers=(PLACED[0], REST, PLACED[2]),
    active={name: active - {GONE} for name, active in WANTED.active.items()},
)
RANKS = tuple((replica, rank) for task in FEWER.replicas.values() for rank, replica in enumerate(task))


def seen(*workers: WorkerSeen) -> Observation:
    return seeing(workers=workers, record=record(RANKS))


def test_what_an_earlier_plan_had_ends_when_the_rest_of_its_worker_is_at_home() -> None:
    former, others = HEALTHY.workers[1], (HEALTHY.workers[0], HEALTHY.workers[2])
    starting = decide(FEWER, seen(*others, former, worker(REST, Phase.STARTING)), NOW)
    assert starting.actions == (), "until then it is needed"
    ready = decide(FEWER, seen(*others, former, worker(REST)), NOW)
    assert (ready.reason, ready.actions) == (Reason.HOME_AGAIN, (EndWorker(former.worker, former.attempt),))


def test_what_an_earlier_plan_had_is_not_started_again_when_it_has_ended() -> None:
    former = worker(PLACED[1], Phase.ENDED)
    decision = decide(FEWER, seen(HEALTHY.workers[0], HEALTHY.workers[2], former, worker(REST)), NOW)
    assert not any(isinstance(one, StartWorker) for one in decision.actions)


def test_what_an_earlier_plan_had_finds_no_refuge_when_its_node_is_gone() -> None:
    former, nodes = worker(PLACED[1], Phase.ENDED, ago_ms=60_000), list(HEALTHY.nodes)
    nodes[1] = replace(nodes[1], alive=False)
    lost = replace(seen(HEALTHY.workers[0], HEALTHY.workers[2], former), nodes=tuple(nodes))
    decision = rules.leave_dead_nodes(FEWER, lost, NOW)
    assert decision is not None
    moved = {one for action in decision.actions if isinstance(action, StartWorker) for one in action.replicas}
    assert moved == set(REST.replicas)


def test_a_part_of_the_plan_takes_nobody_else_for_one_that_an_earlier_plan_had() -> None:
    refuge = Placed(WorkerName("node-3-1"), NODES[2], (ReplicaName("vwap/0/0"), ReplicaName("index/0/0")))
    part = part_of(WANTED, [PLACED[0]], {TaskId("market/0")})
    looked_at = seeing(workers=(HEALTHY.workers[0], worker(refuge)))  # whoever has index/0/0 besides is not in it
    assert rules.leave_refuges(part, looked_at, NOW) is None
