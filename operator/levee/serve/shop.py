"""What all topologies of one operator share: the API server, what is known of the cluster, the planner, clocks and chance.

Called by: app, which opens it; life, ground and what stands on it.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from levee import __version__
from levee.control.names import Instant
from levee.lifecycle.handlers import GoesOn
from levee.serve.metrics import Metrics
from levee.serve.planner import Planner
from levee.topology.names import NodeName, ZoneName
from levee.topology.wording import count
from levee.worlds.kubernetes import eligible, names
from levee.worlds.kubernetes.api import Api, Denied, Object
from levee.worlds.kubernetes.asking import Asker
from levee.worlds.kubernetes.cluster import Cluster
from levee.worlds.kubernetes.ending import Doomed, end
from levee.worlds.kubernetes.names import Owner
from levee.worlds.kubernetes.seen import condition
from levee.worlds.measuring import Measuring

WORKER_IMAGE = f"levee/worker:{__version__}"


@dataclass(slots=True)
class Shop:
    api: Api
    cluster: Cluster
    planner: Planner
    identity: str  # of this process
    service_account: str | None = None  # of workers
    driver_account: str | None = None  # of workers that start executors; none: nobody may
    priority_class: str | None = None  # of workers, where a topology's template names none
    scraped: bool = False  # workers, by a Prometheus that goes by annotations
    embedded_store: str | None = None  # the address of the store that the chart brings
    worker_image: str = WORKER_IMAGE  # where a topology names none
    leads: Callable[[], bool] = lambda: True
    asker: Callable[[], Asker] = Asker
    metrics: Metrics = field(default_factory=Metrics)
    measuring: Callable[[str], Measuring] = lambda _topology: Measuring()  # by what its workers say
    started: tuple[datetime, int] = field(default_factory=lambda: (datetime.now(UTC), time.monotonic_ns()))

    def now(self) -> Instant:
        """Of the controller's own clock; milliseconds since it began, after an hour's head start for what is older."""
        return Instant((time.monotonic_ns() - self.started[1]) // 1_000_000 + HEAD_START_MS)

    def when(self, stamp: datetime) -> Instant:
        return Instant(max(0, round(1000 * (stamp - self.started[0]).total_seconds()) + HEAD_START_MS))

    def wall_ms(self) -> int:
        """What is stored counts by a clock that goes on while nobody runs."""
        return round(datetime.now(UTC).timestamp() * 1000)

    def ensure(self, thing: Object) -> None:
        """There, and as it should be; of what is there already, only what differs in its spec is written."""
        kind, metadata = thing["kind"], thing["metadata"]
        path = f"{PATHS[kind]}/namespaces/{metadata['namespace']}/{kind.lower()}s"
        found = self.api.get(f"{path}/{metadata['name']}")
        if found is None:
            self.api.create(path, thing)
        elif "spec" in thing and not thing["spec"].items() <= found["spec"].items():
            self.api.patch(f"{path}/{metadata['name']}", {"metadata": {"uid": found["metadata"]["uid"]}, "spec": thing["spec"]})

    def pods(self, owner: Owner) -> tuple[Mapping[str, Any], ...]:
        """Of whom has its name, now or before."""
        return self.cluster.pods(owner.namespace, names.fitted(owner.name))

    def remove_pods(self, owner: Owner, which: Callable[[Mapping[str, Any]], bool] = lambda _: True) -> None:
        """GoesOn, until none has changed since it was seen."""
        there = [pod for pod in self.pods(owner) if is_of(pod, owner) and which(pod)]
        changed = [pod["metadata"]["name"] for pod in there if not self.remove_pod(owner, pod)]
        if changed:
            raise GoesOn(f"{', '.join(changed[:NAMED_MAX])} changed while {count(len(there), 'pod')} were to end")

    def remove_pod(self, owner: Owner, pod: Mapping[str, Any]) -> bool:
        """Whether it goes; if not, it has changed, and is to be looked at again."""
        metadata, lives = pod["metadata"], self.lives(pod["spec"].get("nodeName"))
        leaving = metadata.get("deletionTimestamp") is not None
        doomed = Doomed(metadata["name"], metadata["uid"], metadata["resourceVersion"], leaving, lives)
        return end(self.api, self.cluster, (owner.namespace, names.fitted(owner.name)), doomed)

    def zones(self) -> dict[NodeName, ZoneName]:
        return {node.name: node.zone for node in (eligible.node(one, 0.0) for one in self.cluster.nodes())}

    def lives(self, node: str | None) -> bool:
        """A pod without a node is ended by the API server alone."""
        there = self.cluster.node(node) if node is not None else None
        return node is None or (there is not None and condition(there, "Ready").get("status") == "True")

    def namespace_goes(self, name: str) -> bool:
        """Then nothing can be made in it any more, and nobody waits for an orderly end. Who may not look takes it that it stays."""
        try:
            found = self.api.get(f"/api/v1/namespaces/{name}")
        except Denied:
            return False
        return found is None or found["metadata"].get("deletionTimestamp") is not None


NAMED_MAX = 5
HEAD_START_MS = 30 * 24 * 3_600_000
PATHS = {"ConfigMap": "/api/v1", "PodDisruptionBudget": "/apis/policy/v1"}


def is_of(thing: Mapping[str, Any], owner: Owner) -> bool:
    return any(reference["uid"] == owner.uid for reference in thing["metadata"].get("ownerReferences", ()))
