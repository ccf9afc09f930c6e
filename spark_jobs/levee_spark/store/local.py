"""A local directory as a store: whole objects or none, and what was acknowledged survives a crash of the machine.

Why: obstore's own local store never calls fsync, so that a power cut may take an epoch back that consumers have already read. Here an
object is written beside its place, flushed, linked to its name (a link fails if the name is taken: that is the put-if-absent), and the
folder is flushed before anyone is told. A writer that is killed leaves a temporary file at most, in a folder that is never listed.
The stamp is the inode's change time, which linking sets: the time of writing would be an hour old if the writer slept for an hour
before it linked, and rule 4 rests on stamps that are never too early.
Called by: `address.open_store`.
"""

import errno
import heapq
import itertools
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from levee_spark.store.blobs import Blob, Bytes, Trouble

SCRAPS = ".levee-scraps"  # where objects are written before they get their names
SCRAP_AGE_S = 3_600  # who writes for longer than this has to begin again
RESOLUTION_MS = 10  # the kernel stamps files with its tick, at most this coarse
CHUNK = 1 << 30  # of one system call


@dataclass(slots=True)
class LocalBlobs:
    root: Path
    durable: bool = True  # False: as safe against crashes of processes, not against those of the machine
    token: str = field(default_factory=lambda: secrets.token_hex(6))
    counter: Iterator[int] = field(default_factory=itertools.count)

    @property
    def where(self) -> str:
        return self.root.as_uri()

    @property
    def resolution_ms(self) -> int:
        return RESOLUTION_MS

    def get(self, key: str, begin: int = 0, end: int | None = None) -> Blob | None:
        with self.told(f"reading {key}"):
            try:
                descriptor = os.open(self.path(key), os.O_RDONLY | os.O_CLOEXEC)
            except (FileNotFoundError, NotADirectoryError):
                return None
            try:
                seen = os.fstat(descriptor)
                until = seen.st_size if end is None else min(end, seen.st_size)
                return Blob(read(descriptor, begin, until), seen.st_size, seen.st_ctime_ns // 1_000_000)
            finally:
                os.close(descriptor)

    def create(self, key: str, data: Bytes) -> bool:
        path = self.path(key)
        with self.told(f"writing {key}"):
            created = not path.exists() and self.link(data, path)  # most losers need not write at all
            if self.durable:
                flush(path.parent)  # also where it was there: who reads it goes on from it
            return created

    def link(self, data: Bytes, path: Path) -> bool:
        with self.scrap(data) as scrap:
            try:
                self.in_folder(path, lambda: os.link(scrap, path))
            except FileExistsError:
                return False
            return True

    def overwrite(self, key: str, data: Bytes) -> None:
        path = self.path(key)
        with self.told(f"writing {key}"), self.scrap(data) as scrap:
            self.in_folder(path, lambda: scrap.replace(path))

    def in_folder(self, path: Path, act: Callable[[], object]) -> None:
        """Do it, and where the folder is missing, make that first; not the store's own: what is gone in the midst may come back."""
        try:
            act()
        except FileNotFoundError:
            if not self.root.is_dir():
                raise
            make_folder(path.parent, self.durable)
            act()

    def delete(self, key: str) -> None:
        with self.told(f"deleting {key}"), suppress(FileNotFoundError, NotADirectoryError):
            self.path(key).unlink()

    def names(self, folder: str, after: str, limit: int) -> tuple[str, ...]:
        """A directory has no order, so all of it is looked at; only `limit` names are kept in memory."""
        with self.told(f"listing {folder}"):
            try:
                with os.scandir(self.path(folder) if folder else self.root) as entries:
                    keys = (f"{folder}/{entry.name}".lstrip("/") for entry in entries)
                    return tuple(heapq.nsmallest(limit, (key for key in keys if key > after)))
            except (FileNotFoundError, NotADirectoryError):
                return ()

    def clear(self, folder: str, limit: int) -> int:
        with self.told(f"deleting {folder}"):
            return cleared(self.path(folder), limit)

    def path(self, key: str) -> Path:
        assert not {"", ".", "..", SCRAPS} & set(key.split("/")), f"{key!r} is no key"
        return self.root / key

    @contextmanager
    def scrap(self, data: Bytes) -> Iterator[Path]:
        """The data under a name of its own, flushed; whatever happens to it, the name goes away again."""
        path = self.root / SCRAPS / f"{self.token}-{os.getpid()}-{next(self.counter)}"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            try:
                write(descriptor, data)
                if self.durable:
                    os.fsync(descriptor)
            finally:
                os.close(descriptor)
            yield path
        finally:
            path.unlink(missing_ok=True)

    @contextmanager
    def told(self, what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise Trouble(f"{what} in {self.root}: {explained(error, self.root)}") from error

    def sweep(self, now_s: float) -> None:
        """Remove what killed writers have left; `now_s` is the wall clock's, as files are stamped by it."""
        with self.told("tidying up"), os.scandir(self.root / SCRAPS) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    if now_s - entry.stat().st_mtime > SCRAP_AGE_S:
                        Path(entry.path).unlink()


def cleared(folder: Path, limit: int) -> int:
    """The deepest first, so that a folder goes when it is empty."""
    count = 0
    for place, _, names in os.walk(folder, topdown=False):
        for name in names[: limit - count]:
            Path(place, name).unlink(missing_ok=True)
            count += 1
        if count == limit:
            return count
        with suppress(FileNotFoundError):
            Path(place).rmdir()
    return count


def read(descriptor: int, begin: int, end: int) -> bytes:
    parts: list[bytes] = []
    while begin < end and (part := os.pread(descriptor, min(end - begin, CHUNK), begin)):
        parts.append(part)
        begin += len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def write(descriptor: int, data: Bytes) -> None:
    left = memoryview(data)
    while left:
        left = left[os.write(descriptor, left[:CHUNK]) :]


def make_folder(path: Path, durable: bool) -> None:
    if path.is_dir():
        return
    make_folder(path.parent, durable)
    path.mkdir(exist_ok=True)
    if durable:
        flush(path.parent)


def flush(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def explained(error: OSError, root: Path) -> str:
    match error.errno:
        case errno.ENOSPC | errno.EDQUOT:
            return f"the disk is full ({free_mb(root)} MB left for us). Make room: what waits for it goes on by itself."
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return f"not allowed ({error.strerror}). Give this user (id {os.getuid()}) the right to write there."
        case errno.EMFILE | errno.ENFILE:
            return "too many open files. Raise the limit: ulimit -n 4096"
        case _:
            return f"{error.strerror or error} (error {error.errno})"


def free_mb(root: Path) -> int:
    seen = os.statvfs(root)
    return seen.f_bavail * seen.f_frsize >> 20
