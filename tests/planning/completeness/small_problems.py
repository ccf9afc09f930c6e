"""Hypothesis strategies for planning problems that brute force can handle, with every late policy and awkward shape."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import strategies as st

from levee.planning.problem import Active, Edge, Goal, Plan, Problem, SourceTask, Task
from levee.topology.graph import Configuration, FailureModel, Late, Node
from levee.topology.names import ConfigurationName, NodeName, OperatorName, TaskId, ZoneName

FACTORS = st.sampled_from([0.5, 0.8, 1.0, 1.3])


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    replicas: int = 2,
    max_tasks: int = 4,
    lates: tuple[Late, ...] = tuple(Late),
    max_configurations: int = 2,
    repeatable: bool = True,
) -> Problem:
    """Not `repeatable`: not all of it is."""
    sources = _sources(draw, draw(st.integers(1, max_configurations)))
    tasks = _tasks(draw, sources, draw(st.integers(1, max_tasks)), lates)
    if not repeatable:
        tasks = tuple(replace(task, repeatable=draw(st.booleans())) for task in tasks)
    count = len(sources[0].rows_per_s)
    cuts = sorted(draw(st.lists(st.integers(1, 99), min_size=count - 1, max_size=count - 1, unique=True)))
    chances = [(high - low) / 100 for low, high in pairwise([0, *cuts, 100])]
    nodes = tuple(
        Node(NodeName(f"n{n}"), ZoneName(f"z{n % 2}"), draw(st.sampled_from([0.7, 1.6, 3.1, 9.9]))) for n in range(draw(st.integers(1, 3)))
    )
    return Problem(
        sources=sources,
        tasks=tasks,
        configurations=tuple(
            Configuration(ConfigurationName(f"c{c}"), chance, {source.operator: source.rows_per_s[c] for source in sources})
            for c, chance in enumerate(chances)
        ),
        nodes=nodes,
        placement={task.id: tuple(draw(st.sampled_from(nodes)).name for _ in range(replicas)) for task in tasks},
        replicas=replicas,
    )


def _sources(draw: st.DrawFn, configurations: int) -> tuple[SourceTask, ...]:
    rates = st.tuples(*[st.sampled_from([1.0, 2.0, 3.0])] * configurations)
    return tuple(SourceTask(TaskId(f"s{s}/0"), OperatorName(f"s{s}"), draw(rates)) for s in range(draw(st.integers(1, 2))))


def _tasks(draw: st.DrawFn, sources: tuple[SourceTask, ...], count: int, lates: tuple[Late, ...]) -> tuple[Task, ...]:
    streams = [source.id for source in sources]
    tasks: list[Task] = []
    for t in range(count):
        read = draw(st.lists(st.sampled_from(streams), min_size=1, max_size=3, unique=True))
        edges = tuple(Edge(stream, draw(FACTORS), draw(FACTORS) * 0.1, draw(st.sampled_from([1.0, 0.5]))) for stream in read)
        tasks.append(Task(TaskId(f"t{t}/0"), OperatorName(f"t{t}"), edges, draw(st.sampled_from(lates))))
        streams.append(tasks[-1].id)
    return tuple(tasks)


@st.composite
def plans(draw: st.DrawFn, problem: Problem) -> Plan:
    some = st.frozensets(st.integers(0, problem.replicas - 1), min_size=1)
    active: Active = tuple(tuple(draw(some) for _ in problem.tasks) for _ in problem.configurations)
    return Plan(active, problem.placement)


def goals(failures: tuple[FailureModel, ...] = (FailureModel.PESSIMISTIC,)) -> st.SearchStrategy[Goal]:
    return st.builds(Goal, st.sampled_from([0.0, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 1.0]), st.sampled_from(failures))
