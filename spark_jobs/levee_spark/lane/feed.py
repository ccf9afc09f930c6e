"""Tells Spark's readers, which are processes of their own, which epoch comes next.

Why: a reader must not start a batch before the epoch is there in all inputs, so it waits here, in a blocking read of a Unix socket, and is
answered the moment the lane has all of them. One line asked, one line answered.
Called by: query (announce, forget), once per worker (Feed); asked by `source`.
"""

import json
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Condition, Thread
from typing import Any


@dataclass(frozen=True, slots=True)
class Ready:
    """An epoch that a lane may compute."""

    epoch: int
    files: tuple[str, ...]  # per input, an Arrow stream
    large: bool = False  # worth several partitions


@dataclass
class Feed:
    path: Path
    news: Condition = field(default_factory=Condition)
    ready: dict[str, Ready] = field(default_factory=dict)  # by lane
    listener: socket.socket = field(init=False)

    def __post_init__(self) -> None:
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.path))
        self.listener.listen()
        Thread(target=self.accept, name="levee-feed", daemon=True).start()

    def announce(self, lane: str, ready: Ready) -> None:
        with self.news:
            self.ready[lane] = ready
            self.news.notify_all()

    def forget(self, lane: str) -> None:
        with self.news:
            self.ready.pop(lane, None)

    def accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                connection, _ = self.listener.accept()
                Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection: socket.socket) -> None:
        """The reader ends with its query, and this thread when it next has something to say to it."""
        with suppress(OSError), connection, connection.makefile("rwb") as file:  # closing flushes, too
            for line in file:
                asked = json.loads(line)
                file.write(json.dumps(self.next_for(asked)).encode() + b"\n")
                file.flush()

    def next_for(self, asked: dict[str, Any]) -> dict[str, Any]:
        lane, after = str(asked["lane"]), int(asked["after"])
        with self.news:
            self.news.wait_for(lambda: lane in self.ready and self.ready[lane].epoch > after)
            ready = self.ready[lane]
        return {"epoch": ready.epoch, "file": ready.files[int(asked["input"])], "large": ready.large}

    def close(self) -> None:
        self.listener.close()
        self.path.unlink(missing_ok=True)


@contextmanager
def feed(path: Path) -> Iterator[Feed]:
    opened = Feed(path)
    try:
        yield opened
    finally:
        opened.close()
