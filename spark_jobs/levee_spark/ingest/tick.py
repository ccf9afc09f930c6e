"""The tick source: a streaming source of Spark's without rows that has something new whenever the worker says so.

Why: Spark starts no batch while a source is idle, and starts one at once when it is not; an epoch must be sealed when it is due, with
rows or without. Spark asks its sources in order what there is; this one stands first, and answers when the epoch is due. What the others
then have is the epoch.
Called by: Spark, in a Python process of its own (`TickReader`); `query`, in the worker (`Gate`).
"""

import os
import shutil
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.streaming.datasource import ReadLimit

FORMAT = "levee-tick"
GO = b"!"
PATH_LIMIT = 100  # bytes of a socket's path; macOS permits 104, Linux 108
LOOK_S = 0.2  # how often one looks whether the query is still alive, while nothing comes


class TickSource(DataSource):
    @classmethod
    def name(cls) -> str:
        return FORMAT

    def schema(self) -> str:
        return "tick long"

    def streamReader(self, schema: Any) -> "TickReader":  # noqa: N802  (Spark's name)
        return TickReader(self.options["gate"])


class TickReader(DataSourceStreamReader):
    def __init__(self, gate: str) -> None:
        self.gate = gate

    def initialOffset(self) -> dict[str, int]:  # noqa: N802
        return {"tick": 0}

    def latestOffset(self, start: dict[str, int], limit: ReadLimit) -> dict[str, int]:  # noqa: N802
        """Waits at the gate. Where that is taken away, the worker is, too, or has stopped the query."""
        with socket.socket(socket.AF_UNIX) as way:
            way.connect(self.gate)
            return {"tick": start["tick"] + 1} if way.recv(len(GO)) == GO else start

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[InputPartition]:
        return []

    def read(self, partition: InputPartition) -> Iterator[tuple[int]]:
        """Never asked for: there are no partitions."""
        return iter(())


class Gate:
    """Where the tick source waits."""

    def __init__(self, wanted: Path) -> None:
        """At `wanted`, in a folder that is cleared away even if the worker is killed; or, since a socket needs a short path, elsewhere."""
        wanted.parent.mkdir(parents=True, exist_ok=True)
        short = len(os.fsencode(wanted)) <= PATH_LIMIT
        self.folder = None if short else Path(tempfile.mkdtemp(prefix="levee-"))
        self.path = self.folder / "gate" if self.folder else wanted
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(self.path))
        self.socket.listen()
        self.socket.settimeout(LOOK_S)

    def let_one_pass(self, must_live: Callable[[], None]) -> None:
        """Waits until somebody comes; `must_live` raises when nobody will."""
        while True:
            try:
                way, _ = self.socket.accept()
            except TimeoutError:
                must_live()
                continue
            with way, suppress(BrokenPipeError):
                way.sendall(GO)
            return

    def close(self) -> None:
        self.socket.close()
        self.path.unlink(missing_ok=True)
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)
