"""An operator that dies at the moment of a FIT document: by SIGKILL, between two methods of its lifecycle, or when half of one is done.

Why: the documents that `levee fit` tries in virtual time are tried on a cluster by the same injector, around the real methods. Nothing in
`levee.serve` knows of it: this program puts itself between, in its own process.
Called by: operators, as a program: FILE, which has the documents.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from levee.control.actions import Decision, StartWorker
from levee.control.names import Instant
from levee.fit.augment import augmented
from levee.fit.injector import Injector
from levee.fit.load import load
from levee.fit.values import Fit
from levee.lifecycle.documents import machine
from levee.lifecycle.handlers import Handlers
from levee.lifecycle.machine import Machine
from levee.lifecycle.names import MethodName
from levee.serve import life
from levee.serve.app import Settings, serve
from levee.serve.documents import JOB, document
from levee.serve.shop import Shop
from levee.worlds.kubernetes.world import KubernetesWorld

STARTS, REMOVES = MethodName("start_replicas"), MethodName("remove_replicas")


def die(_fit: Fit, _in_ms: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def arm(injector: Injector, lifecycle: Machine) -> None:
    handlers = life.handlers

    def with_faults(resource: Any, state: str | None) -> Machine:
        found = document(resource, state)
        return lifecycle if found.name == JOB else found

    def injecting(*told: Any) -> Handlers:
        return injector.handlers(handlers(*told))

    vars(life).update(document=with_faults, handlers=injecting)
    count_births(injector.acted)
    count_ends(injector.acted)


def count_births(acted: Callable[[MethodName, int, int], None]) -> None:
    """What is decided in one go is one method's work, whoever of the two that decide it has."""
    carry_out, start = KubernetesWorld.carry_out, KubernetesWorld.start
    done = of = 0

    def carried_out(self: KubernetesWorld, decision: Decision, now: Instant) -> Decision:
        nonlocal done, of
        done, of = 0, sum(isinstance(one, StartWorker) for one in decision.actions)
        return carry_out(self, decision, now)

    def started(self: KubernetesWorld, order: StartWorker) -> None:
        nonlocal done
        start(self, order)
        done += 1
        acted(STARTS, done, of)

    KubernetesWorld.carry_out, KubernetesWorld.start = carried_out, started  # type: ignore[method-assign]  # in this process alone


def count_ends(acted: Callable[[MethodName, int, int], None]) -> None:
    remove_pods, remove_pod = Shop.remove_pods, Shop.remove_pod
    done = of = 0

    def removed_all(self: Shop, owner: Any, which: Callable[[Any], bool] = lambda _: True) -> None:
        nonlocal done, of
        done, of = 0, sum(map(which, self.cluster.pods(owner.namespace, owner.name)))
        remove_pods(self, owner, which)

    def removed(self: Shop, owner: Any, pod: Any) -> bool:
        nonlocal done
        goes = remove_pod(self, owner, pod)
        done += 1
        acted(REMOVES, done, of)
        return goes

    Shop.remove_pods, Shop.remove_pod = removed_all, removed  # type: ignore[method-assign]


def main(file: str) -> None:
    read, plain = load(Path(file).read_text(encoding="utf-8")), machine(JOB)
    assert not read.complaints, read.complaints
    arm(Injector(plain, read.fits, die, lambda: 0.0), augmented(plain, read.fits))
    serve(Settings.read())


if __name__ == "__main__":
    main(sys.argv[1])
