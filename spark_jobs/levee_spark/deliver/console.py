"""Rows on the terminal, for those who try something out.

Why: the shortest way to see that a topology does anything. Every replica of the sink prints, so rows may be seen twice.
Called by: `opening`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from levee_spark.deliver.delivery import Counters, done, has_rows, table_of
from levee_spark.deliver.jsonlines import json_lines
from levee_spark.log.requests import Deliver, Done
from levee_spark.store.driver import monotonic_ms

ROWS_SHOWN = 20


@dataclass(slots=True)
class Console:
    sink: str
    show: Callable[[str], object]
    rows_shown: int = ROWS_SHOWN
    counters: Counters = field(default_factory=Counters)

    def deliver(self, request: Deliver) -> Done:
        began_ms = monotonic_ms()
        if has_rows(request):
            self.print(request)
        return done(began_ms)

    def print(self, request: Deliver) -> None:
        table = table_of(request)
        lines = [f"{self.sink} epoch {request.epoch.manifest.epoch} task {request.index}: {table.num_rows} rows"]
        lines += json_lines(table.slice(0, self.rows_shown), skip_nulls=False).decode().splitlines()
        if table.num_rows > self.rows_shown:
            lines.append(f"... and {table.num_rows - self.rows_shown} more")
        self.show("\n".join(lines) + "\n")
        self.counters.delivered_epochs += 1
        self.counters.delivered_rows += table.num_rows

    def stop(self) -> None:
        """Nothing waits here."""
