"""What people are told about a plan that no longer fits, in the condition DescriptorHolds and in events.

Called by: adapting.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from levee.control.adaptation import Gain, Weighed
from levee.serve.status import Said
from levee.topology.graph import Node
from levee.topology.wording import count
from levee.worlds.plans import WrittenPlan

HOLDS = "DescriptorHolds"


def told_before(written: Mapping[str, Any]) -> Said | None:
    """By another operator: whoever comes needs minutes to find it out again."""
    for one in written.get("conditions") or ():
        if one["type"] == HOLDS:
            return Said(HOLDS, str(one["status"]), str(one["reason"]), str(one["message"]))
    return None


def as_planned() -> Said:
    return Said(HOLDS, "True", "AsPlanned", "rates, selectivity, cost and nodes are as they were planned for")


def drifted(why: str) -> Said:
    return Said(HOLDS, "False", "Drifted", why)


def not_worth_it(why: str) -> Said:
    return Said(HOLDS, "False", "NotWorthIt", f"{why}; no other plan is worth the switch")


def no_plan(why: str, refused: str) -> Said:
    return Said(HOLDS, "False", "NoBetterPlan", f"{why}; no plan for that reaches the target: {refused}")


def advised(why: str, found: Weighed, *, can_apply: bool) -> Said:
    how = "spec.adaptation.policy: apply puts it in force" if can_apply else "one whose sources end keeps its plan"
    return Said(HOLDS, "False", "PlanAdvised", f"{why}; {gains(found)}; {how}")


def adapting(why: str, found: Weighed) -> Said:
    return Said(HOLDS, "False", "Adapting", f"{why}; {gains(found)}")


def gains(found: Weighed) -> str:
    """What another plan would be, and what it takes."""
    now, then, switch = found.now, found.then, found.switch
    more = f"guarantees {then.guarantee:.3f} instead of {now.guarantee:.3f}"
    broken = f" (the one in force: {now.says})" if found.gain is Gain.KEEPS_PROMISE and now.says else ""
    moved = [(switch.began, "would become active"), (switch.ended, "idle"), (switch.moved, "would begin elsewhere")]
    takes = ", ".join(f"{count(number, 'replica')} {what}" for number, what in moved if number) or "no replica would change"
    worth = f"another plan {more}, for {then.cores:.3g} cores instead of {now.cores:.3g}"
    return f"{worth}{broken}; {takes}, {switch.core_s:.0f} core seconds to catch up"


def other_nodes(plan: WrittenPlan, nodes: Sequence[Node]) -> str:
    """In words, how they differ from those that were planned for."""
    before = dict(plan.planned.capacities)
    now = {node.name: node.capacity_cores for node in nodes}
    told = (("gone or closed", before.keys() - now.keys()), ("new", now.keys() - before.keys()))
    resized = {name for name in now.keys() & before.keys() if now[name] != before[name]}
    every = (*told, ("of another size", resized))
    return "; ".join(f"{', '.join(sorted(names))} {'is' if len(names) == 1 else 'are'} {how}" for how, names in every if names)
