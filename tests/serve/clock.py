"""A clock that goes as fast as a test wants, for an operator and the cluster it sees.

Called by: tests of serve about what takes minutes.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from levee.control.names import Instant
from levee.serve.shop import HEAD_START_MS, Shop
from tests.serve import plant
from tests.serve.plant import Operator

BEGAN_MS = 1_800_000_000_000


@dataclass
class Clock:
    ms: int = BEGAN_MS

    def rule(self, monkeypatch: pytest.MonkeyPatch) -> "Clock":
        monkeypatch.setattr(Shop, "wall_ms", lambda _: self.ms)
        monkeypatch.setattr(Shop, "now", lambda _: Instant(self.ms - BEGAN_MS + HEAD_START_MS))
        monkeypatch.setattr(Shop, "when", lambda _, stamp: Instant(round(1000 * stamp.timestamp()) - BEGAN_MS + HEAD_START_MS))
        monkeypatch.setattr(plant, "stamp", lambda: datetime.fromtimestamp(self.ms / 1000, UTC).isoformat().replace("+00:00", "Z"))
        return self

    def pass_by(self, one: Operator, minutes: float, turns: int = 30) -> None:
        """As the hub does it: a turn now and then."""
        for _ in range(turns):
            self.ms += round(minutes * 60_000 / turns)
            if plant.PATH in one.plant.things:
                one.go_on(1)
