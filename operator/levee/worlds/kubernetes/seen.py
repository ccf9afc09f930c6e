"""Pods and nodes as the API server has them, read as what the controller knows: workers and nodes.

Why: the controller's rules do not know Kubernetes; whatever it can say of a pod comes down to five phases.
Called by: world, at every observation.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from levee.control.names import Instant, ReplicaName, WorkerName
from levee.control.seen import NodeSeen, Phase, ReplicaSeen, WorkerSeen
from levee.topology.names import NodeName
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.pods import CONTAINER

Object: TypeAlias = Mapping[str, Any]
When: TypeAlias = Callable[[datetime], Instant]

MESSAGE_MAX = 500
NUMBERS = (names.ATTEMPT, names.INCARNATION, names.FAILURES)


@dataclass(frozen=True, slots=True)
class PodSeen:
    """One incarnation of a worker."""

    name: str
    uid: str
    resource_version: str
    address: str | None
    incarnation: int
    leaving: bool
    worker: WorkerSeen


def node_seen(node: Object, when: When, now: Instant) -> NodeSeen:
    ready = condition(node, "Ready")
    alive = ready.get("status") == "True"
    accepts = not node.get("spec", {}).get("unschedulable")
    return NodeSeen(NodeName(node["metadata"]["name"]), alive, moment(ready.get("lastTransitionTime"), when, now), accepts)


def pod_seen(pod: Object, states: tuple[ReplicaSeen, ...], when: When, now: Instant) -> PodSeen | None:
    """None: no pod of ours, whatever its labels say."""
    metadata, spec, status = pod["metadata"], pod["spec"], pod.get("status", {})
    said = metadata.get("annotations") or {}
    if not {names.WORKER, names.REPLICAS} <= said.keys() or not all(said.get(one, "").isdecimal() for one in NUMBERS):
        return None
    phase, since, ending = phase_of(pod, when, now)
    worker = WorkerSeen(
        worker=WorkerName(said[names.WORKER]),
        node=NodeName(spec.get("nodeName") or wanted_node(spec)),
        replicas=tuple(ReplicaName(one) for one in said[names.REPLICAS].split(",")),
        attempt=int(said[names.ATTEMPT]),
        phase=phase,
        since=since,
        started=moment(metadata.get("creationTimestamp"), when, now),
        failures=int(said[names.FAILURES]),
        states=states,
        ending=ending,
    )
    leaving = metadata.get("deletionTimestamp") is not None
    identity = (metadata["name"], metadata["uid"], metadata["resourceVersion"])
    return PodSeen(*identity, status.get("podIP"), int(said[names.INCARNATION]), leaving, worker)


def wanted_node(spec: Object) -> str:
    """Where it may run, as long as no scheduler has put it there."""
    required = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    name: str = required["nodeSelectorTerms"][0]["matchFields"][0]["values"][0]
    return name


def phase_of(pod: Object, when: When, now: Instant) -> tuple[Phase, Instant, str]:
    """And since when, and what there is to say about it."""
    metadata, status = pod["metadata"], pod.get("status", {})
    created = moment(metadata.get("creationTimestamp"), when, now)
    running: Object = next((one for one in status.get("containerStatuses") or () if one["name"] == CONTAINER), {})
    if status.get("phase") in {"Failed", "Succeeded"}:
        ended = running.get("state", {}).get("terminated") or {}
        return Phase.ENDED, moment(ended.get("finishedAt"), when, now), how_it_ended(status, ended)
    if metadata.get("deletionTimestamp") is not None:
        return Phase.ENDED, moment(metadata["deletionTimestamp"], when, now), "it was deleted"
    if not running.get("started"):
        return Phase.STARTING, created, why_not_started(pod, running)
    ready = condition(pod, "Ready")
    phase = Phase.READY if ready.get("status") == "True" else Phase.SILENT
    return phase, moment(ready.get("lastTransitionTime"), when, now), ""


def how_it_ended(status: Object, ended: Object) -> str:
    how = ended.get("reason") or status.get("reason") or "Ended"
    code = f" with exit code {ended['exitCode']}" if "exitCode" in ended else ""
    words = str(ended.get("message") or status.get("message") or "").strip().splitlines()
    return f"{how}{code}: {words[-1][:MESSAGE_MAX]}" if words else f"{how}{code}"


def why_not_started(pod: Object, running: Object) -> str:
    """What a person would find with kubectl describe."""
    waiting = running.get("state", {}).get("waiting") or {}
    if waiting.get("reason") not in {None, "ContainerCreating", "PodInitializing"}:
        return f"{waiting['reason']}: {str(waiting.get('message', ''))[:MESSAGE_MAX]}"
    scheduled = condition(pod, "PodScheduled")
    if scheduled.get("status") == "False":
        return f"{scheduled.get('reason', 'Unschedulable')}: {str(scheduled.get('message', ''))[:MESSAGE_MAX]}"
    return ""


def condition(thing: Object, kind: str) -> Object:
    return next((one for one in thing.get("status", {}).get("conditions") or () if one["type"] == kind), {})


def moment(stamp: str | None, when: When, now: Instant) -> Instant:
    """Of the controller's own clock; what bears no stamp is of now."""
    return now if stamp is None else min(now, when(datetime.fromisoformat(stamp)))
