"""Delete the pod of a stream's primary on real nodes, again and again, and see how long nothing is committed.

Why: what fault tolerance is worth shows in the stream alone: with active replicas the next one commits; without, the operator starts
another pod, which goes on from a published checkpoint. What the pod alone takes to be back is measured beside them: less no restart takes.
Called by: take.
"""

import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

from benchmarks.cluster import gaps
from benchmarks.cluster.namespace import opened
from benchmarks.cluster.rows import Key, Row
from benchmarks.cluster.trades import CHECKPOINT_EVERY, PERIOD_MS, STRATEGIES, trades
from benchmarks.cluster.waiting import await_true, say
from benchmarks.cluster.watched import (
    EVEN_EPOCHS,
    LOOK_S,
    STARTS_WITHIN_S,
    WELL_WITHIN_S,
    Watched,
    labelled,
    operating,
    prepared,
    succeeds,
    watched,
)
from benchmarks.lifecycle.settings import Mode
from levee.worlds.kubernetes import api as kubernetes
from levee.worlds.kubernetes.api import Conflict, Object

BACK_WITHIN_S = 240.0
AFTER_EPOCHS = 3


def keys(mode: Mode) -> list[Key]:
    return [(strategy, mode.kills) for strategy in STRATEGIES]


def take(work: Path, strategy: str, kills: int) -> Row:
    api = kubernetes.connect(lambda *_: None)
    on = prepared(api)
    with opened(api) as namespace, labelled(namespace, on), operating(namespace, work):
        began_s = time.monotonic()
        namespace.apply(trades(strategy, namespace.name, namespace.store, on))
        trials = Trials(watched(namespace), Random(strategy))
        trials.life.await_well(STARTS_WITHIN_S)
        start_s = time.monotonic() - began_s
        found = [trials.one() for _ in range(kills)]
    return {"strategy": strategy, "replicas": STRATEGIES[strategy], "start_s": start_s, "trials": found}


@dataclass(slots=True)
class Trials:
    life: Watched
    draw: Random

    def one(self) -> Row:
        """A fault may come anywhere between two checkpoints."""
        life = self.life
        life.await_well(WELL_WITHIN_S)
        time.sleep(self.draw.uniform(0, CHECKPOINT_EVERY * PERIOD_MS / 1000))
        victim = life.primary()
        published = life.published()
        fault_ms, life.resumed_at = self.kill(victim), life.head()
        pod_s = self.await_back(victim, fault_ms)
        stamps = life.stamps()
        gap = gaps.longest(stamps, fault_ms)
        say(f"{gap.ms:.0f} ms without an epoch after {gap.after}; the pod was ready again after {pod_s:.1f} s")
        even = gaps.before(stamps, fault_ms, EVEN_EPOCHS)
        return {"gap_ms": gap.ms, "pod_s": pod_s, "undisturbed_ms": even, "replayed": max(0, gap.after - published)}

    def kill(self, victim: Object) -> float:
        """With the wall clock, which on this machine is the store's, too."""
        head, namespace = victim["metadata"], self.life.namespace
        path = namespace.pods_path(head["name"])
        while True:
            found, fault_ms = namespace.api.get(path), time.time_ns() / 1e6
            assert found is not None
            with suppress(Conflict):  # its status has moved meanwhile
                namespace.api.delete(path, uid=head["uid"], version=found["metadata"]["resourceVersion"], grace_s=0)
                return fault_ms

    def await_back(self, victim: Object, fault_ms: float) -> float:
        """Until the stream goes on and all is as it was; returned is when the pod's successor was ready, since the fault."""
        life = self.life
        await_true(lambda: any(succeeds(pod, victim) for pod in life.pods()), BACK_WITHIN_S, "the pod is ready again", look_s=LOOK_S)
        pod_s = time.time_ns() / 1e9 - fault_ms / 1000

        def goes_on() -> bool:
            return sum(one > fault_ms for one in life.stamps().values()) > AFTER_EPOCHS and life.works()

        await_true(goes_on, BACK_WITHIN_S, "the stream goes on after a fault", life.how_it_is)
        return pod_s
