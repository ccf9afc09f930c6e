"""How processes of the sweep ask the gate before each write to the store, and tell it after: lines on a socket.

Why: the store is a directory, so there is no network to stand in; the wrapper stands in the process, put there by the sweep's own entry,
and production code knows nothing of it.
Called by: entries, which wrap stores; bench, which serves the other end in the gate's thread.
"""

import asyncio
import json
import os
import re
import socket
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import local
from typing import TypeVar

from benchmarks.sweep.gate import Gate
from benchmarks.sweep.points import Kind
from levee_spark.store.blobs import Blob, Blobs, Bytes

T = TypeVar("T")
UID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")


@dataclass(slots=True)
class Line:
    """Of one process; each thread has a connection of its own, so that nobody waits for another's write."""

    path: Path
    kind: Kind
    threads: local = field(default_factory=local)

    def tell(self, what: str) -> None:
        """It comes back when the process may go on; if it is to die, never."""
        if not hasattr(self.threads, "file"):
            with socket.socket(socket.AF_UNIX) as connection:  # the file keeps it open
                connection.connect(str(self.path))
                self.threads.file = connection.makefile("rwb")
        self.threads.file.write(json.dumps([self.kind, what, os.getpid()]).encode() + b"\n")
        self.threads.file.flush()
        if not self.threads.file.readline():
            os._exit(1)  # the sweep is gone

    def around(self, what: str, act: Callable[[], T]) -> T:
        self.tell(what)
        try:
            return act()
        finally:
            self.tell("")


@dataclass(slots=True)
class GatedBlobs:
    """A store around a store."""

    inner: Blobs
    line: Line

    @property
    def where(self) -> str:
        return self.inner.where

    @property
    def resolution_ms(self) -> int:
        return self.inner.resolution_ms

    def get(self, key: str, begin: int = 0, end: int | None = None) -> Blob | None:
        return self.inner.get(key, begin, end)

    def names(self, folder: str, after: str, limit: int) -> tuple[str, ...]:
        return self.inner.names(folder, after, limit)

    def create(self, key: str, data: Bytes) -> bool:
        return self.line.around(f"create {plain(key)}", lambda: self.inner.create(key, data))

    def overwrite(self, key: str, data: Bytes) -> None:
        self.line.around(f"overwrite {plain(key)}", lambda: self.inner.overwrite(key, data))

    def delete(self, key: str) -> None:
        self.line.around(f"delete {plain(key)}", lambda: self.inner.delete(key))

    def clear(self, folder: str, limit: int) -> int:
        return self.line.around(f"clear {plain(folder)}", lambda: self.inner.clear(folder, limit))


def plain(key: str) -> str:
    """Without what is another one in each life."""
    return UID.sub("UID", key).partition("/UID/")[2] or "all"


@dataclass(slots=True)
class Lines:
    """The other end."""

    gate: Gate

    async def serve(self, path: Path) -> asyncio.Server:
        return await asyncio.start_unix_server(self.hear, path)

    async def hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(OSError):
            while asked := await reader.readline():
                kind, what, pid = json.loads(asked)
                write = self.gate.begin(Kind(kind), what, pid)
                if write is None:
                    return
                writer.write(b"go\n")
                if not await reader.readline() or not self.gate.end(write):
                    return
                writer.write(b"go\n")
