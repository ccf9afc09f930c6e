"""Small random fidelity problems for properties: few enough tasks to try every plan."""

from itertools import combinations
from random import Random

from levee.planning.fidelity.model import Model
from levee.planning.fidelity.plan import Metric
from levee.planning.fidelity.problem import FidelityOperator, FidelityProblem, FidelityTask, InputStream, OperatorInput
from levee.topology.graph import Partitioning
from levee.topology.names import OperatorName, task_id

TASKS_MAX = 12


def problem(seed: int, *, waiting: float = 0.0) -> FidelityProblem:
    """Joins, unions, splits, merges, full edges, diamonds and several sinks, all by chance."""
    rng = Random(seed)
    operators: list[FidelityOperator] = []
    tasks: list[FidelityTask] = []
    read: set[int] = set()
    while len(tasks) < TASKS_MAX - 1 and len(operators) < 6:
        place, width = len(operators), min(rng.randint(1, 4), TASKS_MAX - len(tasks))
        origins = (
            []
            if place == 0 or (place != 1 and rng.random() < 0.2)
            else sorted(rng.sample(range(place), min(place, rng.choice((1, 1, 2, 3)))))
        )
        wiring = {origin: _wiring(rng, operators[origin], width) for origin in origins}
        read |= set(origins)
        shares = [rng.choice((1.0, 1.0, 2.0, 3.5)) for _ in range(width)]
        numbers = tuple(range(len(tasks), len(tasks) + width))
        waits = rng.random() < waiting
        for index in range(width):
            streams = tuple(
                _stream(tasks, operators[origin].tasks, wired, index, shares, rng.choice((0.5, 1.0))) for origin, wired in wiring.items()
            )
            rate = sum(stream.rows_per_s * stream.selectivity for stream in streams) if streams else 10 * shares[index]
            tasks.append(FidelityTask(task_id(OperatorName(f"o{place}"), index), place, streams, rate, waits))
        inputs = tuple(OperatorInput(origin, wired) for origin, wired in wiring.items())
        operators.append(FidelityOperator(OperatorName(f"o{place}"), numbers, inputs, len(origins) > 1 and rng.random() < 0.6))
    ends = [place for place, operator in enumerate(operators) if place not in read and operator.inputs] or [len(operators) - 1]
    return FidelityProblem(tuple(operators), tuple(tasks), tuple(task for end in ends for task in operators[end].tasks))


def _wiring(rng: Random, origin: FidelityOperator, width: int) -> Partitioning:
    producers, fitting = len(origin.tasks), [Partitioning.FULL]
    if producers == width:
        fitting.append(Partitioning.ONE_TO_ONE)
    elif width % producers == 0:
        fitting.append(Partitioning.SPLIT)
    elif producers % width == 0:
        fitting.append(Partitioning.MERGE)
    return rng.choice(fitting)


def _stream(
    tasks: list[FidelityTask], origin: tuple[int, ...], wired: Partitioning, index: int, shares: list[float], selectivity: float
) -> InputStream:
    width, producers = len(shares), len(origin)
    parts: list[tuple[int, float]] = []
    match wired:
        case Partitioning.ONE_TO_ONE:
            parts = [(index, 1.0)]
        case Partitioning.MERGE:
            parts = [(index * producers // width + step, 1.0) for step in range(producers // width)]
        case Partitioning.SPLIT:
            parts = [(index * producers // width, shares[index])]
        case Partitioning.FULL:
            parts = [(producer, shares[index] / sum(shares)) for producer in range(producers)]
    return InputStream(tuple((origin[producer], part * tasks[origin[producer]].rows_per_s) for producer, part in parts), selectivity)


def best_by_brute_force(given: FidelityProblem, budget: int, metric: Metric) -> float:
    """Every plan that uses the whole budget (more never hurts)."""
    count = min(budget, len(given.tasks))
    return float(Model(given, metric).values_of(list(combinations(range(len(given.tasks)), count))).max())
