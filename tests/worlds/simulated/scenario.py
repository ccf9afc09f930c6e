"""What one seed stands for: an application, its plan, how long things take, what fails, and what befalls the controller.

Why: everything random about a run is drawn here, first, so that a failing seed can be printed and understood.
Called by: `trial`.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from levee.control.names import WorkerName
from levee.control.wanted import Wanted
from levee.planning.completeness import baselines
from levee.planning.generate.applications import application
from levee.planning.problem import Edge, Plan, Problem
from levee.topology.graph import Late
from levee.topology.names import TaskId, task_id
from levee.worlds.simulated.casting import wanted_of
from levee.worlds.simulated.faults import Fault, Kind
from levee.worlds.simulated.pace import Pace
from levee.worlds.simulated.trace import Stretch
from tests.worlds.simulated.telling import Silence, Spell

PLANS = {"greedy": baselines.greedy, "static": baselines.static, "none": baselines.none}
FAULTS_S = 60
DISTANCE = 1.25
ENDS_IN_A_ROW = 4  # of one worker: who dies more often is given up, as it should be
OF_WORKERS = {Kind.SILENT, Kind.HANGS}
FOR_GOOD = 0.3
HALVED = 0.4  # sources of two tasks, of which one may be known
ASKED = 0.5  # of a Prometheus


@dataclass(frozen=True, slots=True)
class Misfortune:
    """Of the controller, in each of its turns, as long as anything fails."""

    crash: float = 0.0  # before, between or after two actions; whoever takes over knows what is in the log
    delay: float = 0.0  # it decides by what was seen some turns ago
    repeat: float = 0.0  # it does everything twice
    late_act: float = 0.0  # what it has decided is done some turns later, whatever was decided since
    turns: int = 4


@dataclass(frozen=True, slots=True)
class Scenario:
    seed: int
    problem: Problem
    plan_name: str
    plan: Plan
    wanted: Wanted
    pace: Pace
    stretches: tuple[Stretch, ...]
    faults: tuple[Fault, ...]
    misfortune: Misfortune
    spells: tuple[Spell, ...] | None  # in which rates are unknown; None: workers tell them, and not a Prometheus


def draw(seed: int) -> Scenario:
    random = Random(f"control plane {seed}")
    hosts = random.randint(2, 4)
    late = random.choice((Late.SKIP, Late.WAIT))
    replicas = 3 if hosts > 2 and random.random() < 0.2 else 2
    overload = (1.0, 1.0 + 0.8 * random.random())
    problem = apart(random, hosts=hosts, tasks=random.randint(2, 5), replicas=replicas, overload=overload, late=late)
    rates = Random(f"rates {seed}")  # by chance of its own: what else a seed stands for stays
    problem = halved(problem) if rates.random() < HALVED else problem
    plan_name = random.choice(("greedy", "greedy", "static", "none"))
    plan = PLANS[plan_name](problem)
    wanted = wanted_of(problem, plan)
    return Scenario(
        seed,
        problem,
        plan_name,
        plan,
        wanted,
        pace(random),
        tuple(stretches(random, problem)),
        tuple(faults(random, wanted)),
        misfortune(random),
        tuple(spells(rates, problem)) if rates.random() < ASKED else None,
    )


def apart(random: Random, *, hosts: int, tasks: int, replicas: int, overload: tuple[float, float], late: Late) -> Problem:
    """With rates that the controller can tell apart, for all the slack that it gives them."""
    while True:
        problem = application(random, hosts=hosts, tasks=tasks, replicas=replicas, overload=overload, late=late)
        low, high = (next(iter(one.rows_per_s.values())) for one in problem.configurations)
        if high > DISTANCE * low:
            return problem


def halved(problem: Problem) -> Problem:
    """The same rows, which two tasks of the source take in."""
    [source] = problem.sources
    parts = tuple(task_id(source.operator, number) for number in range(2))
    halves = tuple(rows / 2 for rows in source.rows_per_s)
    tasks = (replace(task, inputs=tuple(edges(task.inputs, source.id, parts))) for task in problem.tasks)
    return replace(problem, sources=tuple(replace(source, id=one, rows_per_s=halves) for one in parts), tasks=tuple(tasks))


def edges(inputs: tuple[Edge, ...], source: TaskId, parts: tuple[TaskId, ...]) -> Iterator[Edge]:
    for edge in inputs:
        yield from (replace(edge, producer=one) for one in (parts if edge.producer == source else (edge.producer,)))


def pace(random: Random) -> Pace:
    return Pace(
        step_ms=500,
        turn_ms=random.choice((500, 1_000)),
        start_ms=random.choice((1_000, 5_000, 15_000)),
        resync_ms=random.choice((500, 2_000, 6_000)),
        noise=random.choice((0.0, 0.02)),
    )


def stretches(random: Random, problem: Problem) -> Iterator[Stretch]:
    """Rates that change during all of it; the last ones stay."""
    left_s = float(FAULTS_S)
    while left_s > 0:
        one = random.choice(problem.configurations)
        seconds = random.uniform(1, 40)
        yield Stretch(min(seconds, left_s), one.name, one.rows_per_s)
        left_s -= seconds


def faults(random: Random, wanted: Wanted) -> Iterator[Fault]:
    """All are over when the time of faults is, but for workers that stay silent. One node never fails: without any it would end."""
    ends: Counter[WorkerName] = Counter()
    spared = random.choice(wanted.workers).node
    for _ in range(random.randint(0, 6)):
        kind = random.choice((Kind.NODE, Kind.NODE, Kind.REPLICA, Kind.WORKER, Kind.SILENT, Kind.HANGS))
        at_ms = random.randint(0, 1_000 * FAULTS_S)
        for_ms: int | None = random.randint(0, 1_000 * FAULTS_S - at_ms)
        if kind in OF_WORKERS and random.random() < FOR_GOOD:
            for_ms = None  # until the controller ends it
        placed = random.choice(wanted.workers)
        hit = [one.worker for one in wanted.workers if one.node == placed.node] if kind is Kind.NODE else [placed.worker]
        if any(ends[worker] >= ENDS_IN_A_ROW for worker in hit) or (kind is Kind.NODE and placed.node == spared):
            continue
        ends.update(hit)
        name = placed.node if kind is Kind.NODE else placed.replicas[0] if kind is Kind.REPLICA else placed.worker
        yield Fault(kind, name, at_ms, for_ms)


def misfortune(random: Random) -> Misfortune:
    """One kind of it alone, or all together, or none."""
    drawn = {name: random.choice((0.0, 0.0, 0.05, 0.3)) for name in ("crash", "delay", "repeat", "late_act")}
    return Misfortune(**drawn, turns=random.randint(1, 6))


def spells(random: Random, problem: Problem) -> Iterator[Spell]:
    """One may last until all else has settled."""
    tasks = [source.id for source in problem.sources]
    for _ in range(random.randint(0, 3)):
        at_ms = random.randint(0, 1_000 * FAULTS_S)
        for_ms = random.randint(1_000, max(1_000, 1_000 * FAULTS_S - at_ms))
        lacks = tuple(random.sample(tasks, random.randint(1, len(tasks))))
        yield Spell(random.choice([*Silence]), at_ms, None if random.random() < FOR_GOOD else for_ms, lacks)
