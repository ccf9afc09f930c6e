"""Which replicas may be active, as columns, and the nodes that this can overload, as rows (equations 11 and 12).

Why: most configurations cannot overload any node, and then nobody has to choose a replica; where somebody has to, only two kinds of
activation are worth considering per task (docs/design/completeness.md): one replica, or *safe*: every replica under the pessimistic
model, two replicas that no single failure takes together under the node and zone models.
Called by: completeness.milp.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from levee.planning.completeness.highs import Program
from levee.planning.completeness.model import TOLERANCE, Model
from levee.topology.graph import FailureModel

ROOM = 1 - 1.5 * TOLERANCE  # A node is full within the tolerance; the solver's own tolerance must not eat into that.


@dataclass(frozen=True, slots=True)
class Choice:
    """The columns of one configuration: is a task safe, and which replicas run."""

    configuration: int
    safe: tuple[int, ...]  # per task
    picks: Mapping[int, Mapping[int, int]]  # task -> node -> column; a task that is absent may run wherever it fits (`free`)
    free: Mapping[int, int]  # task -> a node that has room for it in any case
    hot: frozenset[int]  # nodes that can be overloaded
    relaxable: bool  # the picks matter to the load only, and can be made after it is settled who is safe


def standing(model: Model) -> tuple[Counter[int], ...]:
    """Per task how many of its replicas stand on which node."""
    problem = model.problem
    return tuple(Counter(problem.node_index[name] for name in problem.placement[task.id]) for task in problem.tasks)


def domains(model: Model, failures: FailureModel) -> tuple[int, ...]:
    """Per node the number of what fails with it: itself, or its zone."""
    nodes = model.problem.nodes
    zones = {zone: index for index, zone in enumerate(dict.fromkeys(node.zone for node in nodes))}
    return tuple(zones[node.zone] if failures is FailureModel.ZONE else index for index, node in enumerate(nodes))


def share(model: Model, configuration: int, task: int, node: int) -> float:
    """What an active replica takes of a node, as a fraction of its capacity."""
    return float(model.reserved[configuration, task]) / model.problem.nodes[node].capacity_cores


def hot_nodes(model: Model, configuration: int, on: Iterable[Mapping[int, int]]) -> frozenset[int]:
    """Nodes without room for everything that could run on them at once."""
    used: Counter[int] = Counter()
    for task, nodes in enumerate(on):
        for node, count in nodes.items():
            used[node] += count * share(model, configuration, task, node)  # type: ignore[assignment]
    return frozenset(node for node, part in used.items() if part >= ROOM)


def choose_all(program: Program, model: Model, configuration: int) -> Choice:
    """Columns and rows for the pessimistic model: every replica of a task, or one of them."""
    on = standing(model)
    hot = hot_nodes(model, configuration, on)
    safe = _safe_columns(program, model, configuration, on)
    loads: dict[int, dict[int, float]] = {node: {} for node in hot}
    room = dict.fromkeys(hot, ROOM)
    picks: dict[int, dict[int, int]] = {}
    free = {task: min(nodes.keys() - hot) for task, nodes in enumerate(on) if nodes.keys() - hot}
    for task, nodes in enumerate(on):
        if task not in free and len(nodes) > 1:
            picks[task] = {node: program.column(whole=True) for node in nodes}
            program.row({safe[task]: 1.0, **dict.fromkeys(picks[task].values(), 1.0)}, at_least=1.0, at_most=1.0)
        for node in nodes.keys() & hot:
            part = share(model, configuration, task, node)
            loads[node][safe[task]] = nodes[node] * part
            if task in picks:
                loads[node][picks[task][node]] = part
            elif task not in free:  # Its only node: one replica runs there in any case.
                loads[node][safe[task]] -= part
                room[node] -= part
    for node in sorted(hot):
        program.row(loads[node], at_most=room[node])
    return Choice(configuration, safe, picks, free, hot, relaxable=True)


def choose_two(program: Program, model: Model, configuration: int, failures: FailureModel) -> Choice:
    """Columns and rows for the node and zone models: one replica of a task, or two in different domains."""
    domain = domains(model, failures)
    on = tuple(Counter(nodes.keys()) for nodes in standing(model))  # A second replica on the same node is never worth its load.
    hot = hot_nodes(model, configuration, on)
    safe = _safe_columns(program, model, configuration, [{domain[n]: 1 for n in nodes} for nodes in on])
    loads: dict[int, dict[int, float]] = {node: {} for node in hot}
    picks: dict[int, dict[int, int]] = {}
    for task, nodes in enumerate(on):
        picks[task] = {node: program.column(whole=True) for node in nodes}
        program.row({safe[task]: -1.0, **dict.fromkeys(picks[task].values(), 1.0)}, at_least=1.0, at_most=1.0)
        for node, column in picks[task].items():
            together = [other for at, other in picks[task].items() if domain[at] == domain[node]]
            if len(together) > 1:
                program.row(dict.fromkeys(together, 1.0), at_most=1.0)
            if node in hot:
                loads[node][column] = share(model, configuration, task, node)
    for node in sorted(hot):
        program.row(loads[node], at_most=ROOM)
    return Choice(configuration, safe, picks, {}, hot, relaxable=False)


def _safe_columns(program: Program, model: Model, configuration: int, on: Iterable[Mapping[int, int]]) -> tuple[int, ...]:
    """A configuration that never comes about promises nothing; a task whose replicas fail together, or differ, cannot be safe."""
    counts = float(model.probability[configuration]) > 0 and model.problem.replicas > 1
    can = [counts and task.repeatable and sum(nodes.values()) > 1 for task, nodes in zip(model.problem.tasks, on, strict=True)]
    return tuple(program.column(upper=1.0 if one else 0.0, whole=True) for one in can)
