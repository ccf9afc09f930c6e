"""Parquet, JSON and CSV files: one for each epoch and input task, named by both, put if absent.

Why: Spark's own file writer loses rows where two runs of it overlap, and a standby is just that. A file that is there whole or not at
all, under a name that says which epoch it holds, can be written by anybody any number of times: that is exactly once.
Called by: `opening`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import pyarrow as pa

from levee_spark.deliver.delivery import CannotDeliver, Counters, Persistence, done, has_rows, table_of
from levee_spark.deliver.owner import Mark, Owner, claim, refused
from levee_spark.deliver.repeated import same_rows
from levee_spark.log.requests import Deliver, Done
from levee_spark.store.blobs import Blobs, Trouble
from levee_spark.store.driver import monotonic_ms

Encode: TypeAlias = Callable[[pa.Table], bytes]
COMPARED = 20  # of the files that are there, by each deliverer: streams that began anew show at the first ones


@dataclass(slots=True)
class Files:
    owner: Owner
    blobs: Blobs
    suffix: str  # ".parquet", ".json.gz"
    encode: Encode
    persistence: Persistence
    mark: Mark | None = None  # of the folder, once it is known to be ours
    compared: int = 0

    @property
    def counters(self) -> Counters:
        return self.persistence.counters

    def deliver(self, request: Deliver) -> Done:
        began_ms = monotonic_ms()
        if self.mark is None:
            self.persistence.until_done(self.claim, (Trouble,))
        if has_rows(request):
            table = table_of(request)
            key, data = self.name(request), self.encoded(table)
            self.persistence.until_done(lambda: self.put(key, data), (Trouble,))
            self.counters.delivered_epochs += 1
            self.counters.delivered_rows += table.num_rows
        return done(began_ms)

    def claim(self) -> None:
        self.mark = claim(self.blobs, self.owner)

    def put(self, key: str, data: bytes) -> None:
        """Absent, or there with the same rows: it is delivered. Others have put it if streams began anew, or before the folder was ours."""
        if self.blobs.create(key, data) or not self.is_to_compare():
            return
        there = self.blobs.get(key)
        if there is not None and not same_rows(self.suffix, bytes(there.data), data):
            raise refused(self.owner, f"{self.blobs.where}/{key} is there already, with other rows")
        self.compared += 1

    def is_to_compare(self) -> bool:
        """To read each one again that the other deliverer was quicker to write would be half of what a bucket is asked."""
        return self.compared < COMPARED or self.mark is None or self.mark.found_files

    def name(self, request: Deliver) -> str:
        return f"part-{request.index:05d}-{request.epoch.manifest.epoch:012d}{self.suffix}"

    def encoded(self, table: pa.Table) -> bytes:
        try:
            return self.encode(table)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise CannotDeliver(
                f"sink {self.owner.sink!r}", f"cannot write its rows as {self.suffix}: {error}", "select other columns, or write Parquet"
            ) from error

    def stop(self) -> None:
        self.persistence.stopping.set()
