"""What one operator knows of one topology, and how it comes to what it needs: the plan in force, its world, its store.

Why: all deeds stand on the same ground: what one of them has made the next one finds, and what this process has not made itself is read
from the store.
Called by: deeds and their parts; life, which looks through it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from levee.control.events import Event
from levee.control.making import graph_identity, wanted_of
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.control.wanted import Wanted
from levee.lifecycle.handlers import NotYet, Overtaken
from levee.plans.running import terms_of
from levee.serve import planning
from levee.serve.access import Access
from levee.serve.shop import Shop
from levee.topology.spec import Resource
from levee.topology.wanted import Packing
from levee.worlds import plans
from levee.worlds.kubernetes import companions
from levee.worlds.kubernetes.names import Owner
from levee.worlds.kubernetes.pods import PodTerms
from levee.worlds.kubernetes.world import KubernetesWorld
from levee.worlds.local.book import Book
from levee.worlds.plans import WrittenPlan
from levee_spark.log.keys import Layout
from levee_spark.log.wiring import Wiring
from levee_spark.store.driver import StoreDriver
from levee_spark.worker.wiring import wiring_of

Object: TypeAlias = Mapping[str, Any]


@dataclass(slots=True)
class Ground:
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
    news: list[Event] = field(default_factory=list)  # what was done, and not yet told of
    abandoned: bool = False  # its namespace goes, and nobody waits for its last epoch
    access: Access = field(init=False)

    def __post_init__(self) -> None:
        self.access = Access(self.shop, self.owner)

    # ---- the plan in force

    def take_up(self, plan: WrittenPlan, number: int) -> None:
        self.plan, self.number, self.draft = plan, number, None
        if self.world is not None:
            self.world.wanted, self.world.terms, self.world.plan = self.wanted(plan), self.terms(plan), number
            self.world.book.wiring = self.wiring(plan.resource)

    def forget(self) -> None:
        """All that was read or made here, while another operator acts: it is read again from the store."""
        self.plan, self.number, self.draft, self.world = None, 0, None, None

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
            measuring=shop.measuring(self.owner.key),
        )
        return self.world

    def find_plan(self) -> Book:
        """In force, or, before any is, the newest. By the store alone: the resource may be nonsense by now."""
        store, layout = self.resource["spec"]["store"], Layout(self.owner.key, self.owner.uid)
        blobs = self.access.open_at(store["uri"], store.get("secret")).blobs
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
        driver = self.access.open(self.read_resource(plan.resource))
        return Book(self.wiring(plan.resource), driver, f"controller-{self.shop.identity}")

    def observe(self, now: Instant) -> Observation | None:
        """None: of a log that was never read nobody can say that it is empty."""
        seen = self.world.observe(now) if self.world is not None else None
        return None if seen is not None and seen.record is None and self.need_world().silent else seen

    # ---- what follows from a resource, or from a plan

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
            config_map=companions.config_map_name(self.owner, plan.author),
            service_account=self.shop.service_account,
            secret=spec.store.secret,
            nonce=self.nonce,
            tolerate_s=max(1, round(spec.fault_tolerance.failure_timeout)),
            template=spec.pod_template,
            drivers=frozenset(spec.executors),
            driver_account=self.shop.driver_account,
            node_selector=spec.placement.node_selector,
            priority_class=self.shop.priority_class,
            scraped=self.shop.scraped,
        )

    def open_store(self) -> StoreDriver:
        """Of a resource that may not be valid: the address of the store can be read all the same."""
        told = self.resource["spec"]["store"]
        return self.access.open_at(told["uri"], told.get("secret"))
