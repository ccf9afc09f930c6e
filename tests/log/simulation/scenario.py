"""What one seed stands for: a graph, its policies, its replicas and its misfortunes.

Why: everything random about a run is drawn here, first, so that a scenario can be printed and understood.
Called by: `world.run`.
"""

from dataclasses import dataclass, replace
from random import Random

from levee.topology.names import OperatorName, TaskId
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.wiring import TaskWiring, Wiring
from tests.log.simulation.plant import Behaviour

HARSH = 4  # every so many seeds
GRAPHS: tuple[tuple[int, dict[str, tuple[str, ...]]], ...] = (  # (weight, task -> inputs); names with a digit at the end are parallel
    (6, {"s": (), "f": ("s",)}),
    (2, {"s": (), "f": ("s",), "g": ("f",)}),
    (3, {"s": (), "t": (), "j": ("s", "t")}),
    (1, {"s": (), "f": ("s",), "g": ("s",), "j": ("f", "g")}),
    (1, {"s": (), "t": (), "f": ("s",), "g": ("t",), "j": ("f", "t")}),
    (1, {"s": (), "t": (), "f": ("t",)}),  # a sink that reads a source: nothing else keeps its floor down
    (1, {"s": (), "p/0": ("s",), "p/1": ("s",), "m": ("p/0", "p/1")}),
)


@dataclass(frozen=True, slots=True)
class Faults:
    error: float = 0.0
    late: float = 0.0  # of the errors on writes: applied much later
    pause: float = 0.0
    pause_ms: int = 0
    crash: float = 0.0
    nondeterminism: float = 0.0
    winners_vanish: bool = False
    decisions: tuple[str, ...] = ()
    until_ms: int = 0
    spoil: float = 0.0  # of what is written: it can no longer be read


@dataclass(frozen=True, slots=True)
class Scenario:
    seed: int
    wiring: Wiring
    behaviours: dict[TaskId, Behaviour]
    replicas: dict[TaskId, int]
    faults: Faults
    resolution_ms: int
    spacing_ms: int
    quiet_ms: int = 350
    store_lies: bool = False
    drift_ppm: int = 300
    stops_in_the_end: bool = False
    discards: bool = False  # edits may discard states
    imports: tuple[TaskId, ...] = ()  # streams of one task that other topologies import
    steps: tuple[tuple[int, int], ...] = ()  # of the store's clock: (when, by how much)

    def stepped_ms(self, now_ms: int) -> int:
        """By how much the store's clock is off."""
        return sum(by_ms for at_ms, by_ms in self.steps if at_ms <= now_ms)

    def ahead_ms(self, now_ms: int) -> int:
        """And was at most until now: whoever has not noticed yet still goes by that."""
        return max(0, *(self.stepped_ms(at_ms) for at_ms, _ in self.steps if at_ms <= now_ms), self.stepped_ms(now_ms))


def times(random: Random) -> Times:
    return Times(
        period_ms=20,
        hold_ms=14,
        deadline_ms=110,
        failure_timeout_ms=160,
        retention_ms=random.choice((120, 240, 600)),
        poll_ms=9,
        pin_ms=400,
        lead=random.choice((6, 40)),
        backlog=random.choice((16, 40)),
        resolution_ms=random.choice((1, 10)),
    )


def task_wiring(random: Random, task: str, inputs: tuple[str, ...], *, skip: bool, errors: bool) -> TaskWiring:
    return TaskWiring(
        TaskId(task),
        OperatorName(task.partition("/")[0]),
        tuple(TaskId(one) for one in inputs),
        skips_late=skip and random.random() < 0.7,
        skips_errors=errors and bool(inputs) and random.random() < 0.7,
        checkpoint_every=random.choice((3, 5, 8)),
        checkpoint_offset=random.randrange(3),
        keep=random.choice((1, 2)),
    )


def draw(seed: int) -> Scenario:
    random = Random(f"scenario {seed}")
    graph = random.choices([graph for _, graph in GRAPHS], [weight for weight, _ in GRAPHS])[0]
    skip, errors = random.random() < 0.3, random.random() < 0.2
    tasks = {TaskId(task): task_wiring(random, task, inputs, skip=skip, errors=errors) for task, inputs in graph.items()}
    consumed = {one for task in tasks.values() for one in task.inputs}
    for leaf in [task for task in tasks if task not in consumed]:
        name = TaskId(f"sink-{leaf}")
        tasks[name] = TaskWiring(name, OperatorName(name), (leaf,), checkpoint_every=random.choice((3, 6)), keep=1, sink=True)
    clock = times(random)
    scenario = Scenario(
        seed,
        Wiring(Layout("levee", "uid-1"), clock, tasks),
        {task: behaviour(random, task, wiring) for task, wiring in tasks.items()},
        {
            task: 1 if wiring.sink else random.choice((1, 2)) if wiring.is_source else random.choice((1, 2, 2, 3))
            for task, wiring in tasks.items()
        },
        misfortunes(random),
        clock.resolution_ms,
        random.choice((4, 9, 30)),
        stops_in_the_end=random.random() < 0.2,
    )
    return harsher(scenario, random) if seed % HARSH == 0 else scenario


def harsher(scenario: Scenario, random: Random) -> Scenario:
    """Sleepers and late writes against a floor that rises as fast as it may: most of rule 4 shows only here."""
    clock = replace(scenario.wiring.times, retention_ms=80)
    tasks = {task: replace(one, checkpoint_every=2, keep=1) for task, one in scenario.wiring.tasks.items()}
    faults = Faults(0.15, 0.3, 0.02, 1_000, 0.002, random.choice((0.0, 0.1)), winners_vanish=False, until_ms=1_500)
    wiring = replace(scenario.wiring, times=clock, tasks=tasks)
    return replace(scenario, wiring=wiring, faults=replace(faults, decisions=scenario.faults.decisions))


def behaviour(random: Random, task: TaskId, wiring: TaskWiring) -> Behaviour:
    _, _, index = task.partition("/")
    branch = (int(index), 2) if index else (0, 1)
    return Behaviour(random.choice((1, 1, 3)), branch, random.random() < 0.25, raises=wiring.skips_errors)


def misfortunes(random: Random) -> Faults:
    return Faults(
        error=random.choice((0, 0.05, 0.2)),
        late=random.choice((0, 0.3)),
        pause=random.choice((0, 0.003, 0.01)),
        pause_ms=random.choice((200, 1_500)),
        crash=random.choice((0, 0.002, 0.006)),
        nondeterminism=random.choice((0, 0, 0.02, 0.1)),
        winners_vanish=random.random() < 0.4,
        decisions=tuple(random.choices(("ranks", "activation", "function", "stop", "anchor"), k=random.choice((0, 1, 3)))),
        until_ms=random.choice((300, 600, 1_200)),
    )
