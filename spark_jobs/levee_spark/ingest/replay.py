"""A source that is a function of the epoch's number: `generator(epoch, options, task, tasks) -> pyarrow.Table`.

Why: two runs can be compared row by row only if they read the same rows, epoch by epoch; so tests, demos and campaigns read these.
No Spark is involved: what a generator makes is the epoch as it stands.
Called by: `opening`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import pyarrow as pa

from levee_spark.ingest.function import Generator, explained, load
from levee_spark.ingest.ingestion import Counters
from levee_spark.ingest.plain import plain
from levee_spark.lane.rows import encode
from levee_spark.log.digest import short_hash
from levee_spark.log.requests import Computed, Raised
from levee_spark.store.driver import monotonic_ms

OWN = ("generator", "epochs")  # the other options are the generator's


@dataclass(slots=True)
class Replay:
    generator: Generator
    options: Mapping[str, str]
    task: int
    tasks: int
    epochs: int | None = None  # None: it never ends
    counters: Counters = field(default_factory=lambda: Counters(paced=True))

    @classmethod
    def of(cls, options: Mapping[str, str], task: int, tasks: int) -> "Replay":
        rest = {name: value for name, value in options.items() if name not in OWN}
        epochs = int(options["epochs"]) if "epochs" in options else None
        return cls(load(options["generator"]), rest, task, tasks, epochs)

    def warm(self) -> None:
        """A generator is warm."""

    def ingest(self, epoch: int, offsets: str | None) -> Computed | Raised:
        """`offsets` are of no use here: they can only be those of the epoch before."""
        began_ms = monotonic_ms()
        try:
            computed = self.compute(epoch, began_ms)
        except Exception as error:  # noqa: BLE001  (the generator is the user's: whatever it raises is told)
            return Raised(explained(error, f"epoch {epoch}"), began_ms, monotonic_ms())
        self.counters.ingested_rows += computed.rows
        self.counters.offered_rows += computed.rows
        return replace(computed, ended_ms=monotonic_ms())

    def again(self, epoch: int, offsets: str | None, until: str) -> Computed | Raised:
        return replace(self, counters=Counters()).ingest(epoch, offsets)

    def compute(self, epoch: int, began_ms: int) -> Computed:
        table = self.rows(epoch)
        payload, offsets = encode(table), str(epoch)
        digest = short_hash("replay", blake2b(payload, digest_size=16).hexdigest(), f"offsets {offsets}")
        return Computed(payload, table.num_rows, digest, began_ms, began_ms, offsets, ended=self.ended(epoch))

    def rows(self, epoch: int) -> pa.Table:
        """After its end a source has no rows, but still their schema."""
        if self.ended(epoch):
            return self.made(self.epochs or 1).schema.empty_table()
        return self.made(epoch)

    def made(self, epoch: int) -> pa.Table:
        table = self.generator(epoch, self.options, self.task, self.tasks)
        if not isinstance(table, pa.Table):
            raise TypeError(f"The generator returned {type(table).__name__}, not a pyarrow.Table.")
        return plain(table)

    def ended(self, epoch: int) -> bool:
        return self.epochs is not None and epoch > self.epochs

    def stop(self) -> None:
        """Nothing waits here."""
