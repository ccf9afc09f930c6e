"""Which pods are ended though no rule asks for it: what a killed operator, or a worker that died at the wrong moment, has left."""

from dataclasses import replace
from datetime import datetime

import pytest

from levee.control.names import Instant, WorkerName
from levee.control.seen import Observation, Phase, WorkerSeen
from levee.control.wanted import Placed
from levee.worlds.kubernetes.leftovers import leftovers
from levee.worlds.kubernetes.roll import Roll
from levee.worlds.kubernetes.seen import PodSeen
from tests.control.stage import HEALTHY, NODES, NOW, PLACED, WANTED, seeing, with_dead_node, worker

REFUGE = Placed(WorkerName("node-1-1"), NODES[0], PLACED[2].replicas)  # of what node-3 had
FAILURE_MS = WANTED.patience.failure_ms


def when(_: datetime) -> Instant:
    return NOW


def roll_of(*workers: WorkerSeen, leaving: bool = False) -> Roll:
    roll = Roll("u", when)
    for number, one in enumerate(workers):
        roll.put(PodSeen(f"{one.worker}-{number}", f"{one.worker}-{number}", "1", "10.0.0.1", 1 + number, leaving, one))
    return roll


def left(roll: Roll, seen: Observation) -> list[str]:
    return [one.name for one in leftovers(roll, WANTED, seen, NOW)]


def with_refuge(base: Observation, phase: Phase) -> Observation:
    return replace(base, workers=(*base.workers, worker(REFUGE, phase)))


def test_where_all_is_well_nothing_is_left_over() -> None:
    assert left(roll_of(*HEALTHY.workers), HEALTHY) == []


def test_a_refuge_that_dies_when_its_replicas_are_at_home_again_goes() -> None:
    seen = with_refuge(HEALTHY, Phase.ENDED)
    assert left(roll_of(*seen.workers), seen) == ["node-1-1-3"]


def test_a_refuge_that_works_is_left_to_the_rules() -> None:
    seen = with_refuge(HEALTHY, Phase.READY)
    assert left(roll_of(*seen.workers), seen) == []


def test_a_refuge_that_dies_while_it_is_the_only_home_is_started_again_and_not_removed() -> None:
    seen = with_refuge(with_dead_node(2, ago_ms=2 * FAILURE_MS), Phase.ENDED)
    assert left(roll_of(*seen.workers), seen) == []


def test_a_planned_worker_that_has_ended_keeps_its_pod_until_it_is_started_again() -> None:
    seen = replace(HEALTHY, workers=(*HEALTHY.workers[:2], worker(PLACED[2], Phase.ENDED)))
    assert left(roll_of(*seen.workers), seen) == []


def test_an_earlier_attempt_whose_successor_is_there_goes() -> None:
    before = worker(PLACED[0], Phase.ENDED)
    after = replace(worker(PLACED[0]), attempt=2)
    seen = seeing(workers=(after, *HEALTHY.workers[1:]))
    assert left(roll_of(before, *seen.workers), seen) == ["node-1-0-0"]


@pytest.mark.parametrize(("ago_ms", "names"), [(FAILURE_MS - 1, []), (FAILURE_MS, ["node-3-0-2"])])
def test_a_pod_on_a_dead_node_goes_once_its_replicas_are_at_home_elsewhere(ago_ms: int, names: list[str]) -> None:
    seen = with_refuge(with_dead_node(2, ago_ms=ago_ms), Phase.STARTING)
    assert left(roll_of(*seen.workers), seen) == names
    assert left(roll_of(*seen.workers, leaving=True), seen) == names


def test_a_pod_on_a_dead_node_stays_as_long_as_nobody_has_its_replicas() -> None:
    seen = with_dead_node(2, ago_ms=2 * FAILURE_MS)
    assert left(roll_of(*seen.workers), seen) == []


def test_who_leaves_already_is_not_asked_to_again() -> None:
    seen = with_refuge(HEALTHY, Phase.ENDED)
    assert left(roll_of(*seen.workers, leaving=True), seen) == []
