"""One life of a topology, from its creation to its end, with an operator that is started again whenever it is dead.

Why: what a user and the world do is the same in each life, and so is what must have come of it before the next thing happens; only who
dies differs.
Called by: job.
"""

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.sweep import looks, topology
from benchmarks.sweep.bench import Bench
from benchmarks.sweep.clearing import clear
from benchmarks.sweep.gate import Gate
from benchmarks.sweep.kubelet import Kubelet
from benchmarks.sweep.points import Kind, Trial
from benchmarks.sweep.topology import BUSY, CALM, LOST, NAME, NAMESPACE
from levee.topology.crd import PLURAL
from levee.topology.spec import API_VERSION
from levee.worlds.kubernetes.api import Conflict, Object, Unreachable

LOOK_S, QUIET_S, GOLDEN_QUIET_S = 0.2, 2.5, 6.0
PATIENCE_S = 120.0  # for one phase
RATE_CALM, RATE_BUSY = 0.8 * CALM, 0.8 * BUSY
PHASES = ("create", "edit", "switch", "lose", "back", "suspend", "resume", "delete")

Snapshot = Mapping[str, Any]


class Wrong(Exception):
    """What is not as it should be; the life ends here."""


@dataclass(slots=True)
class Life:
    """`golden`: how each phase of an undisturbed life ended; without, this is one."""

    bench: Bench
    place: Path
    gate: Gate
    golden: Mapping[str, Snapshot] | None
    kubelet: Kubelet = field(init=False)
    snapshots: dict[str, Snapshot] = field(default_factory=dict)
    took_s: dict[str, float] = field(default_factory=dict)  # by phase
    starts: int = 0  # of the operator
    evidence: Mapping[str, Any] = field(default_factory=dict)  # how things were when it went wrong
    outputs: list[str] = field(default_factory=list)  # what is wrong with them

    @classmethod
    def of(cls, bench: Bench, trial: Trial | None, golden: Mapping[str, Snapshot] | None) -> "Life":
        gate = bench.arm(trial)
        place = bench.folder / f"life-{bench.lives}"
        (place / "logs").mkdir(parents=True)
        (place / "store").mkdir()
        return cls(bench, place, gate, golden)

    def __post_init__(self) -> None:
        bench = self.bench
        host = f"127.{100 + bench.number}.{bench.lives % 250}"  # of another life nobody answers any more
        self.kubelet = Kubelet(bench.server.api(), NAMESPACE, bench.nursery, self.place, bench.socket, host)

    def run(self) -> None:
        """Wrong, as soon as something is."""
        self.set_rate(RATE_CALM)
        clear(self.api)
        self.kubelet.begin()
        try:
            for phase in PHASES:
                self.pass_through(phase)
            self.gate.phase = "end"
        except Wrong:
            self.evidence = self.kubelet.evidence() | {"resource": self.api.get(self.path(NAME))}
            raise
        finally:
            self.end()

    @property
    def api(self) -> Any:
        return self.kubelet.api

    # ---- phases

    def pass_through(self, phase: str) -> None:
        self.gate.phase, began_s = phase, time.monotonic()
        getattr(self, phase)()
        self.await_end(phase)
        self.took_s[phase] = round(time.monotonic() - began_s, 1)
        if phase == "suspend":
            self.outputs += looks.streams(self.place, NAMESPACE, self.uid())

    def create(self) -> None:
        self.start_operator()
        self.api.create(self.path(), topology.resource(self.place, NAMESPACE))

    def edit(self) -> None:
        self.apply(twice=True)

    def switch(self) -> None:
        self.set_rate(RATE_BUSY)

    def lose(self) -> None:
        self.kubelet.lose(LOST)

    def back(self) -> None:
        self.kubelet.bring_back(LOST)

    def suspend(self) -> None:
        self.apply(twice=True, suspend=True)

    def resume(self) -> None:
        self.apply(twice=True, suspend=False)

    def delete(self) -> None:
        self.api.ask("DELETE", self.path(NAME), {"apiVersion": "v1", "kind": "DeleteOptions"})

    def apply(self, *, twice: bool, suspend: bool = False) -> None:
        """As a user does it: the whole spec, whatever is in the resource besides."""
        wanted = topology.resource(self.place, NAMESPACE, twice=twice)["spec"] | {"suspend": suspend}
        while True:
            found = self.api.ask("GET", self.path(NAME))
            with suppress(Conflict):
                self.api.replace(self.path(NAME), {**found, "spec": wanted})
                return

    def set_rate(self, rate: float) -> None:
        """Whole or not at all: it is read while it is written."""
        fresh = self.place / "rate.new"
        fresh.write_text(f"{rate}", encoding="ascii")
        fresh.rename(self.place / "rate")

    # ---- to wait

    def await_end(self, phase: str) -> None:
        """Until it is as in the undisturbed life; where somebody is to die in it, also until nothing is written any more."""
        lasts_s = self.lasts_s(phase)
        until_s, quiet_s, writes = time.monotonic() + PATIENCE_S, time.monotonic(), -1
        while True:
            self.supervise()
            now_s, seen = time.monotonic(), self.look()
            if self.own_writes() != writes or not self.is_as_wanted(phase, seen):
                quiet_s, writes = now_s, self.own_writes()
            if self.is_as_wanted(phase, seen) and now_s - quiet_s >= lasts_s:
                self.snapshots[phase] = seen
                return
            if now_s > until_s:
                raise Wrong(f"{phase}: {looks.difference((self.golden or {}).get(phase), seen)}")
            time.sleep(LOOK_S)

    def lasts_s(self, phase: str) -> float:
        """How long nothing may be written before it is over."""
        if self.golden is None:
            return GOLDEN_QUIET_S
        return QUIET_S if self.gate.trial is not None and self.gate.trial.point.phase == phase else 0.0

    def own_writes(self) -> int:
        """Workers write as long as they live."""
        counts = self.gate.counts
        return sum(count for (kind, _), count in list(counts.items()) if kind is not Kind.WORKER)

    def is_as_wanted(self, phase: str, seen: Snapshot) -> bool:
        if self.golden is not None:
            return looks.agree(self.golden[phase], seen, by_name=not self.kills_workers)
        return looks.has_ended(phase, seen)

    @property
    def kills_workers(self) -> bool:
        return self.gate.trial is not None and self.gate.trial.point.kind is Kind.WORKER

    def look(self) -> Snapshot:
        with suppress(Unreachable):
            return looks.snapshot(self.api, NAMESPACE, self.place)
        return {}

    # ---- the operator

    def supervise(self) -> None:
        """Started again as a kubelet does it, but at once."""
        if self.kubelet.mistakes:
            raise Wrong(self.kubelet.mistakes[0])
        if self.bench.nursery.lives(self.bench.operator):
            return
        if self.bench.operator not in self.gate.killed:
            raise Wrong(f"the operator has ended by itself: {looks.last_lines(self.place / 'logs' / 'operator.log')}")
        self.start_operator()

    def start_operator(self) -> None:
        self.starts += 1
        environment = {"LEVEE_NAMESPACE": NAMESPACE, "LEVEE_POD": "operator-0", "LEVEE_WATCH_NAMESPACES": NAMESPACE}
        told = {"environment": environment, "gate": str(self.bench.socket)}
        self.bench.operator = self.bench.nursery.start("operator", told, self.place / "logs" / "operator.log")

    # ---- the end

    def end(self) -> None:
        self.bench.nursery.kill(self.bench.operator)
        self.kubelet.end()

    def uid(self) -> str:
        found: Object = self.api.ask("GET", self.path(NAME))
        return str(found["metadata"]["uid"])

    def path(self, name: str = "") -> str:
        return f"/apis/{API_VERSION}/namespaces/{NAMESPACE}/{PLURAL}" + (f"/{name}" if name else "")
