"""A lane's own Spark checkpoint on the worker's disk: fast, disposable, and packed when it is published.

Why: a published checkpoint is this folder, at an epoch. State files of later batches must go: a left-over snapshot corrupted results in
trials. And a folder is never used again after a query was stopped in it: Spark keeps state of a path in memory.
Called by: query.
"""

import io
import json
import re
import shutil
import tarfile
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import IO

NUMBERED = re.compile(r"(\d+)(?:[._].*)?\Z")  # 7, 7.delta, 7.snapshot, 7.changelog, 7_uuid.zip
LOGS = ("offsets", "commits")


@dataclass(frozen=True, slots=True)
class Folder:
    path: Path

    def committed(self) -> int | None:
        """The last batch of which Spark has logged the end."""
        return max(numbers(self.path / "commits"), default=None)

    def has_state(self) -> bool:
        return (self.path / "state").is_dir()

    def truncate(self, batch: int) -> None:
        """Forget every batch above this one."""
        for log in LOGS:
            remove_above(self.path / log, batch)
        for file in files_in(self.path / "state"):
            if above(file, batch + 1):  # the state after batch n has version n + 1
                file.unlink(missing_ok=True)

    def pack(self, batch: int) -> bytes:
        """What a restart after this batch needs. Spark's maintenance may delete old files meanwhile: those are not needed."""
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w") as archive:
            for file in files_in(self.path):
                if self.needed(file, batch):
                    add(archive, file, str(file.relative_to(self.path)))
        return data.getvalue()

    def needed(self, file: Path, batch: int) -> bool:
        top = file.relative_to(self.path).parts[0]
        if top in LOGS:
            return numbered(file) in {batch, batch - 1}  # Spark looks at the batch before, too
        return not file.name.startswith(".") and not (top == "state" and above(file, batch + 1))

    def unpack(self, data: bytes) -> None:
        self.path.mkdir(parents=True)
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            for member in archive.getmembers():
                self.place(member.name, archive.extractfile(member))
        self.rename_query()

    def place(self, name: str, content: IO[bytes] | None) -> None:
        """Plain files inside of it, and nothing else. (tarfile's own filters are missing from Python before 3.11.4, such as Debian's.)"""
        target = self.path / name
        assert content is not None, name
        assert target.resolve().is_relative_to(self.path.resolve()), name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.read())

    def rename_query(self) -> None:
        """Two replicas that begin with the same checkpoint are two queries: of one id, Spark lets only one run in a session."""
        metadata = self.path / "metadata"
        if metadata.exists():
            metadata.write_text(json.dumps({**json.loads(metadata.read_text()), "id": str(uuid.uuid4())}))

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)


def add(archive: tarfile.TarFile, file: Path, name: str) -> None:
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))


def files_in(path: Path) -> list[Path]:
    return sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else []


def remove_above(path: Path, batch: int) -> None:
    for file in files_in(path):
        if above(file, batch):
            file.unlink(missing_ok=True)


def above(file: Path, number: int) -> bool:
    found = numbered(file)
    return found is not None and found > number


def numbered(file: Path) -> int | None:
    found = NUMBERED.match(file.name)
    return int(found[1]) if found else None


def numbers(path: Path) -> list[int]:
    return [found for file in files_in(path) if (found := numbered(file)) is not None]
