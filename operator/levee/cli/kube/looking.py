"""A topology on a cluster as it is now: its resource, its pods, what its workers say, what happened.

Why: most of it can be seen by whoever may see the resource; what cannot, for want of rights or of a way, is left out and told.
Called by: the commands of `kubectl levee` that show something.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from levee.cli.kube.happenings import happened_to
from levee.control.names import Instant, ReplicaName
from levee.control.seen import NodeSeen, Observation, Phase
from levee.topology.load import Loaded, load_bytes
from levee.topology.wording import count
from levee.worlds.kubernetes import companions, names
from levee.worlds.kubernetes.api import Denied, Object, Unreachable
from levee.worlds.kubernetes.names import Owner
from levee.worlds.kubernetes.person import Reached, states
from levee.worlds.kubernetes.pods import RESOURCE_FILE
from levee.worlds.kubernetes.seen import PodSeen, node_seen, pod_seen
from levee.worlds.local.asking import replicas_in
from levee.worlds.local.table import RunTable, TaskEntry, Told

LIVING = {"dispatching", "running", "updating", "reshaping", "reverting", "completing"}


@dataclass(frozen=True, slots=True)
class Looked:
    resource: Object
    table: RunTable
    seen: Observation
    unheard: frozenset[ReplicaName]  # whose workers could not be asked
    notes: tuple[str, ...]  # what is not shown, and why

    @property
    def status(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.resource.get("status") or {}
        return found

    @property
    def conditions(self) -> tuple[Mapping[str, Any], ...]:
        return tuple(self.status.get("conditions") or ())


def owner_of(resource: Object) -> Owner:
    metadata = resource["metadata"]
    return Owner(metadata["namespace"], metadata["name"], metadata["uid"])


def loaded(resource: Object) -> Loaded:
    """Without what people have no say in."""
    owner = owner_of(resource)
    [found] = load_bytes(companions.text(owner, resource).encode(), origin=owner.key)
    return found


def look(reached: Reached, resource: Object, now: datetime) -> Looked:
    owner, told = owner_of(resource), resource.get("status") or {}
    pods = pods_of(reached, owner)
    known = newest(seen_of(pods, instant(now)))
    heard = states(reached, [one.name for one in known if one.worker.phase is Phase.READY])
    silent = {pod: answer for pod, answer in heard.items() if isinstance(answer, Unreachable | Denied)}
    workers = tuple(replace(one.worker, states=replicas_in(found)) if (found := answer_of(heard, one)) else one.worker for one in known)
    nodes, without_nodes = nodes_of(reached, known, instant(now))
    events, without_events = events_of(reached, resource)
    running = in_force(reached, resource, pods)
    table = RunTable(
        owner.key,
        owner.uid,
        str(resource["spec"].get("store", {}).get("uri", "")),
        None,
        told.get("configuration"),
        tasks=tasks_of(running, owner.uid),
        events=events,
        ready=any(one["type"] == "Ready" and one["status"] == "True" for one in told.get("conditions") or ()),
        ended="" if known or told.get("state") in LIVING else str(told.get("state") or "submitted"),
    )
    unheard = frozenset(replica for one in known if one.name in silent for replica in one.worker.replicas)
    return Looked(
        resource,
        table,
        Observation(nodes, workers, configuration=told.get("configuration")),
        unheard,
        tuple(filter(None, (silence(silent), without_nodes, without_events))),
    )


def pods_of(reached: Reached, owner: Owner) -> list[Object]:
    """Its own, not those of a namesake before it."""
    path = f"/api/v1/namespaces/{owner.namespace}/pods"
    found = reached.api.ask("GET", path, query={"labelSelector": f"{names.TOPOLOGY}={names.fitted(owner.name)}"})
    return [one for one in found["items"] if any(ref["uid"] == owner.uid for ref in one["metadata"].get("ownerReferences") or ())]


def seen_of(pods: Sequence[Object], now: Instant) -> list[PodSeen]:
    found = [known for one in pods if (known := pod_seen(one, (), instant, now))]
    return sorted(found, key=lambda one: (one.worker.started, one.incarnation, one.name))


def newest(pods: Sequence[PodSeen]) -> list[PodSeen]:
    """Of each worker the last incarnation."""
    last = {one.worker.worker: one for one in sorted(pods, key=lambda one: (one.worker.attempt, one.incarnation))}
    return [one for one in pods if last[one.worker.worker] is one]


def answer_of(heard: Mapping[str, object], pod: PodSeen) -> Mapping[str, Any] | None:
    found = heard.get(pod.name)
    return found if isinstance(found, Mapping) else None


def nodes_of(reached: Reached, pods: Sequence[PodSeen], now: Instant) -> tuple[tuple[NodeSeen, ...], str]:
    """Those that the pods are on; all of them alive, where nodes may not be seen."""
    on = {one.worker.node for one in pods}
    try:
        listed = reached.api.ask("GET", "/api/v1/nodes")["items"]
    except Denied as denied:
        return tuple(NodeSeen(node, True, now) for node in sorted(on)), f"whether nodes are ready is not shown: {denied.message}"
    found = {known.node: known for one in listed if (known := node_seen(one, instant, now)).node in on}
    return tuple(found.get(node) or NodeSeen(node, False, now) for node in sorted(on)), ""


def events_of(reached: Reached, resource: Object) -> tuple[tuple[Told, ...], str]:
    try:
        return tuple(one.told for one in happened_to(reached, resource)), ""
    except Denied as denied:
        return (), f"events are not shown: {denied.message}"


def in_force(reached: Reached, resource: Object, pods: Sequence[Object]) -> Loaded:
    """What the newest pod runs: after an edit that was refused it is not what the resource says."""
    for pod in sorted(pods, key=lambda one: str(one["metadata"].get("creationTimestamp")), reverse=True):
        mounted = next(
            (one.get("configMap", {}).get("name") for one in pod["spec"].get("volumes") or () if one["name"] == "topology"), None
        )
        if mounted is None:
            continue
        try:
            found = reached.api.get(f"/api/v1/namespaces/{reached.namespace}/configmaps/{mounted}")
        except Denied:
            break
        if found is not None:
            [one] = load_bytes(found["data"][RESOURCE_FILE].encode(), origin=mounted)
            return one
    return loaded(resource)


def tasks_of(running: Loaded, uid: str) -> tuple[TaskEntry, ...]:
    """None, where the resource is not valid: then nothing of it runs either."""
    from levee_spark.worker.wiring import wiring_of

    if running.resource is None:
        return ()
    return tuple(TaskEntry(task, wired.inputs, wired.sink) for task, wired in wiring_of(running.resource, uid).tasks.items())


def silence(silent: Mapping[str, Unreachable | Denied]) -> str:
    """Once for all pods: mostly they are silent for the same reason."""
    if not silent:
        return ""
    wrong = next(iter(silent.values()))
    why = wrong.message if isinstance(wrong, Denied) else " ".join(str(wrong).split())[:200]
    return f"roles, epochs and rates of {count(len(silent), 'worker')} are not shown: {why.rstrip('.')}"


def instant(moment: datetime) -> Instant:
    return Instant(round(1000 * moment.timestamp()))
