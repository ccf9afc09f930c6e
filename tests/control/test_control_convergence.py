"""The loop in virtual time: whatever fails, in the end everything that can run does, and nothing is done any more.

A failing seed replays: pytest tests/control/test_control_convergence.py -k 'seed17'
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from random import Random
from typing import assert_never

import pytest

from levee.control import decide, rules
from levee.control.actions import Action, EndWorker, Finish, Reason, StartWorker, WriteAnchor, WriteRecord
from levee.control.decide import Rule
from levee.control.names import Instant, WorkerName
from levee.control.outages import followed
from levee.control.ranks import current
from levee.control.seen import NodeSeen, Observation, Outage, Phase, ReplicaSeen, Status, WorkerSeen
from levee.control.standing import uncovered
from levee.topology.names import ConfigurationName
from levee.worlds.world import step
from levee_spark.log.values import ControlRecord
from tests.control.stage import LOW, MARKET, NODES, WANTED

TURN_MS = 500


@dataclass
class Virtual:
    """A world of numbers: workers take their time to start, anything may die, a record may be lost to another writer."""

    random: Random
    nodes: dict[str, NodeSeen] = field(default_factory=lambda: {node: NodeSeen(node, alive=True, since=Instant(0)) for node in NODES})
    workers: dict[WorkerName, WorkerSeen] = field(default_factory=dict)
    record: ControlRecord | None = None
    opened: bool = False
    anchored: bool = False
    configuration: ConfigurationName | None = None
    outages: tuple[Outage, ...] = ()
    starts: int = 0

    def observe(self, now: Instant) -> Observation:
        self.workers = {name: self.grown(worker, now) for name, worker in self.workers.items()}
        rates = {MARKET: 90.0} if self.anchored else None
        seen = Observation(
            tuple(self.nodes.values()), tuple(self.workers.values()), self.record, self.opened, self.anchored, self.configuration, rates
        )
        if self.anchored:
            self.outages = followed(self.outages, set(uncovered(WANTED, seen, now, WANTED.replicas)), now)
        return replace(seen, outages=self.outages)

    def grown(self, worker: WorkerSeen, now: Instant) -> WorkerSeen:
        if worker.phase is Phase.STARTING and now - worker.since > 4_000:
            worker = replace(worker, phase=Phase.READY, since=now)
        ranked = current(Observation(record=self.record))
        states = tuple(ReplicaSeen(one, Status.RUNNING if one in ranked else Status.IDLE, epoch=1) for one in worker.replicas)
        return replace(worker, states=states if worker.phase is Phase.READY else worker.states)

    def perform(self, action: Action, now: Instant) -> str:
        match action:
            case WriteRecord(record, configuration):
                if self.random.random() < 0.8:  # else somebody else was faster, and said the same as before
                    self.record, self.configuration, self.opened = record, configuration, True
            case WriteAnchor():
                self.anchored, self.outages = True, ()
            case StartWorker(name, node, replicas, attempt, failures):
                assert self.nodes[node].alive
                self.starts += 1
                self.workers.pop(name, None)
                self.workers[name] = WorkerSeen(name, node, replicas, attempt, Phase.STARTING, now, now, failures)
            case EndWorker(name):
                self.die(name, now)
            case Finish():
                raise AssertionError("nobody has asked for an end")
            case _:
                assert_never(action)
        return ""

    def die(self, name: WorkerName, now: Instant) -> None:
        if self.workers[name].phase is not Phase.ENDED:
            self.workers[name] = replace(self.workers[name], phase=Phase.ENDED, since=now)

    def misfortune(self, now: Instant) -> None:
        if not self.workers:
            return
        living = [node for node in self.nodes.values() if node.alive]
        if len(living) < len(self.nodes) and self.random.random() < 0.3:
            back = self.random.choice([node.node for node in self.nodes.values() if not node.alive])
            self.nodes[back] = NodeSeen(back, alive=True, since=now)
        elif self.random.random() < 0.2 and len(living) > 1:
            node = self.random.choice(living).node
            self.nodes[node] = NodeSeen(node, alive=False, since=now)
            for worker in list(self.workers.values()):
                if worker.node == node:
                    self.die(worker.worker, now)
        else:
            self.die(self.random.choice(list(self.workers)), now)


def converge(seed: int) -> None:
    world = Virtual(Random(seed))
    for turn in range(120):
        if world.random.random() < 0.03:
            world.misfortune(Instant(turn * TURN_MS))
        step(world, WANTED, Instant(turn * TURN_MS))
    for turn in range(120, 320):
        step(world, WANTED, Instant(turn * TURN_MS))
    seen, decision = step(world, WANTED, Instant(320 * TURN_MS))
    assert decision.actions == ()
    assert uncovered(WANTED, seen, Instant(320 * TURN_MS), WANTED.replicas) == ()
    several = sum(node.alive for node in world.nodes.values()) > 1
    assert decision.reason is Reason.SETTLED or (decision.reason is Reason.DEGRADED and not several)
    assert set(current(seen)) == WANTED.active[LOW]
    working = [replica for worker in seen.workers if worker.phase is Phase.READY for replica in worker.replicas]
    assert len(working) == len(set(working))
    for replicas in WANTED.replicas.values():
        leader = min((one for one in replicas if one in current(seen)), key=lambda one: current(seen)[one])
        assert seen.homes[leader].phase is Phase.READY


def converge_all(seeds: Iterable[int]) -> None:
    for seed in seeds:
        converge(seed)


@pytest.mark.parametrize("seed", range(40), ids="seed{}".format)
def test_after_the_last_misfortune_everything_that_can_run_does(seed: int) -> None:
    converge(seed)


NEEDED = (rules.open_the_log, rules.let_survivors_lead, rules.start_what_is_planned, rules.replace_lost_workers, rules.leave_refuges)


@pytest.mark.parametrize(
    "rule",
    [
        *NEEDED,
        rules.leave_dead_nodes,
        rules.set_the_clock,
    ],
    ids=lambda rule: rule.__name__,
)
def test_without_any_of_the_rules_that_repair_some_seed_fails(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "RULES", tuple(one for one in decide.RULES if one is not rule))
    with pytest.raises((AssertionError, KeyError)):
        converge_all(range(40))


def test_a_quiet_world_starts_each_worker_once() -> None:
    world = Virtual(Random(0))
    for turn in range(100):
        step(world, WANTED, Instant(turn * TURN_MS))
    assert world.starts == len(WANTED.workers)
