"""Check a completeness plan and everything that is claimed of it, from the definitions.

Why: an optimiser may be wrong in ways its own arithmetic hides; no plan is applied that has a complaint.
Called by: levee plan, the operator before it applies a plan, and every test of an optimiser in this package.

The constraints are those of LAAR: (10) the goal, (11) no node overloaded, (12) one active replica of every task in every configuration;
besides, one at most where replicas would differ.
"""

from collections.abc import Iterator

from levee.planning.completeness.definition import Definition
from levee.planning.problem import Goal, Plan, Problem
from levee.planning.result import Result, Status
from levee.topology.complaint import Complaint
from levee.topology.names import TaskId

TOLERANCE = 1e-6  # Optimisers work in floating point.

AGAIN = "plan again with another strategy, and report the planner that made this plan"


def verify(
    problem: Problem, plan: Plan, *, goal: Goal | None = None, claimed: Result[Plan] | None = None, moved: bool = False
) -> tuple[Complaint, ...]:
    """All that is wrong with a plan; empty means that it holds.

    Without a goal, (10) is not asked for. `claimed` is the result that came with the plan. `moved`: the placement may be the plan's own.
    """
    if malformed := tuple(_shape(problem, plan, moved)):
        return malformed  # Nothing below can be computed for it.
    definition = Definition(problem, plan)
    return (
        *_someone_active(problem, plan),
        *_overloads(definition),
        *(_goal_missed(definition, goal) if goal else ()),
        *(_false_claims(definition, goal, claimed) if claimed else ()),
    )


def _shape(problem: Problem, plan: Plan, moved: bool) -> Iterator[Complaint]:
    sizes = {len(row) for row in plan.active}
    if len(plan.active) != len(problem.configurations) or not sizes <= {len(problem.tasks)}:
        wanted = f"{len(problem.configurations)} configurations of {len(problem.tasks)} tasks"
        yield Complaint("plan.active", f"holds {len(plan.active)} configurations of {sorted(sizes)} tasks instead of {wanted}", AGAIN)
    known = set(range(problem.replicas))
    if strange := {replica for row in plan.active for active in row for replica in active} - known:
        yield Complaint("plan.active", f"replicas {sorted(strange)} do not exist: each task has {problem.replicas}, from 0", AGAIN)
    for task in problem.tasks:
        yield from _displaced(problem, plan, task.id, moved)


def _displaced(problem: Problem, plan: Plan, task: TaskId, moved: bool) -> Iterator[Complaint]:
    on = plan.placement.get(task, ())
    if len(on) != problem.replicas or not set(on) <= set(problem.node_index):
        yield Complaint(f"placement of {task}", f"{list(on)} does not name a node for each of {problem.replicas} replicas", AGAIN)
    elif not moved and on != tuple(problem.placement[task]):
        yield Complaint(f"placement of {task}", f"is {list(on)}, but was given as {list(problem.placement[task])}", AGAIN)


def _someone_active(problem: Problem, plan: Plan) -> Iterator[Complaint]:
    for configuration, row in zip(problem.configurations, plan.active, strict=True):
        for task, active in zip(problem.tasks, row, strict=True):
            where = f"configuration {configuration.name}, task {task.id}"
            if not active:
                yield Complaint(where, "no replica is active", AGAIN)
            elif len(active) > 1 and not task.repeatable:
                yield Complaint(where, f"{len(active)} replicas are active, and they do not compute the same", AGAIN)


def _overloads(definition: Definition) -> Iterator[Complaint]:
    for c, configuration in enumerate(definition.problem.configurations):
        for node in definition.problem.nodes:
            cores = definition.reserved(c, node)
            if cores >= node.capacity_cores * (1 - TOLERANCE):
                wrong = f"{float(cores):.6g} cores are needed and {node.capacity_cores:.6g} are there"
                yield Complaint(f"configuration {configuration.name}, node {node.name}", wrong, AGAIN)


def _goal_missed(definition: Definition, goal: Goal) -> Iterator[Complaint]:
    reached = definition.completeness(goal.failures)
    if goal.penalty is None and reached < goal.completeness - TOLERANCE:
        wrong = f"completeness is {float(reached):.6g}, and {goal.completeness:.6g} was asked for"
        yield Complaint(f"{goal.failures} failures", wrong, AGAIN)


def _false_claims(definition: Definition, goal: Goal | None, claimed: Result[Plan]) -> Iterator[Complaint]:
    true = objective(definition, goal)
    if claimed.plan != definition.plan:
        yield Complaint("result.plan", "is another plan than this one", AGAIN)
    if claimed.objective is None or not _close(claimed.objective, true):
        yield Complaint("result.objective", f"is said to be {claimed.objective} and is {true:.9g}", AGAIN)
    if claimed.bound is not None and claimed.bound > true and not _close(claimed.bound, true):
        yield Complaint("result.bound", f"{claimed.bound:.9g} is above the objective {true:.9g} of this plan", AGAIN)
    yield from _false_status(claimed, true)


def _false_status(claimed: Result[Plan], true: float) -> Iterator[Complaint]:
    match claimed.status:
        case Status.OPTIMAL if claimed.bound is None or not _close(claimed.bound, true, 1e-4):
            yield Complaint("result.status", f"optimal is claimed with bound {claimed.bound} and objective {true:.9g}", AGAIN)
        case Status.INFEASIBLE | Status.UNKNOWN:
            yield Complaint("result.status", f"{claimed.status} is claimed, but there is a plan", AGAIN)
        case _:
            pass


def objective(definition: Definition, goal: Goal | None) -> float:
    """Mean cores in use; where a shortfall may be paid for, what is paid is added as CPU seconds per second of the window."""
    cores = float(definition.cost())
    if goal is None or goal.penalty is None:
        return cores
    missing = max(0.0, goal.completeness - float(definition.completeness(goal.failures)))
    return cores + goal.penalty * missing / definition.problem.window_s


def _close(one: float, other: float, within: float = TOLERANCE) -> bool:
    return abs(one - other) <= within * max(1.0, abs(other))
