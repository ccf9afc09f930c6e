"""Plans to columns and back.

Why: a start comes as a plan, and an answer leaves as one; the programs in between know columns only.
Called by: completeness.exact.
"""

from collections.abc import Mapping

from levee.planning.completeness.activation import Choice, domains, standing
from levee.planning.completeness.milp import Milp
from levee.planning.completeness.model import Model
from levee.planning.problem import Plan
from levee.topology.graph import FailureModel


def decode(model: Model, milp: Milp, values: Mapping[int, float]) -> Plan:
    """The plan that the whole columns' values stand for."""
    return Plan(tuple(_active(model, choice, values) for choice in milp.choices), model.problem.placement)


def _active(model: Model, choice: Choice, values: Mapping[int, float]) -> tuple[frozenset[int], ...]:
    everything = frozenset(range(model.problem.replicas))
    row: list[frozenset[int]] = []
    for task, nodes in enumerate(standing(model)):
        if choice.relaxable and values[choice.safe[task]] > 0.5:
            row.append(everything)
            continue
        picked = [node for node, column in choice.picks.get(task, {}).items() if values[column] > 0.5]
        row.append(frozenset(_first(model, task, node) for node in picked or [choice.free.get(task, min(nodes))]))
    return tuple(row)


def _first(model: Model, task: int, node: int) -> int:
    """The lowest replica of a task on a node."""
    return model.problem.placement[model.problem.tasks[task].id].index(model.problem.nodes[node].name)


def encode(model: Model, milp: Milp, plan: Plan, failures: FailureModel) -> dict[int, float]:
    """Values of the whole columns for a plan, without the replicas that add nothing to its promise."""
    domain = domains(model, failures)
    values: dict[int, float] = {}
    for choice in milp.choices:
        for task, active in enumerate(plan.active[choice.configuration]):
            names = model.problem.placement[model.problem.tasks[task].id]
            places = [model.problem.node_index[names[replica]] for replica in sorted(active)]
            apart = list({domain[node]: node for node in reversed(places)}.values())[::-1][:2]
            safe = len(active) == model.problem.replicas if choice.relaxable else len(apart) == 2
            used = ([] if safe else places[:1]) if choice.relaxable else apart
            values[choice.safe[task]] = float(safe)
            values |= {column: float(node in used) for node, column in choice.picks.get(task, {}).items()}
    return values
