"""Faults of what runs a topology here: `levee run` itself, which is its operator.

Why: it dies as a process dies, its nodes' keepers end what it has left, and `levee run` goes on where it was: as an operator is started
again by its Deployment. It has no API server to be cut off from; who stands still reaches nobody either.
Called by: deeds.
"""

import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from levee.topology.complaint import Complaint
from levee.worlds.local import processes
from levee.worlds.local.processes import PROC, Process
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault
from levee_chaos.journal import Undo
from levee_chaos.refusals import NotUndone
from levee_chaos.worlds.local.going_on import going_on
from levee_chaos.worlds.local.run import Run, is_running
from levee_chaos.worlds.local.signals import EFFECT_S

RESUME = "resume"


@dataclass(frozen=True, slots=True)
class Controller:
    kind: str
    process: Process
    undo: Undo
    number: signal.Signals
    share: float = 0.0
    patience_s: float = EFFECT_S

    @property
    def name(self) -> str:
        return f"{self.kind} {self.process.pid}@{self.process.started}"

    def without_means(self) -> Iterator[Complaint]:
        if self.undo.do == RESUME and not self.undo.how["words"]:
            yield Complaint(f"process {self.process.pid}", "it cannot be told how it was started", "run it where /proc can be read")

    def do(self) -> None:
        processes.send(self.process, self.number)

    def lacking(self) -> list[str]:
        if self.number is signal.SIGKILL:
            return [f"process {self.process.pid}"] if processes.lives(self.process) else []
        return [] if processes.is_paused(self.process) else [f"process {self.process.pid}"]


def crash(run: Run, fault: Fault, _aimed: Aimed) -> Controller:
    process = controller_of(run)
    how = {"folder": str(run.folder), "words": words_of(process), "at": directory_of(process)}
    return Controller(fault.kind, process, Undo("local", RESUME, how), signal.SIGKILL)


def cut(run: Run, fault: Fault, _aimed: Aimed) -> Controller:
    process = controller_of(run)
    return Controller(fault.kind, process, going_on((process,)), signal.SIGSTOP)


def controller_of(run: Run) -> Process:
    assert run.table.controller is not None, "it runs"
    return run.table.controller


def words_of(process: Process) -> list[str]:
    try:
        return [word.decode(errors="surrogateescape") for word in (PROC / str(process.pid) / "cmdline").read_bytes().split(b"\0")[:-1]]
    except OSError:
        return []


def directory_of(process: Process) -> str:
    try:
        return str((PROC / str(process.pid) / "cwd").readlink())
    except OSError:
        return ""


def resume(how: Mapping[str, Any]) -> None:
    """`levee run` again, by the same words. Twice is once: who runs it already is left alone."""
    folder = Path(how["folder"])
    if is_running(folder):
        return
    try:
        with (folder / "chaos" / "run.log").open("ab") as log:
            subprocess.Popen(  # noqa: S603  (the words are those of the process that was killed)
                how["words"], cwd=how["at"], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
    except OSError as wrong:
        raise NotUndone(f"'{' '.join(how['words'])}' cannot be started: {wrong}") from None
