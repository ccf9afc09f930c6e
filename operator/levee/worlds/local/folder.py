"""The folder of a run: what is where, who holds it, and what is remembered from one run to the next.

Why: everything that other commands and the next run must know of this one is in one document, written at once or not at all.
Called by: `run` (writes), the commands that look at a run or speak to its processes (read).
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
from typing import Any, TextIO

from levee.topology.complaint import Complaint
from levee.worlds.local.processes import Process, lives

VERSION = 1
PATIENCE_S = 2.0  # a node's keeper holds the lock for a moment when it looks


class Occupied(Exception):
    """Somebody else runs this topology here."""


class CannotRead(Exception):
    """The document of a run is none, or not of this version; why, and what to do."""

    def __init__(self, document: Path, wrong: str, fix: str) -> None:
        super().__init__(f"{document} {wrong}")
        self.complaint = Complaint(str(document), wrong, fix)


class CannotHold(Exception):
    """The folder cannot be made or written; the text says why."""


@dataclass(frozen=True, slots=True)
class Folder:
    path: Path

    @property
    def document(self) -> Path:
        return self.path / "run.json"

    @property
    def lock(self) -> Path:
        return self.path / "run.lock"

    @property
    def resource(self) -> Path:
        return self.path / "topology.yaml"

    @property
    def revivals(self) -> Path:
        return self.path / "revive"

    def incarnation(self, name: str) -> Path:
        return self.path / "workers" / name

    def incarnations(self) -> tuple[Path, ...]:
        return tuple(self.incarnation("").glob("*"))

    def log(self, name: str) -> Path:
        """Kept after the incarnation is gone: it may say why."""
        return self.path / "logs" / f"{name}.log"

    def read(self) -> dict[str, Any] | None:
        """None: there is no such document. With one that cannot be read streams may have begun: nobody may begin others in its place."""
        try:
            value = json.loads(self.document.read_text())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            raise self.unreadable(str(error)) from None
        if not isinstance(value, dict) or "version" not in value:
            raise self.unreadable("it has no version")
        if value["version"] != VERSION:
            wrong = f"is of version {value['version']}, and this Levee reads version {VERSION}"
            raise CannotRead(self.document, wrong, "use the Levee that wrote it; or name another --directory, which begins new streams")
        return value

    def unreadable(self, why: str) -> CannotRead:
        fix = "restore it: it has the UID of the streams; or name another --directory, which begins new streams"
        return CannotRead(self.document, f"is not what a run writes there: {why}", fix)

    def write(self, document: Mapping[str, object]) -> None:
        put(self.document, json.dumps({"version": VERSION, **document}, indent=1).encode())

    def opened(self) -> TextIO:
        with writing():
            self.path.mkdir(parents=True, exist_ok=True)
            return self.lock.open("a")

    def written_at(self) -> str:
        return moment(datetime.fromtimestamp(self.document.stat().st_mtime, UTC))

    @contextmanager
    def held(self) -> Iterator[None]:
        """By one process at a time, and by none after a crash."""
        with self.opened() as file:
            until_s = time.monotonic() + PATIENCE_S
            while not taken(file.fileno()):
                if time.monotonic() > until_s:
                    raise Occupied(str(self.path))
                time.sleep(0.05)
            yield


@contextmanager
def writing() -> Iterator[None]:
    """Before anything has begun: later a run goes on without."""
    try:
        yield
    except OSError as error:
        raise CannotHold(error.strerror or str(error)) from None


def put(path: Path, data: bytes) -> None:
    """Whole or not at all, also when the machine loses its power: where there is no room, what was there stays. OSError."""
    fresh, is_new = path.with_suffix(".new"), not path.exists()
    fresh.write_bytes(data)
    sync(fresh)
    fresh.replace(path)
    if is_new:
        sync(path.parent)


def sync(path: Path) -> None:
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def moment(at: datetime) -> str:
    """For people."""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"


def taken(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def process_in(entry: Mapping[str, Any] | None) -> Process | None:
    """A process as it stands in the document, if it still lives."""
    if not entry or not isinstance(entry.get("pid"), int):
        return None
    process = Process(entry["pid"], str(entry.get("started")))
    return process if lives(process) else None


def process_entry(process: Process | None) -> dict[str, object] | None:
    return {"pid": process.pid, "started": process.started} if process else None
