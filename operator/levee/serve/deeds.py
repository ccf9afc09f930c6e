"""What the lifecycle's methods do on Kubernetes, for one topology.

Why: the document says when each is called; here is only how. Each looks first, and does what is missing: whoever called it before may have
died in it.
Called by: life, through the lifecycle's runner, in threads: everything here may block.
"""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from levee.control import rules
from levee.control.actions import Decision, Reason
from levee.control.events import Event
from levee.control.making import graph_identity, wanted_of
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.control.wanted import Wanted
from levee.lifecycle.handlers import Context, NotYet, Overtaken
from levee.lifecycle.names import MethodName
from levee.plans.running import terms_of
from levee.serve import planning
from levee.serve.importing import Imports
from levee.serve.settling import Settling
from levee.serve.shop import Shop
from levee.serve.trials import Trials
from levee.topology.complaint import Complaint
from levee.topology.spec import Resource
from levee.topology.wanted import Packing
from levee.topology.wording import complaint_text
from levee.worlds import plans, reshaping
from levee.worlds.kubernetes import companions, eligible, names, trial
from levee.worlds.kubernetes.names import Owner
from levee.worlds.kubernetes.pods import PodTerms
from levee.worlds.kubernetes.world import KubernetesWorld
from levee.worlds.local import editing
from levee.worlds.local.book import Book
from levee.worlds.plans import WrittenPlan
from levee_spark.log import control, probe
from levee_spark.log.keys import Layout
from levee_spark.log.values import ControlRecord
from levee_spark.log.wiring import Wiring
from levee_spark.store.address import CannotOpen, open_store
from levee_spark.store.blobs import Blobs, Trouble
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from levee_spark.worker.wiring import wiring_of

Object: TypeAlias = Mapping[str, Any]
Deed: TypeAlias = Callable[[Context], str | None]

WAYS = reshaping.Ways(
    to_rest="put it back and set spec.suspend to true; when it is suspended, change the graph and set it to false",
    anew="put the graph back, or make a new topology",
)


