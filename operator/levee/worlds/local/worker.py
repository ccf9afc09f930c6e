"""A worker of the local world: the incarnations of one place, one process at a time.

Why: each incarnation has a name and a folder of its own, never used twice, so nothing of a dead one is taken for a living one's.
Called by: the local world.
"""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from levee.control.actions import StartWorker
from levee.control.names import Instant
from levee.control.seen import Phase, ReplicaSeen, WorkerSeen
from levee.worlds.local import asking, processes
from levee.worlds.local.folder import Folder
from levee.worlds.local.node import LocalNode
from levee.worlds.local.processes import Process
from levee.worlds.logged import Waits

TAIL_BYTES = 4_000
SILENT_AFTER_MS = 3_000  # a busy machine misses a question now and then


@dataclass(frozen=True, slots=True)
class Program:
    """What every worker of a run is started with."""

    command: Sequence[str]  # the order's file follows
    resource: Path
    uid: str
    environment: Mapping[str, str]


@dataclass(slots=True)
class LocalWorker:
    order: StartWorker
    incarnation: str
    directory: Path
    log: Path
    popen: subprocess.Popen[bytes] | None  # None: its node was gone
    process: Process | None
    started: Instant
    since: Instant
    phase: Phase = Phase.STARTING
    port: int | None = None
    states: tuple[ReplicaSeen, ...] = field(default=())
    heard: Instant | None = None
    was_ready: bool = False

    def find_port(self) -> int | None:
        if self.port is None and self.phase is not Phase.ENDED:
            self.port = asking.port_of(self.directory)
        return self.port if self.phase is not Phase.ENDED else None

    def observe(self, state: Mapping[str, Any] | None, now: Instant) -> WorkerSeen:
        if state is not None:
            self.states, self.heard = asking.replicas_in(state), now
            self.was_ready = self.was_ready or bool(state.get("ready"))
        phase = self.phase_now(state, now)
        if phase is not self.phase:
            self.phase, self.since = phase, (self.heard or now) if phase is Phase.SILENT else now
        order, ending = self.order, self.ending() if phase is Phase.ENDED else ""
        return WorkerSeen(
            order.worker, order.node, order.replicas, order.attempt, phase, self.since, self.started, order.failures, self.states, ending
        )

    def phase_now(self, state: Mapping[str, Any] | None, now: Instant) -> Phase:
        if self.popen is None or self.popen.poll() is not None:
            return Phase.ENDED
        is_paused = state is None and self.process is not None and processes.is_paused(self.process)
        answers = state is not None or (self.phase is Phase.READY and self.was_heard(now))
        return phase_of(is_paused=is_paused, was_ready=self.was_ready, answers=answers)

    def was_heard(self, now: Instant) -> bool:
        return self.heard is not None and now - self.heard < SILENT_AFTER_MS

    def living(self) -> Process | None:
        return self.process if self.popen is not None and self.popen.poll() is None else None

    def kill(self) -> None:
        if self.process is not None:
            processes.send_family(self.process, signal.SIGKILL)

    def ending(self) -> str:
        """How it ended, for people."""
        code = self.popen.returncode if self.popen is not None else None
        how = "its node was gone" if code is None else f"by {signal.Signals(-code).name}" if code < 0 else f"with exit code {code}"
        words = self.last_words() if code not in {None, 0, -signal.SIGKILL} else ""  # whoever is killed has no last words
        return f"{how}; {self.log}: {words}" if words else how

    def last_words(self) -> str:
        """The error that ends its log, or else the last line."""
        try:
            with self.log.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES))
                lines = file.read().decode(errors="replace").strip().splitlines()
        except OSError:
            return ""
        return next(filter(None, map(error_in, reversed(lines))), what_is_wrong(lines))


def what_is_wrong(lines: Sequence[str]) -> str:
    """A complaint of ours is two lines, of which the second is the remedy."""
    with_remedy = len(lines) > 1 and lines[-1].lstrip().startswith("Fix: ")
    return " ".join(map(str.strip, lines[-2:] if with_remedy else lines[-1:]))


def error_in(line: str) -> str:
    """Of an event of the log: what was raised, without the way there."""
    try:
        told = json.loads(line)
    except ValueError:
        return ""
    error = told.get("error") if isinstance(told, dict) else None
    return str(error).strip().splitlines()[-1] if error else ""


def phase_of(*, is_paused: bool, was_ready: bool, answers: bool) -> Phase:
    """Of a process that lives. Whoever has been paused while it started goes on starting, which takes as long as it takes."""
    if is_paused:
        return Phase.PAUSED
    if not was_ready:
        return Phase.STARTING
    return Phase.READY if answers else Phase.SILENT


def start_worker(
    order: StartWorker, incarnation: str, folder: Folder, node: LocalNode, program: Program, now: Instant, *, urgent: bool
) -> LocalWorker:
    """`urgent`: the topology runs, and misses this worker's replicas."""
    directory, log = folder.incarnation(incarnation), folder.log(incarnation)
    with needing_room(directory):
        file = written(directory, order_document(order, incarnation, directory, program, urgent=urgent))
        log.parent.mkdir(exist_ok=True)
        log.touch()
    try:
        popen = node.start([*program.command, str(file)], log, program.environment)
    except OSError:  # the node went away just now
        return LocalWorker(order, incarnation, directory, log, None, None, now, now)
    return LocalWorker(order, incarnation, directory, log, popen, processes.identify(popen.pid), now, now)


@contextmanager
def needing_room(directory: Path) -> Iterator[None]:
    """The disk of the run's folder may be full, and is tried again; until then nothing stays of what was begun in vain."""
    try:
        yield
    except OSError as error:
        shutil.rmtree(directory, ignore_errors=True)
        raise Waits(f"{directory.parent}: {error.strerror or error}") from None


def written(directory: Path, order: Mapping[str, object]) -> Path:
    directory.mkdir(parents=True)
    file = directory / "order.json"
    file.write_text(json.dumps(order, indent=1))
    return file


def order_document(order: StartWorker, incarnation: str, directory: Path, program: Program, *, urgent: bool) -> dict[str, object]:
    return {
        "resource": str(program.resource),
        "uid": program.uid,
        "worker": incarnation,
        "node": order.node,
        "directory": str(directory),
        "replicas": list(order.replicas),
        "port": 0,
        "attempt": order.attempt,
        "urgent": urgent,
    }
