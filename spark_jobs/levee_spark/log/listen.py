"""Rule 6, live: activation and ranks hold as soon as they are read.

Why: failover must not wait for inputs that are already there.
Called by: replicas, ingestors, sinks.
"""

from dataclasses import dataclass, field

from levee_spark.log.change import Changes
from levee_spark.log.control import ControlView
from levee_spark.log.requests import Script, Wait
from levee_spark.log.wiring import Wiring


@dataclass(slots=True)
class Listener:
    wiring: Wiring
    replica: str  # as control records name it
    view: ControlView = field(init=False)
    changes: Changes = field(init=False)

    def __post_init__(self) -> None:
        self.view = ControlView(self.wiring.layout)
        self.changes = Changes(self.wiring, self.view)

    def listen(self) -> Script[bool]:
        """Whether the ranks have changed."""
        before = self.view.newest().live if self.view.records else None
        return (yield from self.view.refresh()) and before is not None and self.view.newest().live != before

    def rank(self) -> int | None:
        return self.view.newest().live.rank(self.replica) if self.view.records else None

    def wait_until_active(self) -> Script[bool]:
        """Whether one had to wait."""
        yield from self.listen()
        waited = False
        while self.rank() is None:
            waited = True
            self.changes.leave_if_rewired(0)
            yield Wait(self.wiring.times.period_ms)
            yield from self.listen()
        return waited

    def others(self) -> int:
        return len(self.view.newest().live.ranks) if self.view.records else 0
