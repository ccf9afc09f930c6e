"""What a source keeps beside its offset, taken from a running query's checkpoint and put into a new one.

Why: most sources keep a line or two (when a rate began, Kafka's first offsets), and those go into the manifest as they are. A file source
keeps every file that it has read, which `seen` puts into few words.
Called by: `streaming`.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from levee_spark.ingest import checkpoint
from levee_spark.ingest.position import Position
from levee_spark.ingest.seen import File, Seen, Shelf

COMPACT_EVERY = 10  # batches of its log; a number of Spark's own, set in the session so that it is the one assumed here
VERSION = "v1"


class Notes(Protocol):
    def position(self, folder: Path, offset: str | None, epoch: int) -> Position:
        """After a batch of the query whose checkpoint is in `folder`."""

    def restored(self, position: Position | None) -> dict[str, str]:
        """What has to be in the folder of a query that goes on from there, by name."""

    def copy(self) -> "Notes":
        """For another query beside this one."""


@dataclass(frozen=True, slots=True)
class PlainNotes:
    def position(self, folder: Path, offset: str | None, epoch: int) -> Position:
        return Position(offset, tuple(checkpoint.notes_of(folder).items()))

    def restored(self, position: Position | None) -> dict[str, str]:
        return dict(position.notes) if position else {}

    def copy(self) -> "PlainNotes":
        return self


@dataclass(slots=True)
class FileNotes:
    shelf: Shelf
    age_ms: int | None  # Spark passes over files that are older than the newest by so much; None: over none
    keep_epochs: int  # for so long a part that was merged stays
    seen: Seen = field(default_factory=Seen)
    last: int = -1  # batch of the source's log that `seen` reaches to
    taken: set[str] = field(default_factory=set)  # the paths in `seen`
    newest_ms: int = 0
    count: int = 0  # of files that were taken in here

    def position(self, folder: Path, offset: str | None, epoch: int) -> Position:
        reached = last_batch(offset)
        new = [file for batch in range(self.last + 1, reached + 1) for file in logged(folder, batch)]
        self.know(new)
        self.count += len(new)
        longer = self.seen.with_files(new, epoch, self.shelf, self.age_ms) if new else self.seen
        self.seen, self.last = longer.tidied(epoch - self.keep_epochs, self.shelf), reached
        return Position(offset, seen=self.seen)

    def restored(self, position: Position | None) -> dict[str, str]:
        self.seen = position.seen or Seen() if position else Seen()
        self.last = last_batch(position.offset) if position else -1
        files = self.seen.files(self.shelf)
        self.taken, self.newest_ms = set(), 0
        self.know(files)
        return written(files, self.last)

    def know(self, files: Iterable[File]) -> None:
        for file in files:
            self.taken.add(file.path)
            self.newest_ms = max(self.newest_ms, file.written_ms)

    def oldest_ms(self) -> int:
        """Spark passes over files that are older."""
        return 0 if self.age_ms is None else self.newest_ms - self.age_ms

    def copy(self) -> "FileNotes":
        return replace(self, taken=set())


def last_batch(offset: str | None) -> int:
    return -1 if offset is None else int(json.loads(offset)["logOffset"])


def logged(folder: Path, batch: int) -> list[File]:
    """A batch's own files: its file names just these, or those of all batches before it, too."""
    note = checkpoint.note_of(folder, str(batch))
    note = checkpoint.note_of(folder, f"{batch}.compact") if note is None else note
    assert note is not None, f"the file source has a batch {batch} and did not write which files are in it"
    entries = (json.loads(line) for line in note.splitlines()[1:])
    return [File(one["path"], one["timestamp"], one["batchId"]) for one in entries if one["batchId"] == batch]


def written(files: tuple[File, ...], last: int) -> dict[str, str]:
    """The log as Spark would have it: all files up to the last compact batch in one note, then a note for each batch."""
    compact = (last + 1) // COMPACT_EVERY * COMPACT_EVERY - 1
    notes = {str(batch): VERSION for batch in range(compact + 1, last + 1)}
    if compact >= 0:
        notes[f"{compact}.compact"] = VERSION
    for file in files:
        name = f"{compact}.compact" if file.batch <= compact else str(file.batch)
        notes[name] += "\n" + json.dumps({"path": file.path, "timestamp": file.written_ms, "batchId": file.batch})
    return notes
