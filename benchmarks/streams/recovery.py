"""How long failed tasks take to come back, by technique: PPA's Figures 7 to 9 done again.

Why: a task is back when it has committed the epoch after the last one of those who have died; the store's stamps say when that was.
Called by: __main__ (keys), take.
"""

import random
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.streams.processes import cpu_s
from benchmarks.streams.recovery_topology import FAILED_TASK, Case, setup
from benchmarks.streams.rows import Key, Row
from benchmarks.streams.scrape import samples
from benchmarks.streams.settings import PERIOD_MS, Mode
from levee.control.names import replica_name
from levee.topology.names import TaskId
from levee.worlds.local import faults
from levee.worlds.local.faults import Fault, Kind
from levee.worlds.local.opening import running
from levee.worlds.local.run import TURN_S, LocalRun, Turn
from levee_spark.log.codec import decode
from levee_spark.log.values import EpochObject

STARTS_WITHIN_S, RECOVERS_WITHIN_S = 240, 180
CPU_FROM_EPOCH = 10  # before that the workers warm up
AFTER_EPOCHS = 2  # watched after the recovery
BEHIND_S = 2.5 * PERIOD_MS / 1000  # who is stopped for so long loses two epochs
CAUGHT_UP_EPOCHS = 6  # and has long caught up after so many
OPERATORS = ("o1", "o2", "o3", "o4")


def keys(mode: Mode) -> Iterator[Key]:
    for repetition in range(mode.recovery_repetitions):
        yield "ingestor", "single", mode.windows_s[0], mode.rates[0], 0, repetition, mode.recovery_repetitions
        for rate in mode.rates:
            for window_s in mode.windows_s:
                for failure in ("single", "all"):
                    yield "active", failure, window_s, rate, 0, repetition, mode.recovery_repetitions
                    for every_s in mode.checkpoints_s:
                        yield "checkpoint", failure, window_s, rate, every_s, repetition, mode.recovery_repetitions
                    yield "replay", failure, window_s, rate, 0, repetition, mode.recovery_repetitions


def fault_epoch(case: Case) -> int:
    """Replay: when the stream is one window old, so that this is what it replays. Else when all have published."""
    window = 1000 * case.window_s // PERIOD_MS
    if case.technique == "replay":
        return max(window, CPU_FROM_EPOCH + 2)
    return max(window, case.every_epochs if case.every_s else 0, 2 * CPU_FROM_EPOCH)


def unpublished_epochs(case: Case, repetition: int, of: int) -> int:
    """Of the task that fails in any case: tasks publish at different times, and a fault may come at any between two checkpoints."""
    return round((repetition + 0.5) / of * case.every_epochs) if case.every_s else 0


@dataclass(slots=True)
class Watch:
    """What was noted before, at and after the fault."""

    at_epoch: int  # the fault comes then at the earliest
    unpublished: int  # and when the newest checkpoint of FAILED_TASK is that old
    again_at_epoch: int = 0  # or then, since somebody else led
    fault_ns: int = 0
    dead_ns: int = 0  # nothing of what failed can commit any more
    detected_ns: int = 0
    cpu_from: tuple[int, float] | None = None  # epoch, CPU seconds of all workers
    cpu_until: tuple[int, float] | None = None
    phases: tuple[dict[str, float], ...] = ()


def take(work: Path, technique: str, failure: str, window_s: int, rate: int, every_s: int, repetition: int, of: int) -> Row:
    case = Case(technique, failure, window_s, rate, every_s)
    watch = Watch(fault_epoch(case), unpublished_epochs(case, repetition, of))
    offset_s = random.Random(f"{case} {repetition}").random() * TURN_S  # the controller looks twice a second; faults come at any time
    with running(setup(case, work)) as run:
        began_s = time.monotonic()
        for turn in run.turns():
            limit_s = RECOVERS_WITHIN_S if watch.fault_ns else STARTS_WITHIN_S + (watch.at_epoch + case.every_s) * PERIOD_MS / 1000
            assert time.monotonic() - began_s < limit_s, f"{case}: {turn.decision}, epoch {reached(run)}"
            if not watch.fault_ns and note_before(run, case, watch):
                time.sleep(offset_s)
                inflict(run, case, watch)
                began_s = time.monotonic()
            elif watch.fault_ns and note_after(run, case, watch, turn):
                break
        row = {"technique": technique, "failure": failure, "window_s": window_s, "rate": rate, "every_s": every_s}
        return {**row, "repetition": repetition, **found(run, case, watch)}


def note_before(run: LocalRun, case: Case, watch: Watch) -> bool:
    """Whether the time for the fault has come: whoever fails must lead, or nothing would have to recover."""
    epoch = reached(run)
    if epoch >= CPU_FROM_EPOCH and watch.cpu_from is None:
        watch.cpu_from = (epoch, cpu_of_workers(run))
        watch.phases = (phases(run),)
    if epoch < max(watch.at_epoch, watch.again_at_epoch) or (
        watch.unpublished and epoch - max(checkpoints(run, TaskId(FAILED_TASK)), default=0) < watch.unpublished
    ):
        return False
    if any(leader(run, task) != replica_name(task, 0) for task in failed(run, case)):
        hold_survivors_back(run, case)
        watch.again_at_epoch = reached(run) + CAUGHT_UP_EPOCHS
        return False
    watch.cpu_until = (epoch, cpu_of_workers(run))
    watch.phases = (*watch.phases, phases(run))
    return True


def hold_survivors_back(run: LocalRun, case: Case) -> None:
    """Whoever wins an epoch goes on to win; so who is to survive loses some."""
    hit = faults.aim(Fault(Kind.PAUSE_NODE, case.survivors()), run.table(), {})
    faults.pause(hit)
    time.sleep(BEHIND_S)
    faults.go_on(hit)


