"""Plans in the store: numbered and written once, each with the resource that it was made for.

Why: a plan may take minutes and come out another way the second time; whoever takes over must go on with the one in force. And where a
resource is edited into nonsense, the last good one is here.
Called by: serve; control records name the plan that they follow from.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from levee.control.making import Planned
from levee.control.names import ReplicaName
from levee.topology.names import ConfigurationName, NodeName, TaskId, ZoneName
from levee_spark.log.keys import Layout
from levee_spark.store.blobs import Blobs

FIRST = 1


@dataclass(frozen=True, slots=True)
class Worth:
    """What a plan promises, and at what price."""

    guarantee: float | None
    cost: float | None
    gap: float | None
    optimiser: str
    says: str  # for people


@dataclass(frozen=True, slots=True)
class WrittenPlan:
    generation: int  # of the resource
    resource: Mapping[str, Any]
    planned: Planned
    worth: Worth
    declared: Mapping[str, Any] = field(default_factory=dict)  # as its author wrote it, where the plan is for what was measured

    @property
    def author(self) -> Mapping[str, Any]:
        """The resource as somebody has written it."""
        return self.declared or self.resource

    @property
    def nodes(self) -> tuple[NodeName, ...]:
        return tuple(self.planned.capacities)


def newest(blobs: Blobs, layout: Layout) -> int:
    """0: there is none. Plans are few: they are tried one after the other, in widening steps."""
    step = low = 0
    while blobs.get(layout.plan(low + 2**step), 0, 1) is not None:
        low, step = low + 2**step, step + 1
    high = low + 2**step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if blobs.get(layout.plan(middle), 0, 1) is not None else (low, middle)
    return low


def read(blobs: Blobs, layout: Layout, number: int) -> WrittenPlan | None:
    found = blobs.get(layout.plan(number)) if number else None
    return None if found is None else decoded(json.loads(bytes(found.data)))


def write(blobs: Blobs, layout: Layout, plan: WrittenPlan) -> int:
    """Its number; the same plan is not written twice in a row."""
    last = newest(blobs, layout)
    if last and read(blobs, layout, last) == plan:
        return last
    data = json.dumps(encoded(plan), sort_keys=True, separators=(",", ":")).encode()
    while not blobs.create(layout.plan(last + 1), data):
        last += 1  # somebody else has written one
    return last + 1


def encoded(plan: WrittenPlan) -> dict[str, Any]:
    planned, worth = plan.planned, plan.worth
    return {
        "generation": plan.generation,
        "resource": plan.resource,
        "declared": plan.declared,
        "placement": {task: list(on) for task, on in planned.placement.items()},
        "active": {name: sorted(replicas) for name, replicas in planned.active.items()},
        "loads": dict(planned.loads),
        "capacities": list(map(list, planned.capacities.items())),  # their order counts: it breaks ties
        "zones": dict(planned.zones),
        "worth": {name: getattr(worth, name) for name in Worth.__slots__},
    }


def decoded(told: Mapping[str, Any]) -> WrittenPlan:
    planned = Planned(
        {TaskId(task): tuple(map(NodeName, on)) for task, on in told["placement"].items()},
        {ConfigurationName(name): frozenset(map(ReplicaName, replicas)) for name, replicas in told["active"].items()},
        {ReplicaName(name): load for name, load in told["loads"].items()},
        {NodeName(name): cores for name, cores in told["capacities"]},
        {NodeName(node): ZoneName(zone) for node, zone in told.get("zones", {}).items()},  # plans of early versions know none
    )
    return WrittenPlan(told["generation"], told["resource"], planned, Worth(**told["worth"]), told.get("declared") or {})
