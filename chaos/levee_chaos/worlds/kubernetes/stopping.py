"""Replicas that stand still, all of the time or a share of it.

Called by: deeds.
"""

from collections.abc import Mapping
from typing import Any

from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault
from levee_chaos.worlds.kubernetes.helped import Helped, helped
from levee_chaos.worlds.kubernetes.placed import Placed
from levee_chaos.worlds.kubernetes.pods import targets_of
from levee_chaos.worlds.kubernetes.targets import Target


def pause(placed: Placed, fault: Fault, aimed: Aimed) -> Helped:
    return on_each_node(placed, fault, aimed, {"do": "stop"})


def slow(placed: Placed, fault: Fault, aimed: Aimed) -> Helped:
    return on_each_node(placed, fault, aimed, {"do": "pace", "share": fault.how["share"]})


def on_each_node(placed: Placed, fault: Fault, aimed: Aimed, order: Mapping[str, Any]) -> Helped:
    there: dict[str, list[Target]] = {}
    for one in targets_of(placed, aimed):
        there.setdefault(one.node, []).append(one)
    for_s = fault.for_ms / 1_000
    return helped(
        placed, fault, *((here[0], {**order, "pods": sorted(one.uid for one in here), "for_s": for_s}) for here in there.values())
    )
