"""What a worker has met of each disturbance, written where whoever began it looks for its effect.

Why: an effect is measured where it happens. It is written at the first few times and then ever more rarely, so that it costs nothing.
Called by: passage and blobs.
"""

from collections import deque
from dataclasses import dataclass, field
from statistics import median
from threading import Lock

from levee_chaos.disturbed.place import Felt, Place
from levee_chaos.disturbed.values import Disturbance

REMEMBERED = 31  # requests


@dataclass(slots=True)
class Counted:
    times: int = 0
    answered: int = 0
    took_ms: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def felt(self) -> Felt:
        return Felt(self.times, self.answered, median(self.took_ms) if self.took_ms else 0.0)


@dataclass(slots=True)
class Feeling:
    place: Place
    lock: Lock = field(default_factory=Lock)
    of: dict[str, Counted] = field(default_factory=dict)

    def met(self, one: Disturbance) -> None:
        self.count(one, None)

    def answered(self, one: Disturbance, took_ms: float) -> None:
        self.count(one, took_ms)

    def count(self, one: Disturbance, took_ms: float | None) -> None:
        with self.lock:
            counted = self.of.setdefault(one.name, Counted())
            if took_ms is None:
                counted.times += 1
            else:
                counted.answered += 1
                counted.took_ms.append(took_ms)
            number, felt = counted.times if took_ms is None else counted.answered, counted.felt()
        if number <= 8 or number & (number - 1) == 0:  # also each power of two
            self.place.feel(one.name, felt)
