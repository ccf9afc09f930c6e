"""A topology on real nodes whose stream is watched: how it is, who leads, and when it is well again.

Why: a fault must meet a topology that has got over the last one, and its effect is seen where readers see it, in the stream.
Called by: benchmarks.lifecycle.failover, benchmarks.chaos.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cluster import gaps, nodes, operators
from benchmarks.cluster.namespace import BUCKET, Namespace
from benchmarks.cluster.operators import LEADS, Operator
from benchmarks.cluster.trades import CHECKPOINT_EVERY, NAME, TASK, label
from benchmarks.cluster.waiting import Unfinished, await_true
from levee.control.seen import ReplicaSeen, Status
from levee.topology.names import TaskId
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.api import Api, Object
from levee.worlds.kubernetes.pods import PORT
from levee.worlds.kubernetes.seen import condition
from levee.worlds.local.asking import replicas_in, state_of
from levee_spark.log.keys import Layout

NODES = 3
CLUSTER = Path("/run/levee-cluster.json")  # where the test cluster says what is whose (hack/cluster/marker.py)
LEADS_WITHIN_S, STARTS_WITHIN_S, WELL_WITHIN_S, PRIMARY_WITHIN_S = 120.0, 420.0, 240.0, 30.0
LOOK_S, ANSWER_S = 0.1, 1.0
EVEN_EPOCHS = 2 * CHECKPOINT_EVERY  # between two faults: a checkpoint after the last one, and enough to see how even the stream is
BEHIND_EPOCHS = 2


def prepared(api: Api) -> list[str]:
    """The names of the nodes, which have the images of the code as it is and nothing simulated beside them."""
    on = nodes.ready(api)
    if len(on) < NODES:
        raise Unfinished(f"it needs {NODES} real nodes that are ready, and the cluster has {len(on)}: hack.cluster up --nodes {NODES}")
    nodes.simulate(0)
    nodes.put_images()
    return on[:NODES]


@contextmanager
def labelled(namespace: Namespace, on: Sequence[str]) -> Iterator[None]:
    """The ends of the graph go to the emptiest nodes: to none but these."""
    tell(namespace, on, "true")
    try:
        yield
    finally:
        tell(namespace, on, None)


def tell(namespace: Namespace, on: Sequence[str], value: str | None) -> None:
    for node in on:
        namespace.api.patch(f"/api/v1/nodes/{node}", {"metadata": {"labels": {label(namespace.name): value}}})


@contextmanager
def operating(namespace: Namespace, work: Path) -> Iterator[Operator]:
    operator = operators.start(namespace.name, work / "operator.log")
    try:
        operator.await_value(LEADS, 1, LEADS_WITHIN_S)
        yield operator
    finally:
        operator.kill()


def state() -> Path:
    """The cluster's own folder."""
    return Path(json.loads(CLUSTER.read_text(encoding="utf-8"))["state"])


def bucket() -> Path:
    return state() / "buckets" / BUCKET


def watched(namespace: Namespace) -> "Watched":
    """Once the API server has the topology."""
    layout = Layout(f"{namespace.name}/{NAME}", namespace.topology(NAME)["metadata"]["uid"])
    return Watched(namespace, bucket() / namespace.name / "store", layout)


@dataclass(slots=True)
class Watched:
    namespace: Namespace
    store: Path
    layout: Layout
    resumed_at: int = 0  # the epoch from which on it is to go on undisturbed before the next fault

    @property
    def epochs(self) -> Path:
        return self.stream(TASK)

    def stream(self, task: TaskId) -> Path:
        return self.store / self.layout.epochs(task)

    @property
    def checkpoints(self) -> Path:
        return self.store / self.layout.checkpoints(TASK)

    def head(self) -> int:
        return max(gaps.numbers(self.epochs), default=0)

    def published(self) -> int:
        return max(gaps.numbers(self.checkpoints), default=0)

    def stamps(self) -> dict[int, float]:
        return gaps.stamps(self.epochs)

    # ---- to wait for

    def await_well(self, within_s: float, even_epochs: int = EVEN_EPOCHS) -> None:
        """All work, and have gone on for a while since the last fault."""

        def is_well() -> bool:
            return self.head() >= self.resumed_at + even_epochs and self.works()

        await_true(is_well, within_s, "the topology is well", self.how_it_is, look_s=5 * LOOK_S)

    def works(self) -> bool:
        """By its pods, by its status, and by the replicas of the task itself, which have caught up."""
        pods = self.pods()
        if len(pods) != NODES or not all(map(is_ready, pods)) or not is_ready(self.namespace.topology(NAME)):
            return False
        head, said = self.head(), [one for pod in pods for one in replicas_of(pod) if one.task == TASK]
        return bool(said) and all(one.status is Status.RUNNING and one.epoch >= head - BEHIND_EPOCHS for one in said)

    def how_it_is(self) -> str:
        pods, told = self.pods(), condition(self.namespace.topology(NAME), "Ready")
        counts = f"{sum(map(is_ready, pods))} of {len(pods)} pods are ready, the stream is at epoch {self.head()}"
        return f"{counts}; {told.get('reason', 'nothing')}: {told.get('message', 'is told of it yet')}"

    def primary(self) -> Object:
        found: list[Object] = []

        def leads() -> bool:
            found[:] = [pod for pod in self.pods() if any(one.task == TASK and one.is_primary for one in replicas_of(pod))]
            return len(found) == 1

        await_true(leads, PRIMARY_WITHIN_S, f"one replica of {TASK} leads", look_s=LOOK_S)
        return found[0]

    def pods(self) -> list[Object]:
        return list(self.namespace.listed(NAME))


def replicas_of(pod: Object) -> tuple[ReplicaSeen, ...]:
    """As its worker says; nothing, where it does not answer."""
    address = pod.get("status", {}).get("podIP")
    state = state_of(PORT, address, ANSWER_S) if address else None
    return replicas_in(state or {})


def is_ready(thing: Object) -> bool:
    """A pod, or a topology."""
    return condition(thing, "Ready").get("status") == "True" and "deletionTimestamp" not in thing["metadata"]


def succeeds(pod: Object, victim: Object) -> bool:
    """It is ready, and another one with the same replicas."""
    mine, its = (one["metadata"] for one in (pod, victim))
    same = mine["annotations"][names.REPLICAS] == its["annotations"][names.REPLICAS]
    return same and mine["uid"] != its["uid"] and is_ready(pod)
