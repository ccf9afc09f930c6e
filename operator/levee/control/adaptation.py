"""Whether another plan is worth the switch: what is gained while it holds, against what the switch takes.

Why: measured numbers move all the time, and a plan that follows each of them is never in force. So a switch must pay within the time that
plans hold at least, by a margin; only a promise that is broken as things are is mended whatever that costs.
Called by: plans.adapting.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from levee.control.names import ReplicaName
from levee.topology.names import NodeName

MARGIN = 0.05  # of what is spent, or guaranteed, now: less is not worth a word
START_CORE_S = 30.0  # a worker's Java and its first epochs, before it does what it is for
TOLERANCE = 1e-6


class Gain(StrEnum):
    """Why one would switch."""

    KEEPS_PROMISE = "KeepsPromise"  # which the plan in force does not, as things are
    GUARANTEES_MORE = "GuaranteesMore"
    COSTS_LESS = "CostsLess"
    NOTHING = "NotWorthIt"


@dataclass(frozen=True, slots=True)
class Value:
    """What a plan is worth under what was measured, on the nodes there are."""

    guarantee: float
    cores: float  # in mean
    met: bool  # the target is reached and no node has more than it can carry
    says: str = ""  # why it is not met


@dataclass(frozen=True, slots=True)
class Homes:
    """Which replicas are active, where all of them are, and what each needs."""

    active: frozenset[ReplicaName]
    nodes: Mapping[ReplicaName, NodeName]
    loads: Mapping[ReplicaName, float]  # cores


@dataclass(frozen=True, slots=True)
class Switch:
    core_s: float  # until those that begin anew have caught up
    share: float  # of the active replicas, that cannot take over until then
    moved: int  # replicas that begin in another place
    began: int  # that become active where they are
    ended: int  # that are no longer active
    catch_up_s: float


@dataclass(frozen=True, slots=True)
class Weighed:
    gain: Gain
    now: Value
    then: Value
    switch: Switch

    @property
    def is_worth_it(self) -> bool:
        return self.gain is not Gain.NOTHING


def switching(before: Homes, after: Homes, catch_up_s: float) -> Switch:
    """Who becomes active computes what has passed since its checkpoint; who moves starts a worker first."""
    moved = {one for one, node in after.nodes.items() if one in before.nodes and before.nodes[one] != node}
    fresh = {one for one in after.active if one not in before.active or one in moved}
    core_s = sum(after.loads.get(one, 0.0) for one in fresh) * catch_up_s + START_CORE_S * len(moved)
    share = len(fresh) / len(after.active) if after.active else 0.0
    began, ended = after.active - before.active - moved, before.active - after.active
    return Switch(core_s, share, len(moved), len(began), len(ended), catch_up_s)


def weighed(now: Value, then: Value, switch: Switch, dwell_s: float, *, for_guarantee: bool) -> Weighed:
    """`for_guarantee`: what is asked for is the most of it, with a budget of replicas; else a target at the least cost."""
    return Weighed(gain(now, then, switch, dwell_s, for_guarantee=for_guarantee), now, then, switch)


def gain(now: Value, then: Value, switch: Switch, dwell_s: float, *, for_guarantee: bool) -> Gain:
    if not then.met:
        return Gain.NOTHING
    if not now.met:
        return Gain.KEEPS_PROMISE
    if for_guarantee:
        more = then.guarantee - now.guarantee
        lost = switch.share * now.guarantee * switch.catch_up_s
        return Gain.GUARANTEES_MORE if more > MARGIN * now.guarantee + TOLERANCE and more * dwell_s > lost else Gain.NOTHING
    saved = now.cores - then.cores
    return Gain.COSTS_LESS if saved > MARGIN * now.cores + TOLERANCE and saved * dwell_s > switch.core_s else Gain.NOTHING
