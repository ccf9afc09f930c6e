"""The sentences and names that every output of a plan shares.

Why: a failure model or a status must be called the same in the table, the frontier and the drawing.
Called by: the renderers.
"""

from collections.abc import Sequence

from levee.planning.completeness.model import TOLERANCE
from levee.planning.result import Status
from levee.plans.amounts import floor4, hours, number, percent
from levee.plans.report import Failure, Frontier, Overload, Report, Search, Size, Store, Wanted
from levee.topology.graph import Target

FAILURES = {
    "pessimistic": "pessimistic: every task with an inactive replica is lost",
    "node": "node: any one node is lost",
    "zone": "zone: any one zone is lost",
}

COVERED = {
    "pessimistic": "the loss of every task that has an inactive replica",
    "node": "the loss of any one node",
    "zone": "the loss of any one zone",
}

SHORT_FAILURES = {"pessimistic": "the worst case", "node": "any one node", "zone": "any one zone"}


def full_name(report: Report | Frontier) -> str:
    return report.topology if report.namespace == "default" else f"{report.namespace}/{report.topology}"


def plural(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def size(size: Size) -> str:
    return (
        f"{plural(size.tasks, 'task')} x {plural(size.replicas, 'replica')} on {plural(size.nodes, 'node')}, "
        f"{plural(size.configurations, 'configuration')}"
    )


def failures(model: str) -> str:
    return FAILURES[model]


def goal(target: Target, completeness: float) -> str:
    """What was planned for; with a reserve that is more than what was asked for."""
    if not target.reserve:
        return f"{completeness:g}"
    return f"{completeness:.4g} ({target.completeness:g}, with a reserve of {percent(target.reserve)})"


def target(wanted: Wanted) -> str:
    if wanted.completeness is not None:
        text = f"completeness {number(wanted.completeness)}"
        if wanted.reserve:
            text += f", with a reserve of {percent(wanted.reserve)}"
        if wanted.penalty_s is not None:
            text += f", or {number(wanted.penalty_s)} CPU seconds per window for each whole unit that is missing"
        return text
    if wanted.fidelity is not None:
        return f"fidelity {number(wanted.fidelity)}"
    if wanted.budget is not None:
        return f"budget of {plural(wanted.budget, 'active replica')} beyond one per task and source task"
    return "none given"


def asks(store: Store) -> str:
    each = f"{number(store.puts_per_s)} puts and lists, {number(store.gets_per_s)} gets"
    total = number(store.puts_per_s + store.gets_per_s)
    return f"{total} requests/s ({each}): {number(store.usd_per_month)} USD a month, at the {store.at_price}"


def overload(over: Overload) -> str:
    return f"{over.node} to {percent(over.load_share)} in {over.configuration}"


def certainty(search: Search) -> str:
    """How good the plan is, as far as it is proven."""
    if search.status is Status.OPTIMAL:
        return "optimal, proven"
    if search.status is Status.INFEASIBLE:
        return "there is no plan, proven"
    if search.gap is None:
        return "not claimed to be optimal" if not search.interrupted else "not proven"
    return f"{within(search.gap)} of the best possible" if within(search.gap) else "not proven"


def within(gap: float | None) -> str:
    """Nothing where a share says nothing, since the plan is worth nearly nothing itself."""
    if gap is None or gap >= 100:
        return ""
    return f"within {100 * gap:.2g} %" if gap < 0.995 else f"within {100 * gap:.0f} %"


def objective(search: Search, value: float) -> str:
    return f"{value:.4g} {search.objective_is}" if search.objective_is.startswith("cores") else floor4(value)


def per_window(window_s: float) -> str:
    return f"CPU-hours per {hours(window_s)}"


def success(report: Report) -> str:
    """What a plan that is good enough has done."""
    wanted, guarantee = report.wanted, report.guarantee
    if not any(value is not None for value in (wanted.completeness, wanted.fidelity, wanted.budget)):
        return "No target is given: this is the most completeness there is, at the least cost."
    if wanted.budget is not None and guarantee is not None and guarantee.fidelity == guarantee.completeness == 0:
        return f"The plan keeps to its budget of {wanted.budget}, but so little guarantees nothing; --frontier shows what it takes."
    if wanted.completeness is None or wanted.penalty_s is None or guarantee is None:
        return f"The plan reaches its target: {target(wanted)}."
    missing = max(0.0, wanted.completeness - guarantee.completeness)
    if missing <= TOLERANCE:
        return f"The plan reaches completeness {number(wanted.completeness)}: that is cheaper than the penalty."
    price = number(missing * wanted.penalty_s)
    return f"The plan lacks {number(missing)} of completeness; the penalty of {price} CPU seconds per window is cheaper than more replicas."


def ranges(tasks: Sequence[str]) -> list[str]:
    """Tasks of an operator that follow each other as one: vwap/0-3 vwap/7."""
    found: list[tuple[str, int, int]] = []
    for name, index in sorted((task.rpartition("/")[0], int(task.rpartition("/")[2])) for task in tasks):
        if found and found[-1][0] == name and found[-1][2] == index - 1:
            found[-1] = (name, found[-1][1], index)
        else:
            found.append((name, index, index))
    return [f"{name}/{first}" if first == last else f"{name}/{first}-{last}" for name, first, last in found]


def failing(failure: Failure) -> str:
    return f"{' and '.join(failure.failed)} fail{'s' if len(failure.failed) == 1 else ''}"


def interrupted(report: Report) -> str:
    if report.price is None:
        return "Interrupted before any plan was found."
    return "Interrupted: this is the best plan found so far, not the end of the search."
