"""Streams as a topology leaves them in its store, written by hand.

Called by: the tests beside it.
"""

from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from levee.topology.names import TaskId
from levee_spark.lane import rows
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Done, PutIfAbsent
from levee_spark.log.values import EpochObject, Floor, Kind, Manifest, Record
from levee_spark.store.address import open_store
from levee_spark.store.driver import StoreDriver

TOPOLOGY, UID = "shop/clicks", "u1"
TIME_MS = 1_700_000_000_000


@dataclass
class Streams:
    root: Path
    layout: Layout = field(default_factory=lambda: Layout(TOPOLOGY, UID))
    driver: StoreDriver = field(init=False)

    def __post_init__(self) -> None:
        self.driver = StoreDriver(open_store(self.root.as_uri(), durable=False))

    def options(self, stream: str, **more: str) -> dict[str, str]:
        return {"store": self.root.as_uri(), "topology": TOPOLOGY, "stream": stream, "pollMs": "1", **more}

    def put(self, key: str, record: Record) -> None:
        assert isinstance(self.driver.answer(PutIfAbsent(key, record)), Done)

    def epoch(self, task: str, number: int, table: pa.Table | None, *, key: str = "") -> None:
        """None: it was skipped."""
        kind = Kind.FINAL if table is not None else Kind.SKIPPED
        count = table.num_rows if table is not None else 0
        manifest = Manifest(number, kind, count, "d", "l", 1, "w", TIME_MS + 1_000 * number)
        payload = rows.encode(table) if table is not None else None
        self.put(key or self.layout.epoch(TaskId(task), number), EpochObject(manifest, payload))

    def epochs(self, task: str, first: int, last: int) -> None:
        """Two rows each."""
        for number in range(first, last + 1):
            self.epoch(task, number, pa.table({"n": [number, -number], "task": [task, task]}))

    def path(self, key: str) -> Path:
        return self.root / key

    def trim(self, task: str, below: int) -> None:
        self.put(self.layout.floor(TaskId(task), 1), Floor(1, below))
        for number in range(1, below):
            self.path(self.layout.epoch(TaskId(task), number)).unlink()
