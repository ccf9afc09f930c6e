"""From the flags of `levee run` to what a run is of: the topology is read, checked and planned.

Why: what runs is worked out once, from the same plan that `levee plan` shows, whoever runs it and with whichever places of its own.
Called by: cli.local.start; `levee demo`, `levee verify`.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from levee.cli.local import preflight
from levee.cli.local.runnable import check_met, check_runnable, folder_of, read
from levee.cli.local.runs import default_folder
from levee.cli.local.streams import wired
from levee.control.making import wanted_of
from levee.control.wanted import Wanted
from levee.planning.strategies import STRATEGIES
from levee.plans.asked import Asked
from levee.plans.clock import Clock
from levee.plans.ending import Refused
from levee.plans.planner import Planned, plan, prepare
from levee.plans.report import Report
from levee.plans.running import planned_of, promised_by, terms_of
from levee.topology.graph import Topology
from levee.topology.spec import Resource
from levee.topology.wanted import Packing
from levee.worlds.accounting import level_of
from levee.worlds.local.faults import Fault
from levee.worlds.local.folder import Folder
from levee.worlds.local.opening import WORKER, Setup
from levee_spark.log.wiring import Wiring


@dataclass(frozen=True, slots=True)
class Ask:
    """The flags of `levee run`."""

    file: str
    nodes: str | None = None
    directory: str | None = None
    for_s: float | None = None
    workers_per_node: int | None = None
    anyway: bool = False
    plain: bool = False
    faults: tuple[Fault, ...] = ()
    command: Sequence[str] = WORKER
    page_port: int | None = None  # 0: any that is free; None: no page is served


def setup_of(ask: Ask) -> Setup:
    return planned_setup(ask)[0]


def planned_setup(ask: Ask) -> tuple[Setup, Report]:
    """Plan, verify and place; Refused where there is nothing to run."""
    ready = planned_for(ask)
    return ready.setup(ready.data, ready.resource), ready.plan.report


def planned_for(ask: Ask, *, is_elsewhere: bool = False) -> "Ready":
    """`is_elsewhere`: the user's functions are not beside that file, so nobody can tell here whether they are there."""
    data, loaded = read(ask.file)
    topology, resource = loaded.topology, loaded.resource
    assert topology is not None
    assert resource is not None
    places = None if is_elsewhere else preflight.places_of(folder_of(ask.file))
    check_runnable(resource, preflight.complaints(resource, places))
    ready = as_run(lambda: prepare(topology, Asked(nodes=ask.nodes), STRATEGIES))
    clock = Clock()
    with clock.listening():
        found = plan(ready, clock)
    check_met(found, anyway=ask.anyway)
    return Ready(ask, data, resource, found)


@dataclass(frozen=True, slots=True)
class Ready:
    """What is asked for, and the plan that it gets."""

    ask: Ask
    data: bytes
    resource: Resource
    plan: Planned

    @property
    def topology(self) -> Topology:
        return self.plan.ready.topology

    @property
    def folder(self) -> Folder:
        return Folder(Path(self.ask.directory).absolute() if self.ask.directory else default_folder(self.topology.name))

    def setup(self, data: bytes, resource: Resource) -> Setup:
        """Of this topology under this plan; it may have other places to read from and to write to."""
        return Setup(
            topology=f"{self.topology.namespace}/{self.topology.name}",
            resource=data,
            store=resource.spec.store.uri,
            nodes=tuple(node.name for node in self.plan.ready.problem.nodes),
            wire=lambda uid: wired(resource, uid),
            want=self.wanted,
            folder=self.folder,
            environment=environment(self.ask.file),
            command=self.ask.command,
            faults=self.ask.faults,
            level=lambda wiring: level_of(wiring, resource.spec, promised_by(self.plan)),
        )

    def wanted(self, wiring: Wiring) -> Wanted:
        names = tuple(node.name for node in self.plan.ready.problem.nodes)
        terms = terms_of(self.resource, self.ask.workers_per_node or per_node(self.resource))
        return wanted_of(self.topology, wiring, planned_of(self.plan), names, terms)


T = TypeVar("T")


def as_run(do: Callable[[], T]) -> T:
    """What the planner refuses is told in the name of the command that was called."""
    try:
        return do()
    except Refused as wrong:
        raise Refused(wrong.heading.replace("levee plan:", "levee run:", 1), wrong.complaints, wrong.code) from None


def per_node(resource: Resource) -> int | None:
    """One worker a node, unless somebody has asked for more."""
    placement = resource.spec.placement
    return None if "packing" in placement.model_fields_set and placement.packing is Packing.REPLICA else 1


def environment(file: str) -> dict[str, str]:
    """Workers find the user's functions beside the topology, or else where the user is."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(preflight.places_of(folder_of(file)))}
