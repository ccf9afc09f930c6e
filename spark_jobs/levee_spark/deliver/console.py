"""Rows in the log of the worker, for those who try something out: each is an event, a line of JSON like all others.

Why: the shortest way to see that a topology does anything, and whoever reads the log with a program can still do so. Whoever takes over
from a deliverer that has ended prints again what came after the last published checkpoint.
Called by: `opening`.
"""

from dataclasses import dataclass, field
from typing import Protocol

from levee_spark.deliver.delivery import Counters, done, has_rows, table_of
from levee_spark.deliver.jsonlines import json_rows
from levee_spark.log.requests import Deliver, Done
from levee_spark.store.driver import monotonic_ms

ROWS_SHOWN = 20


class Show(Protocol):
    """An event and what belongs to it."""

    def __call__(self, event: str, **more: object) -> None: ...


@dataclass(slots=True)
class Console:
    sink: str
    show: Show
    rows_shown: int = ROWS_SHOWN
    counters: Counters = field(default_factory=Counters)

    def deliver(self, request: Deliver) -> Done:
        began_ms = monotonic_ms()
        if has_rows(request):
            self.print(request)
        return done(began_ms)

    def print(self, request: Deliver) -> None:
        """The first rows, and how many there are."""
        table, where = table_of(request), {"sink": self.sink, "epoch": request.epoch.manifest.epoch, "index": request.index}
        shown = table.slice(0, self.rows_shown)
        for row in json_rows(shown):
            self.show("row", **where, row=row)
        self.show("rows", **where, rows=table.num_rows, shown=shown.num_rows)
        self.counters.delivered_epochs += 1
        self.counters.delivered_rows += table.num_rows

    def stop(self) -> None:
        """Nothing waits here."""
