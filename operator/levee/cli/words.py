"""The sentences and names that every output of a plan shares.

Why: a failure model or a status must be called the same in the table, the frontier and the drawing.
Called by: the renderers.
"""

from levee.cli.amounts import floor4, hours, number, percent
from levee.cli.report import Frontier, Overload, Report, Search, Size, Wanted
from levee.planning.result import Status

FAILURES = {
    "pessimistic": "pessimistic: every task with an inactive replica is lost",
    "node": "node: any one node is lost",
    "zone": "zone: any one zone is lost",
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


def target(wanted: Wanted) -> str:
    if wanted.completeness is not None:
        text = f"completeness {number(wanted.completeness)}"
        if wanted.penalty_cpu_s_per_window is not None:
            text += f", or {number(wanted.penalty_cpu_s_per_window)} CPU seconds per window for each whole unit that is missing"
        return text
    if wanted.fidelity is not None:
        return f"fidelity {number(wanted.fidelity)}"
    if wanted.budget is not None:
        return f"budget of {plural(wanted.budget, 'active replica')} beyond one per task"
    return "none given"


def overload(over: Overload) -> str:
    return f"{over.node} to {percent(over.load_share)} in {over.configuration}"


def certainty(search: Search) -> str:
    """How good the plan is, as far as it is proven."""
    if search.status is Status.OPTIMAL:
        return "optimal, proven"
    if search.gap is None:
        return "not claimed to be optimal" if not search.interrupted else "not proven"
    return f"within {100 * search.gap:.2g} % of the best possible"


def objective(search: Search, value: float) -> str:
    return floor4(value) if search.objective_is != "cores" else f"{value:.4g} cores"


def per_window(window_s: float) -> str:
    return f"CPU-hours per {hours(window_s)}"
