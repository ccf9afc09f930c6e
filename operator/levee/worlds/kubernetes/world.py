"""A topology on Kubernetes: observes pods, nodes and the control log, and does what was decided by few and repeatable calls.

Why: all I/O of a running topology is here; what should be done is decided elsewhere. Each call can be made twice: a pod is made under a
name that follows from the pods there are, and deleted only as the very one that was seen.
Called by: serve, through `worlds.world.step`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import assert_never

from levee.control import outages
from levee.control.actions import Action, EndWorker, Finish, Reason, StartWorker, WriteAnchor, WriteRecord
from levee.control.names import Instant
from levee.control.seen import NodeSeen, Observation, Outage
from levee.control.standing import uncovered
from levee.control.wanted import Wanted
from levee.topology.names import ConfigurationName, TaskId
from levee.worlds.kubernetes import names, seen
from levee.worlds.kubernetes.api import Api, Conflict
from levee.worlds.kubernetes.asking import Asker
from levee.worlds.kubernetes.cluster import Cluster
from levee.worlds.kubernetes.pods import Birth, PodTerms, pod
from levee.worlds.kubernetes.seen import PodSeen
from levee.worlds.local.book import Book, StoreSilent
from levee.worlds.measuring import Measuring
from levee_spark.log.values import ControlRecord

FORCED = 0  # seconds of grace where no kubelet is there to end anything


@dataclass(slots=True)
class KubernetesWorld:
    wanted: Wanted
    terms: PodTerms
    book: Book
    api: Api
    cluster: Cluster
    when: seen.When
    plan: int  # the number of the written plan that `wanted` follows from
    leads: Callable[[], bool] = lambda: True  # whether this controller is the one that acts
    asker: Asker = field(default_factory=Asker)
    measuring: Measuring = field(default_factory=Measuring)
    record: ControlRecord | None = None
    stop_epoch: int | None = None
    finished_tasks: frozenset[TaskId] = frozenset()
    completed: bool = False
    outages: tuple[Outage, ...] = ()
    finished: Finish | None = None
    silent: str = ""  # why the store does not answer
    known: tuple[PodSeen, ...] = ()

    # ---- observe

    def observe(self, now: Instant) -> Observation:
        self.read_log()
        self.known = self.pods_now(now)
        self.asker.refresh(self.known, now)
        workers = tuple(replace(one.worker, states=self.asker.states(one.uid)) for one in self.newest())
        found = Observation(
            tuple(self.nodes_now(now)),
            workers,
            self.record,
            self.record is not None and self.record.plan == self.plan,
            self.anchored,
            self.configuration,
            None,
            self.stop_epoch,
            self.outages,
            self.finished_tasks,
            self.completed,
        )
        rates = self.measuring.measured(self.wanted.sources, found, now)
        return replace(found, rates=rates, outages=self.followed_outages(found, now))

    @property
    def anchored(self) -> bool:
        """Before the anchor no source is active; the record that makes them active comes after it, and whoever takes over can read it."""
        ranks = dict(self.record.live.ranks) if self.record is not None and not self.record.shape.stopped else {}
        return any(replica in ranks for task in self.wanted.sources for replica in self.wanted.replicas[task])

    @property
    def configuration(self) -> ConfigurationName | None:
        name = ConfigurationName(self.record.configuration) if self.record is not None else None
        return name if name in self.wanted.active else None

    def pods_now(self, now: Instant) -> tuple[PodSeen, ...]:
        """In the order in which they came."""
        owner = self.terms.owner
        pods = self.cluster.pods(owner.namespace, names.fitted(owner.name))
        mine = [one for one in pods if any(ref["uid"] == owner.uid for ref in one["metadata"].get("ownerReferences", ()))]
        found = [known for one in mine if (known := seen.pod_seen(one, (), self.when, now))]
        return tuple(sorted(found, key=lambda one: (one.worker.started, one.incarnation, one.name)))

    def newest(self) -> list[PodSeen]:
        """Of each worker the last incarnation: what came before it is on its way out, and was answered."""
        found = {one.worker.worker: one for one in sorted(self.known, key=lambda one: (one.worker.attempt, one.incarnation))}
        return [one for one in self.known if found[one.worker.worker] is one]

    def nodes_now(self, now: Instant) -> list[NodeSeen]:
        """Those of the plan, also when they are gone altogether, and others that may take in what is left homeless."""
        there = {one["metadata"]["name"]: seen.node_seen(one, self.when, now) for one in self.cluster.nodes()}
        planned = sorted(self.wanted.capacities)
        return [there.get(name) or NodeSeen(name, False, now) for name in planned]

    def read_log(self) -> None:
        try:
            self.record = self.book.newest()
            self.completed = self.book.ordered_the_stop().startswith(Reason.COMPLETED)
            self.stop_epoch = self.book.stop_epoch() if self.record is not None else None
            self.finished_tasks = self.book.finished(self.stop_epoch)
            self.silent = ""
        except StoreSilent as silent:
            self.silent = str(silent)

    def followed_outages(self, found: Observation, now: Instant) -> tuple[Outage, ...]:
        """Before the first anchor nothing has failed yet."""
        if self.anchored:
            self.outages = outages.followed(self.outages, set(uncovered(self.wanted, found, now, self.wanted.replicas)), now)
        return self.outages

    # ---- act

    def perform(self, action: Action, now: Instant) -> None:
        """What follows a request that the store did not answer is left to the next turn."""
        if self.silent or not self.leads():
            return
        try:
            self.perform_now(action, now)
        except StoreSilent as silent:
            self.silent = str(silent)

    def perform_now(self, action: Action, now: Instant) -> None:
        match action:
            case WriteRecord(record, configuration):
                self.write(record, configuration)
            case WriteAnchor():
                self.book.write_anchor()
                self.outages = ()
            case StartWorker():
                self.start(action)
            case EndWorker(worker, attempt):
                for one in self.known:
                    if (one.worker.worker, one.worker.attempt) == (worker, attempt):
                        self.end(one)
            case Finish():
                self.finished = action
            case _:
                assert_never(action)

    def write(self, record: ControlRecord, configuration: ConfigurationName) -> None:
        mine = replace(record, writer=self.book.holder, configuration=configuration, plan=self.plan)
        if self.book.write(mine):
            self.record = mine

    def start(self, order: StartWorker) -> None:
        """Under a name that follows from the pods there are: who does the same at the same time meets this one."""
        number = 1 + max((one.incarnation for one in self.known if one.worker.replicas == order.replicas), default=0)
        cpu = sum(self.wanted.loads.get(replica, 0.0) for replica in order.replicas)
        made = pod(order, self.terms, Birth(number, self.record.number if self.record else 0, cpu))
        created = self.api.create(self.path(), made)
        if created is not None:
            self.cluster.keep_pod(created)
        for one in self.known:
            is_former = one.worker.worker == order.worker and one.worker.attempt < order.attempt
            if is_former or (not self.lives(one) and not set(order.replicas).isdisjoint(one.worker.replicas)):
                self.end(one)

    def end(self, one: PodSeen) -> None:
        """At once where its node is dead: nobody there would answer, and a zombie can do no harm."""
        if one.leaving and self.lives(one):
            return
        try:
            there = self.api.delete(self.path(one.name), uid=one.uid, grace_s=None if self.lives(one) else FORCED)
        except Conflict:
            there = False
        if not there:
            self.cluster.forget(self.terms.owner.namespace, names.fitted(self.terms.owner.name), one.uid)

    def lives(self, one: PodSeen) -> bool:
        there = next((node for node in self.cluster.nodes() if node["metadata"]["name"] == one.worker.node), None)
        return there is not None and seen.condition(there, "Ready").get("status") == "True"

    def path(self, name: str = "") -> str:
        return f"/api/v1/namespaces/{self.terms.owner.namespace}/pods" + (f"/{name}" if name else "")