def inflict(run: LocalRun, case: Case, watch: Watch) -> None:
    hits = [faults.aim(Fault(Kind.KILL_NODE, node), run.table(), {}) for node in case.victims()]
    watch.fault_ns = time.time_ns()
    for hit in hits:
        faults.kill(hit)
    while any(is_alive(one.pid) for hit in hits for one in hit.workers):
        time.sleep(0.001)
    watch.dead_ns = time.time_ns()


def is_alive(pid: int) -> bool:
    """Whoever has ended, and is still to be reaped, does nothing any more."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()[0] not in {"Z", "X"}
    except FileNotFoundError:
        return False


def note_after(run: LocalRun, case: Case, watch: Watch, turn: Turn) -> bool:
    """Whether every failed task is back, and has gone on for a little."""
    dead = {node.node for node in turn.seen.nodes if not node.alive}
    if not watch.detected_ns and set(case.victims()) <= dead:
        watch.detected_ns = time.time_ns()
    ends = [committed(run, task) for task in failed(run, case)]
    return bool(watch.detected_ns) and all(sum(stamp > watch.dead_ns for stamp in end.values()) > AFTER_EPOCHS for end in ends)


def failed(run: LocalRun, case: Case) -> list[TaskId]:
    """Tasks whose primary stood on a node that fails: there, these have replica 0 active and first."""
    on = {entry.worker for entry in run.world.wanted.workers if entry.node in case.victims()}
    here = [replica for entry in run.world.wanted.workers if entry.worker in on for replica in entry.replicas]
    tasks = {TaskId(replica.rpartition("/")[0]) for replica in here}
    return sorted(task for task in tasks if not run.world.book.wiring.tasks[task].sink)


def leader(run: LocalRun, task: TaskId) -> str:
    """Who wrote its newest epoch."""
    newest = max(epochs(run, task), key=lambda file: int(file.name))
    record = decode(newest.read_bytes(), newest.name)
    assert isinstance(record, EpochObject)
    return record.manifest.writer.partition("@")[0]


def committed(run: LocalRun, task: TaskId) -> dict[int, int]:
    """Epochs of a stream and when the store had them, in nanoseconds."""
    return {int(file.name): file.stat().st_ctime_ns for file in epochs(run, task)}


def epochs(run: LocalRun, task: TaskId) -> list[Path]:
    blobs = run.world.book.driver.blobs
    folder = Path(blobs.where.removeprefix("file://")) / run.world.book.wiring.layout.epochs(task)
    return list(folder.iterdir()) if folder.is_dir() else []


def reached(run: LocalRun) -> int:
    """By all operators' tasks."""
    return min(max(committed(run, task), default=0) for task, wired in run.world.book.wiring.tasks.items() if not wired.sink)


def cpu_of_workers(run: LocalRun) -> float:
    return sum(cpu_s(worker.process.pid) for worker in run.world.workers.values() if worker.process)


def phases(run: LocalRun) -> dict[str, float]:
    """Seconds that the operators' replicas have spent so far, by phase."""
    total: dict[str, float] = {}
    for worker in run.world.workers.values():
        for (task, phase), seconds in samples(worker.directory, "levee_epoch_seconds_sum", "task", "phase").items():
            if task.startswith(OPERATORS):
                total[phase] = total.get(phase, 0.0) + seconds
    return total


def found(run: LocalRun, case: Case, watch: Watch) -> Row:
    assert watch.cpu_from is not None and watch.cpu_until is not None
    (first, cpu_first), (last, cpu_last) = watch.cpu_from, watch.cpu_until
    before, after = watch.phases
    tasks = {task: latency_ms(run, task, watch) for task in failed(run, case)}
    return {
        "nodes": len(case.nodes()),
        "tasks": tasks,
        "from_fault_ms": max(one["ms"] for one in tasks.values()),
        "late_ms": max(one["late_ms"] for one in tasks.values()),
        "detection_ms": (watch.detected_ns - watch.fault_ns) / 1e6,
        "from_detection_ms": max(one["ms"] for one in tasks.values()) - (watch.detected_ns - watch.fault_ns) / 1e6,
        "cpu_ms_per_epoch": 1000 * (cpu_last - cpu_first) / max(1, last - first),
        "phase_s_per_epoch": {name: (after[name] - before.get(name, 0.0)) / max(1, last - first) for name in after},
    }


def latency_ms(run: LocalRun, task: TaskId, watch: Watch) -> dict[str, float]:
    """Until the first epoch of whoever came after; by how much it was later than it would have been; how far the newest checkpoint was
    behind; how evenly epochs came before."""
    stamps = sorted(committed(run, task).items())
    earlier = [(epoch, at) for epoch, at in stamps if at <= watch.dead_ns]
    at_fault, last_ns = earlier[-1]
    back = next(at for epoch, at in stamps if epoch == at_fault + 1)
    published = [epoch for epoch in checkpoints(run, task) if epoch <= at_fault]
    gaps = [(after - before) / 1e6 for (_, before), (_, after) in pairwise(earlier[-CPU_FROM_EPOCH:])]
    late_ms = max(0.0, (back - last_ns) / 1e6 - PERIOD_MS)
    replayed = at_fault - max(published, default=0)
    return {"ms": (back - watch.fault_ns) / 1e6, "late_ms": late_ms, "replayed": replayed, "gap_ms": max(gaps, default=0.0)}


def checkpoints(run: LocalRun, task: TaskId) -> list[int]:
    where = run.world.book.driver.blobs.where.removeprefix("file://")
    folder = Path(where) / run.world.book.wiring.layout.checkpoints(task)
    return sorted(int(file.name) for file in folder.iterdir()) if folder.is_dir() else []
