"""The pods of a topology as they come and go, without a gap: who only looks now and then misses the one that was there in between.

Called by: tests of this folder, which count births by it.
"""

import json
import subprocess
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.cluster.kube import Kube, condition

TOPOLOGY = "levee.dev/topology"
REPLICAS = "levee.dev/replicas"
COMPONENT = "app.kubernetes.io/component"


@dataclass
class Pod:
    name: str
    uid: str
    node: str
    replicas: tuple[str, ...]
    ready: bool = False
    leaving: bool = False  # asked to go, or ended by itself
    gone: bool = False
    beside: frozenset[str] = frozenset()  # names of those that were ready when it began to leave
    told: Any = field(default=None, repr=False)  # all of it, as the API server has told it last


@dataclass
class PodWatch:
    by_uid: dict[str, Pod] = field(default_factory=dict)  # workers', in the order of their births
    trials: dict[str, bool] = field(default_factory=dict)  # pods that try an edited function, and whether they are there
    lock: threading.Lock = field(default_factory=threading.Lock)

    def born(self, since: int = 0) -> list[Pod]:
        with self.lock:
            return list(self.by_uid.values())[since:]

    def there(self) -> list[Pod]:
        return [one for one in self.born() if not one.gone]

    def heard(self, event: dict[str, Any]) -> None:
        thing = event["object"]
        if thing["metadata"]["labels"].get(COMPONENT) == "trial":
            self.trials[thing["metadata"]["name"]] = event["type"] != "DELETED"
            return
        with self.lock:
            pod = self.by_uid.setdefault(thing["metadata"]["uid"], read(thing))
            pod.ready = condition(thing, "Ready")
            pod.gone = event["type"] == "DELETED"
            pod.told = thing
            ended = thing["status"].get("phase") in {"Failed", "Succeeded"}
            if not pod.leaving and (pod.gone or ended or "deletionTimestamp" in thing["metadata"]):
                pod.leaving = True
                pod.beside = frozenset(one.name for one in self.by_uid.values() if one is not pod and one.ready and not one.leaving)


def read(thing: Any) -> Pod:
    terms = thing["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    node = terms[0]["matchFields"][0]["values"][0]
    return Pod(thing["metadata"]["name"], thing["metadata"]["uid"], node, tuple(thing["metadata"]["annotations"][REPLICAS].split(",")))


def replicas_of(pods: Iterable[Pod]) -> list[str]:
    """In order, and as often as they are there: equal lists mean that nothing is missing and nothing twice."""
    return sorted(replica for pod in pods for replica in pod.replicas)


@contextmanager
def watching(kube: Kube, topology: str) -> Iterator[PodWatch]:
    watch = PodWatch()
    words = ["get", "pods", f"--selector={TOPOLOGY}={topology}", "--watch", "--output-watch-events", "--output=json"]
    with subprocess.Popen(kube.command(*words), stdout=subprocess.PIPE, text=True) as process:
        reader = threading.Thread(target=follow, args=(process, watch))
        reader.start()
        try:
            yield watch
        finally:
            process.terminate()
            reader.join()


def follow(process: "subprocess.Popen[str]", watch: PodWatch) -> None:
    """One event a line."""
    assert process.stdout is not None
    for line in process.stdout:
        watch.heard(json.loads(line))
