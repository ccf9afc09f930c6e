"""Delete the pod of a stream's primary on real nodes, again and again, and see how long nothing is committed.

Why: what fault tolerance is worth shows in the stream alone: with active replicas the next one commits; without, the operator starts
another pod, which goes on from a published checkpoint. What the pod alone takes to be back is measured beside them: less no restart takes.
Called by: take.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.lifecycle import gaps, nodes, operators
from benchmarks.lifecycle.namespace import BUCKET, Namespace, opened
from benchmarks.lifecycle.operators import LEADS
from benchmarks.lifecycle.rows import Key, Row
from benchmarks.lifecycle.settings import Mode
from benchmarks.lifecycle.trades import CHECKPOINT_EVERY, NAME, PERIOD_MS, STRATEGIES, TASK, trades
from benchmarks.lifecycle.waiting import Unfinished, await_true, say
from levee.control.seen import ReplicaSeen, Status
from levee.worlds.kubernetes import api as kubernetes
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.api import Api, Conflict, Object
from levee.worlds.kubernetes.pods import PORT
from levee.worlds.kubernetes.seen import condition
from levee.worlds.local.asking import replicas_in, state_of
from levee_spark.log.keys import Layout

NODES = 3
CLUSTER = Path("/run/levee-cluster.json")  # where the test cluster says what is whose (hack/cluster/marker.py)
LEADS_WITHIN_S, STARTS_WITHIN_S, WELL_WITHIN_S, BACK_WITHIN_S, PRIMARY_WITHIN_S = 120.0, 420.0, 240.0, 240.0, 30.0
LOOK_S, ANSWER_S = 0.1, 1.0
EVEN_EPOCHS = 2 * CHECKPOINT_EVERY  # between two faults: a checkpoint after the last one, and enough to see how even the stream is
AFTER_EPOCHS, BEHIND_EPOCHS = 3, 2


def keys(mode: Mode) -> list[Key]:
    return [(strategy, mode.kills) for strategy in STRATEGIES]


def take(work: Path, strategy: str, kills: int) -> Row:
    api = kubernetes.connect(lambda *_: None)
    on = prepared(api)
    with opened(api) as namespace, operating(namespace, work):
        began_s = time.monotonic()
        namespace.apply(trades(strategy, namespace.name, namespace.store, on))
        trials = Trials(namespace, *folders(namespace), Random(strategy))
        trials.await_well(STARTS_WITHIN_S)
        start_s = time.monotonic() - began_s
        found = [trials.one() for _ in range(kills)]
    return {"strategy": strategy, "replicas": STRATEGIES[strategy], "start_s": start_s, "trials": found}


def prepared(api: Api) -> list[str]:
    """The names of the nodes, which have the images of the code as it is and nothing simulated beside them."""
    on = nodes.ready(api)
    if len(on) < NODES:
        raise Unfinished(f"it needs {NODES} real nodes that are ready, and the cluster has {len(on)}: hack.cluster up --nodes {NODES}")
    nodes.simulate(0)
    nodes.put_images()
    return on[:NODES]


@contextmanager
def operating(namespace: Namespace, work: Path) -> Iterator[None]:
    operator = operators.start(namespace.name, work / "operator.log")
    try:
        operator.await_value(LEADS, 1, LEADS_WITHIN_S)
        yield
    finally:
        operator.kill()


def folders(namespace: Namespace) -> tuple[Path, Path]:
    """Of the stream's epochs and of its task's checkpoints, in the S3 server's own folder."""
    bucket = Path(json.loads(CLUSTER.read_text(encoding="utf-8"))["state"]) / "buckets" / BUCKET
    layout = Layout(f"{namespace.name}/{NAME}", namespace.topology(NAME)["metadata"]["uid"])
    store = bucket / namespace.name / "store"
    return store / layout.epochs(TASK), store / layout.checkpoints(TASK)


@dataclass(slots=True)
class Trials:
    namespace: Namespace
    epochs: Path
    checkpoints: Path
    draw: Random
    killed_at: int = 0  # the last epoch before the last fault

    def one(self) -> Row:
        """A fault may come anywhere between two checkpoints."""
        self.await_well(WELL_WITHIN_S)
        time.sleep(self.draw.uniform(0, CHECKPOINT_EVERY * PERIOD_MS / 1000))
        victim = self.primary()
        published = max(gaps.numbers(self.checkpoints), default=0)
        fault_ms, self.killed_at = self.kill(victim), self.head()
        pod_s = self.await_back(victim, fault_ms)
        stamps = gaps.stamps(self.epochs)
        gap = gaps.longest(stamps, fault_ms)
        say(f"{gap.ms:.0f} ms without an epoch after {gap.after}; the pod was ready again after {pod_s:.1f} s")
        even = gaps.before(stamps, fault_ms, EVEN_EPOCHS)
        return {"gap_ms": gap.ms, "pod_s": pod_s, "undisturbed_ms": even, "replayed": max(0, gap.after - published)}

    def kill(self, victim: Object) -> float:
        """With the wall clock, which on this machine is the store's, too."""
        head = victim["metadata"]
        path = self.namespace.pods_path(head["name"])
        while True:
            found, fault_ms = self.namespace.api.get(path), time.time_ns() / 1e6
            assert found is not None
            with suppress(Conflict):  # its status has moved meanwhile
                self.namespace.api.delete(path, uid=head["uid"], version=found["metadata"]["resourceVersion"], grace_s=0)
                return fault_ms

    def head(self) -> int:
        return max(gaps.numbers(self.epochs), default=0)

    # ---- to wait for

    def await_well(self, within_s: float) -> None:
        """All work, and have gone on for a while since the last fault."""

        def is_well() -> bool:
            return self.head() >= self.killed_at + EVEN_EPOCHS and self.works()

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

    def await_back(self, victim: Object, fault_ms: float) -> float:
        """Until the stream goes on and all is as it was; returned is when the pod's successor was ready, since the fault."""
        await_true(lambda: any(succeeds(pod, victim) for pod in self.pods()), BACK_WITHIN_S, "the pod is ready again", look_s=LOOK_S)
        pod_s = time.time_ns() / 1e9 - fault_ms / 1000

        def goes_on() -> bool:
            return sum(one > fault_ms for one in gaps.stamps(self.epochs).values()) > AFTER_EPOCHS and self.works()

        await_true(goes_on, BACK_WITHIN_S, "the stream goes on after a fault", self.how_it_is)
        return pod_s

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