@dataclass(slots=True)
class Deeds:
    shop: Shop
    owner: Owner
    resource: Object  # as it was seen last
    plan: WrittenPlan | None = None  # in force
    number: int = 0  # of the plan in force
    draft: WrittenPlan | None = None
    read: int = 0  # the generation that was read last, whatever came of it
    nonce: int = 0  # the restartNonce of the last start
    trouble: tuple[str, str] = ("", "")  # a reason and words, for the conditions
    world: KubernetesWorld | None = None
    driver: StoreDriver | None = None
    news: list[Event] = field(default_factory=list)  # what was done, and not yet told of
    abandoned: bool = False  # its namespace goes, and nobody waits for its last epoch
    settling: Settling = field(init=False)
    imports: Imports = field(init=False)
    trials: Trials = field(init=False)

    def __post_init__(self) -> None:
        self.settling = Settling(self.shop, self.owner, self.news.append)
        self.imports = Imports(self.shop, self.owner, self.news.append)
        self.trials = Trials(self.shop, self.owner, self.news.append)

    @property
    def handlers(self) -> Mapping[MethodName, Deed]:
        methods: dict[str, Deed] = {
            "read_spec": self.read_spec,
            "reread_spec": self.reread_spec,
            "map_streams": self.map_streams,
            "release_imports": self.release_imports,
            "make_plan": self.make_plan,
            "write_plan": self.write_plan,
            "forget_plan": self.forget_plan,
            "open_log": self.open_log,
            "start_replicas": self.start_replicas,
            "remove_replicas": self.remove_replicas,
            "set_the_clock": self.set_the_clock,
            "replan": self.replan,
            "change_plan": self.change_plan,
            "revert_plan": self.revert_plan,
            "pause_at_epoch": self.order_stop,
            "stop_at_epoch": self.order_stop,
            "find_the_end": self.find_the_end,
            "settle_data": self.settle_data,
        }
        return {MethodName(name): deed for name, deed in methods.items()}

    # ---- from a resource to a plan

    def read_spec(self, _: Context) -> str:
        self.read = int(self.resource["metadata"]["generation"])
        if self.plan is None:
            self.nonce = nonce_of(self.resource)
        found = planning.loaded(self.resource)
        wrong = [*found.complaints, *(hindrances(found.resource, self.shop) if found.resource is not None else ())]
        self.trouble = ("Invalid", "; ".join(map(complaint_text, wrong))) if wrong else ("", "")
        return "refused" if wrong else "parsed"

    def reread_spec(self, context: Context) -> str | None:
        return "refused" if self.read_spec(context) == "refused" else None

    def map_streams(self, _: Context) -> str:
        resource = self.read_resource()
        found = drive(self.examine(resource), self.open_store(resource))
        if isinstance(found, probe.Refused):
            raise NotYet(f"the store cannot be used: {found.why}")
        self.imports.map(resource, wiring_of(resource, self.owner.uid), self.open_store(resource))
        return "mapped"

    def release_imports(self, context: Context) -> None:
        store = self.resource["spec"]["store"]
        self.imports.release(self.resource, context, lambda: self.open_at(store["uri"], store.get("secret")))

    def examine(self, resource: Resource) -> Any:
        wiring = wiring_of(resource, self.owner.uid)
        return probe.examine(wiring.layout, f"controller-{self.shop.identity}", 1, wiring.times.period_ms)

    def make_plan(self, _: Context) -> str:
        return self.planned(self.resource)

    def planned(self, resource: Object) -> str:
        nodes = eligible.nodes(self.shop.cluster.nodes(), resource["spec"])
        if not nodes:
            raise NotYet("no node of the cluster is ready and has the labels that spec.placement.nodeSelector names")
        try:
            with self.shop.metrics.plans.time():
                self.draft = self.shop.planner.pool.submit(planning.planned, resource, nodes).result()
        except planning.Infeasible as why:
            self.trouble = ("NoPlan", str(why))
            return "infeasible"
        return "planned"

    def write_plan(self, _: Context) -> str:
        assert self.draft is not None, "it was made before"
        blobs, layout = self.open_store(self.read_resource()).blobs, self.wiring(self.draft.resource).layout
        try:
            number = plans.write(blobs, layout, self.draft)
        except Trouble as trouble:
            raise NotYet(f"the store does not answer: {trouble}") from None
        self.take_up(self.draft, number)
        return "written"

    def forget(self) -> None:
        """All that was read or made here, while another operator acts: it is read again from the store."""
        self.plan, self.number, self.draft, self.world = None, 0, None, None

    def forget_plan(self, _: Context) -> None:
        """What no control record names. Those that one names are part of the streams' history."""
        self.plan, self.number, self.draft = None, 0, None

    # ---- from a plan to replicas

    def open_log(self, _: Context) -> None:
        world, now = self.need_world(), self.shop.now()
        seen = world.observe(now)
        if seen.record is not None and seen.record.plan == self.number and not seen.record.shape.stopped:
            return
        if seen.record is not None and reshaping.is_drawn_otherwise(seen.record, world.wanted):
            self.reshape(world, seen.record)
        self.carry_out(rules.open_the_log(world.wanted, replace(seen, opened=False), now), now)
        if world.record is None or world.record.plan != self.number:
            raise Overtaken

    def reshape(self, world: KubernetesWorld, record: ControlRecord) -> None:
        """Another graph: what is added begins where all stand. Whoever has let them run on meanwhile has written a record of its own."""
        if wrong := list(reshaping.complaints(world.book, record, world.wanted, WAYS)):
            self.trouble = ("CannotChange", "; ".join(map(complaint_text, wrong)))
            raise Overtaken
        reshaping.begin(world.book, record, world.wanted)

    def start_replicas(self, context: Context) -> None:
        world, now = self.need_world(), self.shop.now()
        if context.record.state == "dispatching" and self.nonce != nonce_of(self.resource):
            self.end_earlier_starts(world)
        self.shop.ensure(companions.config_map(self.owner, world.terms.config_map, self.in_force().resource))
        self.shop.ensure(companions.budget(self.owner, len(world.wanted.workers)))
        self.carry_out(rules.start_what_is_planned(world.wanted, world.observe(now), now), now)

    def end_earlier_starts(self, world: KubernetesWorld) -> None:
        """By what they bear: who dies in this, and who goes on with it, end no pod twice."""
        self.nonce = nonce_of(self.resource)
        world.terms = self.terms(self.in_force())
        self.shop.remove_pods(self.owner, lambda pod: (pod["metadata"].get("annotations") or {}).get(names.NONCE) != str(self.nonce))

    def remove_replicas(self, _: Context) -> None:
        self.shop.remove_pods(self.owner)

    def settle_data(self, context: Context) -> None:
        self.settling.settle(self.resource, context, self.open_blobs)

    def open_blobs(self) -> Blobs:
        """Of a resource that may not be valid: the address of the store can be read all the same."""
        told = self.resource["spec"]["store"]
        return self.open_at(told["uri"], told.get("secret")).blobs

    def set_the_clock(self, _: Context) -> None:
        world, now = self.need_world(), self.shop.now()
        seen = world.observe(now)
        if not seen.anchored:
            self.carry_out(rules.set_the_clock(world.wanted, seen, now), now)

    def carry_out(self, decision: Decision | None, now: Instant) -> None:
        if decision is not None:
            self.need_world().perform_all(decision.actions, now)
        if decision is not None and decision.actions:
            self.news.append(Event(decision.reason.value, decision.text))

    # ---- while it runs

    def replan(self, context: Context) -> str:
        """The graph of streams that are there can be another one only where they have stopped; all else can at any time."""
        if self.read_spec(context) == "refused":
            return "refused"
        in_force = self.in_force()
        before, after = in_force.resource["spec"], self.resource["spec"]
        changed = [name for name in ("store", "epoch") if before.get(name) != after.get(name)]
        if changed:
            self.trouble = ("CannotChange", f"spec.{changed[0]} cannot be changed: make a new topology")
            return "refused"
        record = self.need_world().book.newest()
        if record is not None and not record.shape.stopped and self.shape_of(in_force.resource) != self.shape_of(self.resource):
            self.trouble = ("CannotChange", f"the graph is another one, and the streams run: {WAYS.to_rest}")
            return "refused"
        if self.draft is None or self.draft.generation != self.read:
            said = self.planned(self.resource)
            if said != "planned":
                return said
        return self.tried()

    def tried(self) -> str:
        """As `levee run` does it: what cannot go on with the state that is there is not taken up."""
        assert self.draft is not None, "it has just been made"
        record, wanted = self.need_world().book.newest(), self.wanted(self.draft)
        if record is not None and self.is_of_another_graph(record, wanted, self.draft):
            wrong = tuple(reshaping.complaints(self.need_world().book, record, wanted, WAYS))
            self.trouble = ("CannotChange", "; ".join(map(complaint_text, wrong)))
            if wrong:
                return "refused"
        operators = editing.edited(record, wanted)
        try:
            wrong = self.trials.complaints(self.resource, operators, self.terms(self.draft))
        except trial.Broken as broken:
            wrong = (editing.untried(str(broken)),)
            self.trouble = ("DryRunFailed", complaint_text(wrong[0]))
            raise
        self.trouble = ("DryRunFailed", "; ".join(map(complaint_text, wrong))) if wrong else ("", "")
        return "refused" if wrong else "planned"

    def is_of_another_graph(self, record: ControlRecord, wanted: Wanted, draft: WrittenPlan) -> bool:
        """By the record above all: a plan that was taken up may be in force nowhere yet."""
        return reshaping.is_drawn_otherwise(record, wanted) or self.shape_of(self.in_force().resource) != self.shape_of(draft.resource)

    def change_plan(self, context: Context) -> None:
        self.write_plan(context)
        self.open_log(context)
        self.trials.clear()

    def revert_plan(self, context: Context) -> None:
        """If the refused one is in force by now, the one before it comes again, under a number of its own."""
        world, self.draft = self.need_world(), None
        self.trials.clear()
        record, blobs, layout = world.book.newest(), world.book.driver.blobs, world.book.wiring.layout
        if record is not None and record.plan != self.number:
            self.take_up_again(record.plan)
        elif self.in_force().generation == self.read:
            good = plans.read(blobs, layout, self.number - 1)
            if good is not None and self.shape_of(good.resource) == self.shape_of(self.in_force().resource):  # streams run by the new one
                self.take_up(good, plans.write(blobs, layout, good))
                self.open_log(context)
        if record is not None and is_stopped_for_now(record):
            self.open_log(context)

    def take_up_again(self, number: int) -> None:
        """What the newest record names, where no record names what was taken up since."""
        book = self.need_world().book
        found = plans.read(book.driver.blobs, book.wiring.layout, number)
        if found is None:
            raise Overtaken
        self.take_up(found, number)

    def order_stop(self, context: Context) -> None:
        """Whoever loses the race for a number tries the next."""
        completes = context.record.state == "completing"
        reason = f"{Reason.COMPLETED}: {rules.ALL_DONE}" if completes else f"{Reason.STOPPING}: its resource says so"
        self.abandoned = self.shop.namespace_goes(self.owner.namespace)
        if self.abandoned:
            return
        world = self.need_world()
        while (record := world.book.newest()) is not None and not record.shape.stopped:
            stopped = control.successor(record, world.book.holder, shape=replace(record.shape, stopped=True))
            world.book.write(replace(stopped, reason=reason))

    def find_the_end(self, _: Context) -> str | None:
        world, now = self.need_world(), self.shop.now()
        seen = world.observe(now)
        return "ended" if rules.finish_when_stopped(world.wanted, seen, now) is not None else None

    # ---- what they need

    def take_up(self, plan: WrittenPlan, number: int) -> None:
        self.plan, self.number, self.draft = plan, number, None
        if self.world is not None:
            self.world.wanted, self.world.terms, self.world.plan = self.wanted(plan), self.terms(plan), number
            self.world.book.wiring = self.wiring(plan.resource)

    def in_force(self) -> WrittenPlan:
        self.need_world()
        assert self.plan is not None
        return self.plan

    def need_world(self) -> KubernetesWorld:
        """From what is in the store, if this process has not made the plan itself."""
        if self.world is not None:
            return self.world
        book = self.find_plan() if self.plan is None else self.book(self.plan)
        assert self.plan is not None
        shop = self.shop
        self.world = KubernetesWorld(
            self.wanted(self.plan),
            book,
            self.terms(self.plan),
            shop.api,
            shop.cluster,
            shop.when,
            self.number,
            asker=shop.asker(),
            leads=shop.leads,
        )
        return self.world

    def find_plan(self) -> Book:
        """In force, or, before any is, the newest. By the store alone: the resource may be nonsense by now."""
        store, layout = self.resource["spec"]["store"], Layout(self.owner.key, self.owner.uid)
        blobs = self.open_at(store["uri"], store.get("secret")).blobs
        number = plans.newest(blobs, layout)
        found = plans.read(blobs, layout, number)
        if found is None:
            raise Overtaken  # there is none: whoever thought so must look again
        book = self.book(found)
        record = book.newest()
        if record is not None and record.plan != number:
            number, found = record.plan, plans.read(blobs, layout, record.plan)
            if found is None:
                raise Overtaken
            book = self.book(found)
        self.plan, self.number = found, number
        return book

    def book(self, plan: WrittenPlan) -> Book:
        driver = self.open_store(self.read_resource(plan.resource))
        return Book(self.wiring(plan.resource), driver, f"controller-{self.shop.identity}")

    def observe(self, now: Instant) -> Observation | None:
        return self.world.observe(now) if self.world is not None else None

    def read_resource(self, resource: Object | None = None) -> Resource:
        found = planning.loaded(self.resource if resource is None else resource).resource
        if found is None:
            raise NotYet("the resource is not valid")
        return found

    def wiring(self, resource: Object) -> Wiring:
        return wiring_of(self.read_resource(resource), self.owner.uid)

    def wanted(self, plan: WrittenPlan) -> Wanted:
        found = planning.loaded(plan.resource)
        assert found.topology is not None
        assert found.resource is not None
        packing = found.resource.spec.placement.packing
        terms = terms_of(found.resource, None if packing is Packing.REPLICA else 1, named_by_content=True)
        return wanted_of(found.topology, wiring_of(found.resource, self.owner.uid), plan.planned, plan.nodes, terms)

    def shape_of(self, resource: Object) -> str:
        topology = planning.loaded(resource).topology
        assert topology is not None
        return graph_identity(topology)

    def terms(self, plan: WrittenPlan) -> PodTerms:
        spec = self.read_resource(plan.resource).spec
        return PodTerms(
            owner=self.owner,
            image=spec.image or self.shop.worker_image,
            config_map=companions.config_map_name(self.owner, plan.resource),
            service_account=self.shop.service_account,
            secret=spec.store.secret,
            nonce=self.nonce,
            tolerate_s=max(1, round(spec.fault_tolerance.failure_timeout)),
            template=spec.pod_template,
            drivers=frozenset(spec.executors),
            driver_account=self.shop.driver_account,
            node_selector=spec.placement.node_selector,
        )

    def open_store(self, resource: Resource) -> StoreDriver:
        return self.open_at(resource.spec.store.uri, resource.spec.store.secret)

    def open_at(self, uri: str, secret: str | None) -> StoreDriver:
        if self.driver is None:
            try:
                blobs = open_store(uri, secret=self.secret(secret))
            except CannotOpen as wrong:
                raise NotYet(f"the store cannot be used: {complaint_text(wrong.complaint)}") from None
            self.driver = StoreDriver(blobs)
        return self.driver

    def secret(self, name: str | None) -> dict[str, str]:
        """The one that the topology names; never logged, never kept."""
        if name is None:
            return {}
        found = self.shop.api.get(f"/api/v1/namespaces/{self.owner.namespace}/secrets/{name}")
        if found is None:
            raise NotYet(f"spec.store.secret names '{name}', and there is no such Secret in namespace {self.owner.namespace}")
        return {key: base64.b64decode(value).decode() for key, value in (found.get("data") or {}).items()}

    def close(self) -> None:
        if self.driver is not None:
            self.driver.close()


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


def is_stopped_for_now(record: ControlRecord) -> bool:
    """Who has asked to be resumed goes on, whatever becomes of what else was asked; what has come to its end does not."""
    return record.shape.stopped and not record.reason.startswith(Reason.COMPLETED)
