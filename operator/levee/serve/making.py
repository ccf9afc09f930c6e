"""From a resource to a plan: it is read and checked, its streams are mapped, and a plan for it is made and written.

Why: up to here nothing runs, and all of it can be thrown away.
Called by: deeds, for the lifecycle's methods; edits, which plans beside what is in force.
"""

from collections.abc import Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from typing import Any

from levee.control.events import Event
from levee.lifecycle.handlers import Context, GoesOn, NotYet
from levee.serve import planning, rehearsing
from levee.serve.ground import Ground, Object
from levee.serve.importing import Imports
from levee.serve.shop import Shop
from levee.topology.complaint import Complaint
from levee.topology.graph import Node
from levee.topology.spec import Resource
from levee.topology.wording import complaint_text
from levee.worlds import plans
from levee.worlds.kubernetes import eligible, embedded
from levee.worlds.plans import WrittenPlan
from levee_spark.log import probe
from levee_spark.store.blobs import Trouble
from levee_spark.store.drive import drive
from levee_spark.worker.wiring import wiring_of

QUICK_S = 0.5  # most plans are there by then


@dataclass(slots=True)
class Making:
    ground: Ground
    imports: Imports = field(init=False)
    begun: "tuple[int, Future[WrittenPlan]] | None" = None  # the plan that is being made, and for which generation

    def __post_init__(self) -> None:
        self.imports = Imports(self.ground.shop, self.ground.owner, self.ground.news.append)

    def read_spec(self, _: Context) -> str:
        ground = self.ground
        ground.read = int(ground.resource["metadata"]["generation"])
        if not ground.shop.pods(ground.owner):  # else those that are there are yet to be started anew
            ground.nonce = nonce_of(ground.resource)
        ground.trouble = refusal(ground)
        return "refused" if ground.trouble[1] else "parsed"

    def reread_spec(self, context: Context) -> str | None:
        return "refused" if self.read_spec(context) == "refused" else None

    def map_streams(self, _: Context) -> str:
        ground = self.ground
        resource = ground.read_resource()
        found = drive(self.examine(resource), ground.access.open(resource))
        if isinstance(found, probe.Refused):
            raise NotYet(f"the store cannot be used: {found.why}")
        self.imports.map(resource, wiring_of(resource, ground.owner.uid), ground.access.open(resource))
        return "mapped"

    def release_imports(self, context: Context) -> None:
        self.imports.release(self.ground.resource, context, self.ground.open_store)

    def examine(self, resource: Resource) -> Any:
        wiring = wiring_of(resource, self.ground.owner.uid)
        return probe.examine(wiring.layout, f"controller-{self.ground.shop.identity}", 1, wiring.times.period_ms)

    def make_plan(self, _: Context) -> str:
        ground = self.ground
        said = self.planned(ground.resource)
        if said == "planned" and ground.resource["spec"].get("podTemplate"):
            ground.trouble = rehearsing.refusal(ground)
        return "infeasible" if ground.trouble[1] else said

    def planned(self, resource: Object) -> str:
        ground = self.ground
        nodes = eligible.nodes(ground.shop.cluster.nodes(), resource["spec"])
        if not nodes:
            raise NotYet("no node of the cluster is ready and has the labels that spec.placement.nodeSelector names")
        try:
            ground.draft = self.result(resource, nodes)
        except planning.Infeasible as why:
            ground.trouble = ("NoPlan", str(why))
            return "infeasible"
        return "planned"

    def result(self, resource: Object, nodes: Sequence[Node]) -> WrittenPlan:
        """GoesOn, until it is there: others' plans may come first, and meanwhile this topology and all others are looked after."""
        generation = int(resource["metadata"]["generation"])
        if self.begun is None or self.begun[0] != generation:
            self.drop()
            self.begun = generation, self.ground.shop.planner.submit(resource, nodes)
        future = self.begun[1]
        wait([future], QUICK_S)
        if not future.done():
            raise GoesOn("it is being planned")
        self.begun = None
        return future.result()

    def drop(self) -> None:
        """What nobody asks for any more."""
        if self.begun is not None:
            self.begun[1].cancel()
        self.begun = None

    def write_plan(self, _: Context) -> str:
        ground = self.ground
        assert ground.draft is not None, "it was made before"
        blobs, layout = ground.access.open(ground.read_resource()).blobs, ground.wiring(ground.draft.resource).layout
        try:
            number = plans.write(blobs, layout, ground.draft)
        except Trouble as trouble:
            raise NotYet(f"the store does not answer: {trouble}") from None
        if ground.access.embedded and ground.plan is None:
            ground.news.append(Event("SinglePointOfFailure", embedded.SAYS, grave=True))
        ground.take_up(ground.draft, number)
        return "written"

    def forget_plan(self, _: Context) -> None:
        """What no control record names. Those that one names are part of the streams' history."""
        self.drop()
        self.ground.plan, self.ground.number, self.ground.draft = None, 0, None


def refusal(ground: Ground) -> tuple[str, str]:
    """Of the resource as it is; nothing where it makes sense."""
    found = planning.loaded(ground.resource)
    wrong = [*found.complaints, *(hindrances(found.resource, ground.shop) if found.resource is not None else ())]
    return ("Invalid", "; ".join(map(complaint_text, wrong))) if wrong else ("", "")


def nonce_of(resource: Object) -> int:
    return int(resource["spec"].get("restartNonce") or 0)


def hindrances(resource: Resource, shop: Shop) -> list[Complaint]:
    """What a valid resource may ask for and this operator cannot do."""
    found = []
    if resource.spec.store.uri.startswith("memory://"):
        found.append(Complaint("spec.store.uri", "lives in one process, and workers are pods of their own", "name a bucket"))
    for index, operator in enumerate(resource.spec.operators):
        if operator.executors is not None and shop.driver_account is None:
            wrong = "asks for executors, and this operator's workers may start none"
            fix = "leave it out, or have the chart installed with workers.executors.enabled"
            found.append(Complaint(f"spec.operators[{index}].executors", wrong, fix))
    return found
