"""Random applications as LAAR's evaluation describes them (Bellavista et al., section 5.2).

Why: the completeness optimisers are compared on them; what the paper leaves open is said here.
Called by: benchmarks of planning, and tests that want a problem of realistic shape.

Read so: "PEs per host" counts replicas (the paper runs one on each logical core, and its hosts have twelve), so a graph has
hosts x PEs per host / 2 processing elements, two replicas of each. `dense` counts them before replication: twice as many.
Edges (those that leave the source included) per task is the mean out-degree. Selectivities are not
divided by the number of inputs, so rates grow along the graph. CPU costs are drawn and then scaled together, until the fullest host
carries, with everything active, `overload` times its capacity in High: drawn between 1 and 2, but below 1 in Low. Above 2, not even one
replica per task would fit, and there would be nothing to plan.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from levee.planning.problem import Edge, Problem, SourceTask, Task
from levee.topology.graph import Configuration, Late, Node
from levee.topology.names import (
    ConfigurationName,
    NodeName,
    OperatorName,
    TaskId,
    ZoneName,
    task_id,
)

HOSTS = range(1, 13)
PES_PER_HOST = range(2, 13)
HIGH_PROBABILITY = 1 / 3
ZONES = 3
STRIDE = 53  # Without a common factor with the number of shapes (132): any run of indices has shapes of all sizes.

SOURCE = OperatorName("source")


@dataclass(frozen=True, slots=True)
class Application:
    """A random problem and what makes it anew: `generate(seed, index)`."""

    seed: int
    index: int
    hosts: int
    pes_per_host: int
    problem: Problem


def corpus(seed: int, count: int = 600, *, dense: bool = False) -> Iterator[Application]:
    """Applications of all shapes, 1-12 hosts and 2-12 processing elements per host, in mixed order."""
    return (generate(seed, index, dense=dense) for index in range(count))


def generate(seed: int, index: int, *, dense: bool = False) -> Application:
    """One application of the corpus; it depends on nothing but the seed and its index."""
    shape = index * STRIDE % (len(HOSTS) * len(PES_PER_HOST))
    hosts, pes_per_host = HOSTS[shape // len(PES_PER_HOST)], PES_PER_HOST[shape % len(PES_PER_HOST)]
    tasks = hosts * pes_per_host if dense else hosts * pes_per_host // 2
    rng = Random(f"application {seed} {index}")
    return Application(seed, index, hosts, pes_per_host, application(rng, hosts=hosts, tasks=tasks))


def application(
    rng: Random,
    *,
    hosts: int,
    tasks: int,
    replicas: int = 2,
    degree: tuple[float, float] = (1.5, 3.0),
    selectivity: tuple[float, float] = (0.5, 1.5),
    rows_per_s: tuple[float, float] = (1.0, 20.0),
    overload: tuple[float, float] = (1.0, 2.0),
    late: Late = Late.SKIP,
) -> Problem:
    """A random application with one source at two rates, placed evenly; `late` holds for all its tasks (skip: as in the paper)."""
    low, high = sorted((rng.uniform(*rows_per_s), rng.uniform(*rows_per_s)))
    inputs = [_inputs(rng, producers, selectivity) for producers in _producers(rng, tasks, rng.uniform(*degree))]
    placement = _placement(_loads(inputs), hosts, replicas)
    wanted = rng.uniform(overload[0], min(overload[1], high / low))  # Cores in use on the fullest host in High, of one.
    scale = wanted / (high * _fullest(_loads(inputs), placement, hosts))
    return Problem(
        sources=(SourceTask(task_id(SOURCE, 0), SOURCE, (low, high), late),),
        tasks=tuple(Task(_pe(task), _name(task), _scaled(edges, scale), late) for task, edges in enumerate(inputs)),
        configurations=_configurations(low, high),
        nodes=tuple(Node(_host(host), ZoneName(f"zone-{host % ZONES}"), 1.0) for host in range(hosts)),
        placement={_pe(task): tuple(map(_host, on)) for task, on in enumerate(placement)},
        replicas=replicas,
        sinks=_unread(inputs),
    )


def _producers(rng: Random, count: int, degree: float) -> list[list[int]]:
    """Per task whom it reads (the source is -1): one earlier one each, so that all are reached, then random pairs up to the degree."""
    chosen = {(rng.randrange(-1, task), task) for task in range(count)}
    others = [(producer, task) for task in range(count) for producer in range(-1, task) if (producer, task) not in chosen]
    missing = round(degree * count) - len(chosen)
    chosen.update(rng.sample(others, min(missing, len(others))))
    return [sorted(producer for producer, consumer in chosen if consumer == task) for task in range(count)]


def _inputs(rng: Random, producers: list[int], selectivity: tuple[float, float]) -> tuple[Edge, ...]:
    """Edges with the shape of their costs only: their size comes with the overload that is wanted."""
    names = (task_id(SOURCE, 0) if producer < 0 else _pe(producer) for producer in producers)
    return tuple(Edge(name, rng.uniform(*selectivity), rng.uniform(0.5, 1.5)) for name in names)


def _loads(inputs: list[tuple[Edge, ...]]) -> list[float]:
    """CPU of each task for one row from the source."""
    rows, loads = {task_id(SOURCE, 0): 1.0}, []
    for task, edges in enumerate(inputs):
        rows[_pe(task)] = sum(edge.selectivity * rows[edge.producer] for edge in edges)
        loads.append(sum(edge.cost_s * rows[edge.producer] for edge in edges))
    return loads


def _placement(loads: list[float], hosts: int, replicas: int) -> list[tuple[int, ...]]:
    """Hosts of each task's replicas: largest load first onto the least loaded hosts, equal numbers on each, apart where possible."""
    room, used = [-(-len(loads) * replicas // hosts)] * hosts, [0.0] * hosts
    placement: list[tuple[int, ...]] = [()] * len(loads)
    for done, task in enumerate(sorted(range(len(loads)), key=lambda task: -loads[task])):
        for _ in range(replicas):
            left = len(loads) - done  # A host with as much room needs one of every task to come, or its last ones would share it.
            free = [h for h in range(hosts) if room[h] > 0 and (h not in placement[task] or hosts < replicas)]
            host = min(free, key=lambda h: (room[h] < left, used[h], h))
            placement[task] += (host,)
            room[host] -= 1
            used[host] += loads[task]
    return placement


def _fullest(loads: list[float], placement: list[tuple[int, ...]], hosts: int) -> float:
    """CPU of the fullest host for one row from the source, with everything active."""
    return max(sum(loads[task] for task, on in enumerate(placement) for at in on if at == host) for host in range(hosts))


def _scaled(edges: tuple[Edge, ...], scale: float) -> tuple[Edge, ...]:
    return tuple(replace(edge, cost_s=edge.cost_s * scale) for edge in edges)


def _unread(inputs: list[tuple[Edge, ...]]) -> tuple[TaskId, ...]:
    """Tasks that nobody reads deliver their output."""
    read = {edge.producer for edges in inputs for edge in edges}
    return tuple(_pe(task) for task in range(len(inputs)) if _pe(task) not in read)


def _configurations(low: float, high: float) -> tuple[Configuration, ...]:
    drawn = (("low", low, 1 - HIGH_PROBABILITY), ("high", high, HIGH_PROBABILITY))
    return tuple(Configuration(ConfigurationName(name), probability, {SOURCE: rows_per_s}) for name, rows_per_s, probability in drawn)


def _name(task: int) -> OperatorName:
    return OperatorName(f"pe-{task}")


def _pe(task: int) -> TaskId:
    return task_id(_name(task), 0)


def _host(host: int) -> NodeName:
    return NodeName(f"host-{host}")
