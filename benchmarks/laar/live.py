"""LAAR on this machine: real workers, each bound to the core of its node, through Low, High and Low.

Called by: run (keys), benchmarks.streams.take.
"""

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.laar.live_case import HIGH_NAME, LOW_NAME, PERIOD_MS, Case
from benchmarks.laar.live_topology import MODULE, module_of, text_of
from benchmarks.laar.pipeline import VARIANTS
from benchmarks.laar.settings import Mode
from benchmarks.planning.store import Row
from benchmarks.streams.rows import Key
from benchmarks.streams.scrape import samples
from levee.cli.local.start import Ask, setup_of
from levee.control import placing
from levee.control.names import ReplicaName, task_of
from levee.control.seen import Observation, Status
from levee.control.wanted import Wanted
from levee.topology.names import NodeName, TaskId
from levee.worlds.local.opening import Setup, running
from levee.worlds.local.run import LocalRun, Turn

COMMAND = (sys.executable, "-m", "benchmarks.laar.bound")
STARTS_WITHIN_S = 300
SAMPLE_MS = 1_000


def keys(mode: Mode) -> Iterator[Key]:
    for variant in VARIANTS:
        yield "pipeline", mode.seed, 0, variant, mode.live_stretch_s
    for index in range(mode.live):
        for variant in ("SR", "L.5"):
            yield "application", mode.seed, index, variant, mode.live_stretch_s


def take(work: Path, what: str, seed: int, index: int, variant: str, stretch_s: float) -> Row:
    case = Case(what, seed, index, variant, stretch_s)
    watch = Watch(case)
    with running(setup(case, work)) as run:
        began_s = time.monotonic()
        for turn in run.turns():
            assert watch.began_ms is not None or time.monotonic() - began_s < STARTS_WITHIN_S, turn.decision
            if watch.look(run, turn):
                break
    named: dict[str, Any] = {"index": index} if what == "application" else {}
    return {"what": what, **named, "variant": variant, **watch.row()}


def setup(case: Case, work: Path) -> Setup:
    file = work / "laar.yaml"
    file.write_text(text_of(case, work), encoding="utf-8")
    (work / f"{MODULE}.py").write_text(module_of(case.problem()), encoding="utf-8")
    made = replace(setup_of(Ask(str(file), directory=str(work / "run"), anyway=True)), command=COMMAND)
    return replace(made, want=lambda wiring: apart(made.want(wiring), made.nodes)) if case.what == "pipeline" else made


def apart(wanted: Wanted, nodes: Sequence[NodeName]) -> Wanted:
    """A worker for each replica, so that its CPU can be told from the others'."""
    homes = {replica: placed.node for placed in wanted.workers for replica in placed.replicas}
    return replace(wanted, workers=placing.packed(homes, nodes, None))


@dataclass(slots=True)
class Watch:
    """Second by second, from the first epoch on."""

    case: Case
    began_ms: int | None = None
    sampled_ms: int = 0
    cpu_s: dict[str, float] = field(default_factory=dict)
    changes: list[tuple[float, str]] = field(default_factory=list)  # of the configuration in force
    at_s: list[float] = field(default_factory=list)
    offered_per_s: list[float] = field(default_factory=list)
    delivered_per_s: list[float] = field(default_factory=list)
    cores: dict[str, list[float]] = field(default_factory=dict)

    def look(self, run: LocalRun, turn: Turn) -> bool:
        """Whether it is over."""
        if not turn.seen.anchored:
            return False
        if self.began_ms is None:
            self.began_ms = self.sampled_ms = turn.now
            self.cpu_s = cpu_of(run)
        now_s = (turn.now - self.began_ms) / 1_000
        in_force = turn.seen.configuration
        if in_force is not None and (not self.changes or self.changes[-1][1] != in_force):
            self.changes.append((now_s, in_force))
        if turn.now - self.sampled_ms >= SAMPLE_MS:
            self.sample(run, turn, now_s)
        return now_s >= 3 * self.case.stretch_s

    def sample(self, run: LocalRun, turn: Turn, now_s: float) -> None:
        seconds, cpu_s = (turn.now - self.sampled_ms) / 1_000, cpu_of(run)
        sources = set(run.world.wanted.sources)
        self.at_s.append(now_s)
        self.offered_per_s.append(rate_of(turn.seen, sources, offered=True))
        self.delivered_per_s.append(rate_of(turn.seen, set(self.case.problem().sinks)))
        for name, value in cpu_s.items():
            self.cores.setdefault(name, [0.0] * (len(self.at_s) - 1)).append((value - self.cpu_s.get(name, 0.0)) / seconds)
        self.sampled_ms, self.cpu_s = turn.now, cpu_s

    def row(self) -> Row:
        up_s, down_s = (self.change(name, turn * self.case.stretch_s) for turn, name in ((1, HIGH_NAME), (2, LOW_NAME)))
        return {
            "at_s": self.at_s,
            "offered_per_s": self.offered_per_s,
            "delivered_per_s": self.delivered_per_s,
            "cores": {name: values for name, values in self.cores.items() if len(values) == len(self.at_s)},
            "up_s": up_s,
            "down_s": down_s,
        }

    def change(self, name: str, from_s: float) -> float | None:
        """How long after the rates; replicas read the record with their next epoch."""
        at_s = next((at_s for at_s, there in self.changes if at_s >= from_s and there == name), None)
        return None if at_s is None else at_s - from_s + PERIOD_MS / 1_000


def rate_of(seen: Observation, tasks: set[TaskId], *, offered: bool = False) -> float:
    """Of each task by the replica that says most: all of them compute every row."""
    found: dict[TaskId, float] = {}
    for one in seen.states().values():
        if one.task in tasks and one.status is Status.RUNNING:
            rate = one.offered_per_s if offered and one.offered_per_s is not None else one.rows_per_s
            found[one.task] = max(rate, found.get(one.task, 0.0))
    return sum(found.values())


def cpu_of(run: LocalRun) -> dict[str, float]:
    """Of each worker with elements in it, by its only replica or else by its node."""
    found: dict[str, float] = {}
    for worker in run.world.workers.values():
        if named := name_of(worker.order.replicas, worker.order.node, run):
            found[named] = found.get(named, 0.0) + sum(samples(worker.directory, "levee_cpu_seconds_total", "process").values())
    return found


def name_of(replicas: Sequence[ReplicaName], node: NodeName, run: LocalRun) -> str | None:
    tasks = run.world.book.wiring.tasks
    elements = [one for one in replicas if not tasks[task_of(one)].is_source and not tasks[task_of(one)].sink]
    return None if not elements else str(elements[0]) if len(replicas) == 1 else str(node)
