"""The pods of one topology as they were seen last, brought up to date by what has changed.

Why: of ten thousand pods a few change between two looks; only those are read anew, and who looks for a worker's or a replica's pods need
not look at all of them.
Called by: world.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from levee.control.actions import StartWorker
from levee.control.names import Instant, ReplicaName, WorkerName
from levee.worlds.kubernetes import seen
from levee.worlds.kubernetes.cluster import News
from levee.worlds.kubernetes.seen import PodSeen


@dataclass(slots=True)
class Roll:
    owner_uid: str
    when: seen.When
    pods: dict[str, PodSeen] = field(default_factory=dict)  # by UID
    of_worker: dict[WorkerName, dict[str, PodSeen]] = field(default_factory=lambda: defaultdict(dict))
    of_replica: dict[ReplicaName, dict[str, PodSeen]] = field(default_factory=lambda: defaultdict(dict))
    order: tuple[PodSeen, ...] | None = None  # None: it has changed since it was asked for

    def take(self, news: Iterable[News], now: Instant) -> frozenset[WorkerName]:
        """Whose pods have changed."""
        changed: set[WorkerName] = set()
        for uid, pod in news:
            if (before := self.pods.get(uid)) is not None:
                self.drop(before)
                changed.add(before.worker.worker)
            is_mine = pod is not None and any(ref["uid"] == self.owner_uid for ref in pod["metadata"].get("ownerReferences", ()))
            found = seen.pod_seen(pod, (), self.when, now) if pod is not None and is_mine else None
            if found is not None:
                self.put(found)
                changed.add(found.worker.worker)
        if changed:
            self.order = None
        return frozenset(changed)

    def put(self, pod: PodSeen) -> None:
        self.pods[pod.uid] = self.of_worker[pod.worker.worker][pod.uid] = pod
        for replica in pod.worker.replicas:
            self.of_replica[replica][pod.uid] = pod

    def drop(self, pod: PodSeen) -> None:
        del self.pods[pod.uid], self.of_worker[pod.worker.worker][pod.uid]
        for replica in pod.worker.replicas:
            del self.of_replica[replica][pod.uid]

    def in_order(self) -> tuple[PodSeen, ...]:
        """In which they came."""
        if self.order is None:
            self.order = tuple(sorted(self.pods.values(), key=came))
        return self.order

    def newest(self, worker: WorkerName) -> PodSeen | None:
        """The last incarnation: what came before it is on its way out, and was answered."""
        return max(self.of_worker[worker].values(), key=incarnation, default=None)

    def next_incarnation(self, order: StartWorker) -> int:
        pods = self.of_replica[order.replicas[0]].values()
        return 1 + max((one.incarnation for one in pods if one.worker.replicas == order.replicas), default=0)

    def former(self, order: StartWorker) -> Iterator[PodSeen]:
        """Those whose place is taken: earlier attempts of the worker, and whoever else has one of its replicas."""
        earlier = {one.uid: one for one in self.of_worker[order.worker].values() if one.worker.attempt < order.attempt}
        others = {uid: one for replica in order.replicas for uid, one in self.of_replica[replica].items()}
        yield from (earlier | others).values()


def came(pod: PodSeen) -> tuple[Instant, int, str]:
    return pod.worker.started, pod.incarnation, pod.name


def incarnation(pod: PodSeen) -> tuple[int, int, tuple[Instant, int, str]]:
    return pod.worker.attempt, pod.incarnation, came(pod)
