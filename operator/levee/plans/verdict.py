"""Whether what was found is what was asked for; if not, why, and what can be had instead.

Why: "infeasible" is no answer; which node is too small in which configuration is, or the most that can be had.
Called by: plans.planner.
"""

from collections.abc import Iterator

from levee.planning.case import Found, Kind
from levee.planning.completeness.model import TOLERANCE
from levee.planning.problem import Plan
from levee.plans import words
from levee.plans.amounts import floor4
from levee.plans.asked import Wish
from levee.plans.ending import InternalFault
from levee.plans.measure import Yardstick
from levee.plans.report import Verdict
from levee.topology.wording import complaint_text


def check(wish: Wish, found: Found, yardstick: Yardstick, plan: Plan) -> None:
    """A complaint of the verifier is our fault; only who never promised to mind the capacity may overload a node."""
    excused: set[str] = set()
    if wish.strategy.kind is not Kind.COMPLETENESS or found.replicated is not None:
        excused = {f"configuration {over.configuration}, node {over.node}" for over in yardstick.overloads(plan)}
    if wrong := [complaint for complaint in found.complaints if complaint.where not in excused]:
        raise InternalFault("the plan does not hold what is claimed for it\n" + "\n".join(map(complaint_text, wrong)))


def judge(wish: Wish, yardstick: Yardstick, plan: Plan, known: tuple[str, ...]) -> Verdict:
    """Of a plan that was found; what is known to be wrong with it needs no second reason."""
    reasons = known or (*_cannot_run(yardstick, plan), *_missed(wish, yardstick, plan))
    return Verdict(not reasons, reasons)


def _cannot_run(yardstick: Yardstick, plan: Plan) -> Iterator[str]:
    if overloads := yardstick.overloads(plan):
        yield f"This plan cannot be run: it loads {', '.join(map(words.overload, overloads[:3]))}."


def _missed(wish: Wish, yardstick: Yardstick, plan: Plan) -> Iterator[str]:
    target = wish.target
    reached = yardstick.completeness(plan)[0]
    if target.planned is not None and target.penalty is None and reached < target.planned - TOLERANCE:
        asked = words.goal(target, target.planned)
        yield f"The plan does not reach its target: completeness is {floor4(reached)}, and {asked} was asked for."
    fidelity = yardstick.fidelity(plan)
    if target.fidelity is not None and fidelity < target.fidelity - TOLERANCE:
        yield f"The plan does not reach its target: fidelity is {floor4(fidelity)}, and {target.fidelity:g} was asked for."
    if target.budget is not None and (used := yardstick.budget_used(plan)) > target.budget:
        beyond = "active replicas beyond one per task and source task"
        yield f"The plan is beyond its target: {used} {beyond}, and {target.budget} were asked for."
