"""What a topology's objects in a cluster are called, and by which labels they are found again.

Why: names are made from what was decided, so that doing it again meets the object that is there already.
Called by: pods and companions, which make objects; seen, which reads them; serve, which watches them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from levee.control.actions import StartWorker

LEVEE = "levee.dev"
TOPOLOGY = f"{LEVEE}/topology"  # labels
COMPONENT = "app.kubernetes.io/component"
WORKER = f"{LEVEE}/worker"
DRIVER, TASK, REPLICA = f"{LEVEE}/driver", f"{LEVEE}/task", f"{LEVEE}/replica"  # of executors; of their drivers, the last two
REPLICAS = f"{LEVEE}/replicas"  # annotations
ATTEMPT = f"{LEVEE}/attempt"
INCARNATION = f"{LEVEE}/incarnation"
FAILURES = f"{LEVEE}/failures"
RECORD = f"{LEVEE}/record"
NONCE = f"{LEVEE}/restart-nonce"
PAUSED = f"{LEVEE}/paused"
FINALIZER = f"{LEVEE}/stop-at-an-epoch"
ZONE, HOSTNAME = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
LABEL_MAX = 63  # also of a pod's host name
HASH_BYTES = 4
NOT_IN_NAMES = re.compile(r"[^a-z0-9-]+")


@dataclass(frozen=True, slots=True)
class Owner:
    """The resource that everything belongs to."""

    namespace: str
    name: str
    uid: str

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"


def labels(owner: Owner, component: str) -> dict[str, str]:
    return {
        "app.kubernetes.io/name": "levee",
        COMPONENT: component,
        "app.kubernetes.io/instance": fitted(owner.name),
        "app.kubernetes.io/managed-by": "levee",
        TOPOLOGY: fitted(owner.name),
    }


def labels_of(thing: Mapping[str, Any]) -> Mapping[str, str]:
    found: Mapping[str, str] = thing["metadata"].get("labels") or {}
    return found


def reference(owner: Owner, api_version: str, kind: str) -> dict[str, object]:
    """Whatever bears it goes when the owner goes."""
    return {"apiVersion": api_version, "kind": kind, "name": owner.name, "uid": owner.uid, "controller": True}


def pod_name(owner: Owner, start: StartWorker, incarnation: int) -> str:
    """`clicks-vwap-1-0-2`: the second pod for replica 0 of vwap/1, wherever the first one was."""
    who = start.replicas[0].replace("/", "-") if len(start.replicas) == 1 else start.worker
    return fitted(f"{owner.name}-{who}", f"-{incarnation}")


def fitted(text: str, ending: str = "") -> str:
    """As names may be; what is cut off is kept apart by a hash of the whole."""
    clean = NOT_IN_NAMES.sub("-", text.lower()).strip("-")
    if clean == text and len(text) + len(ending) <= LABEL_MAX:
        return text + ending
    mark = blake2b(text.encode(), digest_size=HASH_BYTES).hexdigest()
    return f"{clean[: LABEL_MAX - len(ending) - len(mark) - 1].strip('-')}-{mark}{ending}"
