"""What is decided of a part of a topology is what would be decided of the whole."""

from collections.abc import Callable
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from levee.control.actions import Reason
from levee.control.decide import decide
from levee.control.names import Instant, ReplicaName, WorkerName, task_of
from levee.control.part import is_of_workers, part_of, record_of, unsettled
from levee.control.seen import NodeSeen, Observation, Phase, Status, WorkerSeen
from levee.control.wanted import Placed
from levee.topology.names import NodeName, TaskId
from levee_spark.log.values import Live
from tests.control.stage import LOW, MARKET, NOW, WANTED, record, running, worker

TASKS, NODES = 8, tuple(NodeName(f"node-{number}") for number in range(4))
NAMES = [ReplicaName(f"{'market' if task == 0 else 'calc'}/{task}/{number}") for task in range(TASKS) for number in (0, 1)]
PLACED = tuple(
    Placed(WorkerName(f"worker-{number}"), NODES[(number + number // 2) % len(NODES)], (name,)) for number, name in enumerate(NAMES)
)
MANY = replace(WANTED, workers=PLACED, sources=(TaskId("market/0"),), active=dict.fromkeys(WANTED.active, frozenset(NAMES)))
RANKS = tuple((name, int(name[-1])) for name in NAMES)
WELL = Observation(
    nodes=tuple(NodeSeen(node, alive=True, since=Instant(0)) for node in NODES),
    workers=tuple(map(worker, PLACED)),
    record=replace(record(), live=Live(RANKS)),
    opened=True,
    anchored=True,
    configuration=LOW,
    rates={MARKET: 90.0},
)
TROUBLES: dict[str, Callable[[Placed], WorkerSeen | None]] = {
    "ended": lambda placed: worker(placed, Phase.ENDED, ago_ms=1),
    "ended often": lambda placed: worker(placed, Phase.ENDED, ago_ms=1, lived_ms=10, failures=9),
    "silent": lambda placed: worker(placed, Phase.SILENT, ago_ms=100),
    "silent for long": lambda placed: worker(placed, Phase.SILENT, ago_ms=90_000),
    "starting": lambda placed: worker(placed, Phase.STARTING, ago_ms=50),
    "starting for long": lambda placed: worker(placed, Phase.STARTING, ago_ms=900_000),
    "behind": lambda placed: worker(placed, states=tuple(running(one, epoch=3) for one in placed.replicas)),
    "failed": lambda placed: worker(placed, states=tuple(running(one, status=Status.FAILED) for one in placed.replicas)),
    "first epoch": lambda placed: worker(placed, states=tuple(running(one, epoch=0) for one in placed.replicas)),
    "gone": lambda _: None,
}


def troubled(troubles: dict[int, str]) -> Observation:
    found = [TROUBLES[troubles[number]](placed) if number in troubles else worker(placed) for number, placed in enumerate(PLACED)]
    return replace(WELL, workers=tuple(one for one in found if isinstance(one, WorkerSeen)))


def in_part(seen: Observation) -> tuple[frozenset[TaskId], Observation, tuple[Placed, ...]]:
    tasks = unsettled(MANY, seen)
    placed = tuple(one for one in PLACED if task_of(one.replicas[0]) in tasks)
    names = {one.worker for one in placed}
    workers = tuple(one for one in seen.workers if one.worker in names)
    assert seen.record is not None
    wanted = part_of(MANY, placed, frozenset(MANY.sources))
    return tasks, replace(seen, workers=workers, record=record_of(seen.record, seen.ranks(), wanted)), placed


def test_of_a_topology_that_is_well_nothing_is_left() -> None:
    assert unsettled(MANY, WELL) == frozenset()
    assert decide(MANY, WELL, NOW).reason is Reason.SETTLED


@given(st.dictionaries(st.integers(0, len(PLACED) - 1), st.sampled_from(sorted(TROUBLES)), max_size=5))
def test_what_is_decided_of_those_that_are_not_well_is_what_is_decided_of_all(troubles: dict[int, str]) -> None:
    seen = troubled(troubles)
    tasks, part, placed = in_part(seen)
    whole = decide(MANY, seen, NOW)
    found = decide(part_of(MANY, placed, frozenset(MANY.sources)), part, NOW)
    assert {task_of(PLACED[number].replicas[0]) for number in troubles} >= tasks
    assert is_of_workers(found) == is_of_workers(whole)
    if is_of_workers(whole):
        assert (found.reason, found.text, found.actions) == (whole.reason, whole.text, whole.actions)


def test_a_part_has_the_tree_of_the_whole_and_another_plan_has_its_own() -> None:
    assert part_of(MANY, PLACED[:2], {TaskId("market/0")}).space is MANY.space
    other = replace(MANY, configurations=MANY.configurations[:1])
    assert other.space is not MANY.space
    assert other.space.configurations == MANY.configurations[:1]
