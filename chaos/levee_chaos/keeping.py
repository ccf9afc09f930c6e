"""The journal's file, in the folder of the run that it is about; and who may write it now.

Why: the experiment, the dead man's process and a later experiment write and undo by it at the same time; who holds the lock does it alone.
Called by: inflicting, deadman, probes and controls.
"""

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from levee_chaos.journal import Entry, Line, Step, read, standing, written


@dataclass(frozen=True, slots=True)
class Keeping:
    folder: Path  # of the run

    @property
    def place(self) -> Path:
        return self.folder / "chaos"

    @property
    def journal(self) -> Path:
        return self.place / "journal.jsonl"

    @property
    def mark(self) -> Path:
        """The streams as they were when an experiment began."""
        return self.place / "streams.json"

    @property
    def stream(self) -> Path:
        """What happens in an experiment, as it happens."""
        return self.place / "experiment.jsonl"

    def lock_of_deadman(self, pid: int) -> Path:
        return self.place / f"deadman-{pid}.lock"

    def lines(self) -> list[Line]:
        try:
            return read(self.journal.read_text())
        except FileNotFoundError:
            return []

    def standing(self) -> dict[str, Entry]:
        return standing(self.lines())

    @contextmanager
    def held(self) -> Iterator[None]:
        """By one process at a time, and by none after its death."""
        with (self.place / "journal.lock").open("a") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX)
            yield

    def begin(self, entry: Entry) -> None:
        self.write(Line(Step.BEGUN, entry.name, utc_ms(), entry))

    def done(self, entry: Entry, *, anew: bool) -> None:
        """From now on its time counts, unless it stood already."""
        self.write(Line(Step.DONE, entry.name, utc_ms(), entry if anew else None))

    def say(self, step: Step, entry: Entry, why: str = "") -> None:
        self.write(Line(step, entry.name, utc_ms(), why=why))

    def tell(self, event: str, what: Mapping[str, object]) -> None:
        """As it happens, one line each, on the disk: what was so far is known of an experiment that was killed, too."""
        line = {"atUtcMs": utc_ms(), "event": event, **{name: value for name, value in what.items() if value is not None and value != ""}}
        with self.held():  # the safeguard speaks from a thread of its own
            append(self.stream, json.dumps(line, default=str).encode() + b"\n")

    def write(self, line: Line) -> None:
        """On the disk before anything is done."""
        append(self.journal, written(line).encode())


def append(path: Path, data: bytes) -> None:
    """After what was written whole: a line that a crash has torn is cut off first."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        there = path.read_bytes()
        whole = there.rfind(b"\n") + 1
        os.ftruncate(file, whole)
        os.pwrite(file, data, whole)
        os.fsync(file)
    finally:
        os.close(file)


def utc_ms() -> int:
    """As the stamps of a local store are."""
    return int(1_000 * datetime.now(UTC).timestamp())


def now_ms() -> int:
    """All processes of a machine agree on it."""
    return time.monotonic_ns() // 1_000_000
