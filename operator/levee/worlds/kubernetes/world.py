"""A topology on Kubernetes: observes pods, nodes and the control log, and does what was decided by few and repeatable calls.

Why: all I/O of a running topology is here; what should be done is decided elsewhere. Each call can be made twice: a pod is made under a
name that follows from the pods there are, and deleted only as the very one that was seen, and as it was seen.
Called by: serve, through `worlds.world.step`.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, assert_never

from levee.control.actions import Action, Decision, EndWorker, Finish, StartWorker, WriteAnchor, WriteRecord
from levee.control.names import Instant, WorkerName
from levee.control.seen import NodeSeen, Observation, ReplicaSeen, WorkerSeen
from levee.control.wanted import Wanted
from levee.lifecycle.handlers import Overtaken
from levee.topology.names import ConfigurationName
from levee.worlds.kubernetes import names, seen
from levee.worlds.kubernetes.api import Api, Denied
from levee.worlds.kubernetes.asking import Asker
from levee.worlds.kubernetes.cluster import Cluster
from levee.worlds.kubernetes.ending import Doomed, end
from levee.worlds.kubernetes.executors import driver_of
from levee.worlds.kubernetes.leftovers import leftovers
from levee.worlds.kubernetes.pods import Birth, PodTerms, pod
from levee.worlds.kubernetes.roll import Roll
from levee.worlds.kubernetes.seen import PodSeen
from levee.worlds.local.book import StoreSilent
from levee.worlds.logged import LoggedWorld, LogSeen
from levee_spark.log.values import ControlRecord

MANY, AT_ONCE = 8, 8


@dataclass(frozen=True, slots=True)
class NodesNow:
    """As long as neither they nor the plan change."""

    version: int
    wanted: Wanted
    nodes: tuple[NodeSeen, ...]


@dataclass(slots=True)
class KubernetesWorld(LoggedWorld):
    terms: PodTerms
    api: Api
    cluster: Cluster
    when: seen.When
    plan: int  # the number of the written plan that `wanted` follows from
    asker: Asker = field(default_factory=Asker)
    roll: Roll = field(init=False)
    alive: NodesNow | None = None
    workers: dict[str, tuple[PodSeen, tuple[ReplicaSeen, ...], WorkerSeen]] = field(default_factory=dict)  # by UID, as they were seen last
    unended: set[str] = field(default_factory=set)  # UIDs of pods in whose place somebody came, and that are still there
    asked: set[tuple[str, bool]] = field(default_factory=set)  # UIDs of pods that were told to end, and whether their nodes lived then

    def __post_init__(self) -> None:
        self.roll = Roll(self.terms.owner.uid, self.when)

    # ---- observe

    def observe(self, now: Instant) -> Observation:
        self.read_log()
        self.look_at_pods(now)
        self.asker.refresh(self.roll.pods.values(), now)
        opened = self.record is not None and self.record.plan == self.plan
        found = self.seeing(self.nodes_now(now), self.workers_now(), LogSeen(opened, self.anchored, self.configuration))
        self.asked = {(uid, lives) for uid, lives in self.asked if uid in self.roll.pods}
        left = leftovers(self.roll, self.wanted, found, now)
        self.unended |= {one.uid for one in left if (one.uid, self.lives(one)) not in self.asked}
        return self.with_history(found, now)

    def has_begun(self) -> bool:
        return self.record is not None

    @property
    def anchored(self) -> bool:
        """Before the anchor no source is active; the record that makes them active comes after it, and whoever takes over can read it."""
        if self.record is None or self.record.shape.stopped:
            return False
        sources = {replica for task in self.wanted.sources for replica in self.wanted.replicas[task]}
        return any(replica in sources for replica, _ in self.record.live.ranks)

    @property
    def configuration(self) -> ConfigurationName | None:
        name = ConfigurationName(self.record.configuration) if self.record is not None else None
        return name if name in self.wanted.active else None

    def look_at_pods(self, now: Instant) -> frozenset[WorkerName]:
        """Whose have changed; the first time all of them."""
        owner = self.terms.owner
        return self.roll.take(self.cluster.news(owner.namespace, names.fitted(owner.name), everything=not self.roll.pods), now)

    def workers_now(self) -> tuple[WorkerSeen, ...]:
        """What has not changed is the same value as before."""
        pods = [one for one in self.roll.in_order() if len(self.roll.of_worker[one.worker.worker]) == 1 or self.is_newest(one)]
        self.workers = {one.uid: self.worker_now(one) for one in pods}
        return tuple(worker for _, _, worker in self.workers.values())

    def is_newest(self, pod: PodSeen) -> bool:
        return self.roll.newest(pod.worker.worker) is pod

    def worker_now(self, pod: PodSeen) -> tuple[PodSeen, tuple[ReplicaSeen, ...], WorkerSeen]:
        states, before = self.asker.states(pod.uid), self.workers.get(pod.uid)
        if before is not None and before[0] is pod and before[1] is states:
            return before
        return pod, states, replace(pod.worker, states=states)

    def nodes_now(self, now: Instant) -> tuple[NodeSeen, ...]:
        """Those that the plan was made for, also when they are gone. Who has joined since takes no part before the next plan."""
        version = self.cluster.nodes_version
        if self.alive is None or self.alive.version != version or self.alive.wanted is not self.wanted:
            before = {one.node: one for one in self.alive.nodes if not one.alive} if self.alive is not None else {}
            there = {name: self.cluster.node(name) for name in sorted(self.wanted.capacities)}
            nodes = [
                before.get(name, NodeSeen(name, False, now)) if one is None else seen.node_seen(one, self.when, now)
                for name, one in there.items()
            ]
            self.alive = NodesNow(version, self.wanted, tuple(nodes))
        return self.alive.nodes

    def spent(self) -> dict[str, Mapping[str, Any] | None]:
        return self.asker.spent(self.roll.pods.values())

    # ---- act

    def carry_out(self, decision: Decision, now: Instant) -> Decision:
        """As it is to be told: what could not be begun is no deed."""
        waits = self.perform_all(decision.actions, now)
        return decision.waiting(waits[0]) if waits else decision

    def perform_all(self, actions: Sequence[Action], now: Instant) -> list[str]:
        """In order, but for many workers in a row: those are started and ended several at once, and who is refused hinders no other.
        What some of them wait for."""
        self.end_the_rest()
        looked, waits = False, list[str]()
        for of_workers, group in groupby(actions, lambda one: isinstance(one, StartWorker | EndWorker)):
            row = tuple(group)
            if of_workers and not looked:
                self.look_at_log_again()
                looked = True
            if not of_workers or len(row) < MANY:
                tried = [self.tried(action, now) for action in row]
            else:
                with ThreadPoolExecutor(AT_ONCE) as pool:
                    tried = list(pool.map(lambda action: self.tried(action, now), row))
            for why in tried:
                if isinstance(why, Denied):
                    raise why
            waits += [why for why in tried if isinstance(why, str) and why]
        return waits

    def look_at_log_again(self) -> None:
        """Nothing is begun on the word of a record that is not the newest any more: whoever has slept since finds another one."""
        try:
            newest = self.book.newest()
        except StoreSilent as silent:
            self.silent = str(silent)
            return
        if newest is not None and (self.record is None or newest.number != self.record.number):
            raise Overtaken

    def tried(self, action: Action, now: Instant) -> str | Denied:
        try:
            return self.perform(action, now)
        except Denied as denied:
            return denied

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
                for one in [*self.roll.of_worker[worker].values()]:
                    if one.worker.attempt == attempt:
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
        number = self.roll.next_incarnation(order)
        cpu = sum(self.wanted.loads.get(replica, 0.0) for replica in order.replicas)
        birth = Birth(number, self.record.number if self.record else 0, cpu)
        made = pod(order, self.terms, birth, driver_of(order, self.terms, birth))
        created = self.api.create(f"/api/v1/namespaces/{self.terms.owner.namespace}/pods", made)
        if created is not None:
            self.cluster.keep_pod(created)
        for one in self.roll.former(order):
            if (one.worker.worker == order.worker and one.worker.attempt < order.attempt) or not self.lives(one):
                self.end_replaced(one)

    def end_replaced(self, one: PodSeen) -> None:
        """Its place is taken, and no rule asks for it a second time: one that has changed meanwhile is kept in mind."""
        if not self.end(one):
            self.unended.add(one.uid)

    def end_the_rest(self) -> None:
        unended, self.unended = self.unended, set()
        for uid in unended if self.leads() else ():
            if (one := self.roll.pods.get(uid)) is not None:
                self.end_replaced(one)

    def end(self, one: PodSeen) -> bool:
        owner = self.terms.owner
        doomed = Doomed(one.name, one.uid, one.resource_version, one.leaving, self.lives(one))
        done = end(self.api, self.cluster, (owner.namespace, names.fitted(owner.name)), doomed)
        if done:
            self.asked.add((one.uid, doomed.lives))
        return done

    def lives(self, one: PodSeen) -> bool:
        there = self.cluster.node(one.worker.node)
        return there is not None and seen.condition(there, "Ready").get("status") == "True"
