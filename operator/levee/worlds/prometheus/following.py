"""The newest answer of a Prometheus, asked for beside everything else; and what it says of one topology.

Why: a turn must not wait for somebody who may be slow. So one thread asks for all topologies at once, again and again, and whoever wants to
know takes what was answered last, as long as that is not too old.
Called by: serve, which starts it; measuring, at every observation.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Event, Lock

from levee.control.rates import Window
from levee.control.seen import Observation
from levee.topology.names import TaskId
from levee.worlds.measuring import Measuring, Told
from levee.worlds.prometheus.reading import Reading, Unreadable

KEPT_TIMES = 3  # intervals, after which an answer is too old
NOT_YET = "it has not been asked yet"


@dataclass(slots=True)
class Following:
    ask: Callable[[], Reading]  # Unreadable
    interval_s: float
    clock: Callable[[], float] = time.monotonic
    heard: Callable[[str], None] = lambda _outcome: None  # of each answer: ok, or unreadable
    reading: Reading | None = None
    came_s: float = 0.0
    trouble: str = NOT_YET  # with the last answer
    lock: Lock = field(default_factory=Lock)

    def follow(self, stop: Event, wanted: Callable[[], bool] = lambda: True) -> None:
        while not stop.is_set():
            if wanted():
                self.refresh()
            stop.wait(self.interval_s)

    def refresh(self) -> None:
        found, trouble = self.asked()
        self.heard("unreadable" if trouble else "ok")
        with self.lock:
            self.trouble = trouble
            if found is not None and not trouble:
                self.reading, self.came_s = found, self.clock()

    def asked(self) -> tuple[Reading | None, str]:
        try:
            found = self.ask()
        except Unreadable as why:
            return None, str(why)
        except Exception as mistake:  # noqa: BLE001  (the thread must go on: what it finds is told, and asked for again)
            return None, f"{type(mistake).__name__}: {mistake}"
        return found, self.wrong_with(found)

    def wrong_with(self, found: Reading) -> str:
        """An answer without series has no time."""
        if self.reading is not None and found.at_s == self.reading.at_s:
            return "it answers the same again: its clock stands still, or somebody before it keeps answers"
        return ""

    def latest(self) -> Reading | str:
        """Or why there is none."""
        with self.lock:
            reading, trouble, age_s = self.reading, self.trouble, self.clock() - self.came_s
        if reading is None:
            return trouble
        if age_s > KEPT_TIMES * self.interval_s:
            return f"its last answer is {age_s:.0f} s old{': ' + trouble if trouble else ''}"
        return reading


@dataclass(frozen=True, slots=True)
class OfTopology:
    """Whom measuring asks."""

    topology: str  # as its series have it
    following: Following

    def told(self, sources: Sequence[TaskId], _seen: Observation) -> Told:
        latest = self.following.latest()
        if isinstance(latest, str):
            return Told({}, f"Prometheus: {latest}")
        found = {task: latest.rates[self.topology, task] for task in sources if (self.topology, task) in latest.rates}
        missing = [f"{task}: {latest.wrong.get((self.topology, task), 'it has no such series')}" for task in sources if task not in found]
        return Told(found, f"Prometheus: {'; '.join(missing)}" if missing else "")


def measuring(topology: str, following: Following) -> Measuring:
    """Its rates are averages already."""
    return Measuring(OfTopology(topology, following), window=lambda: Window(average_over_ms=0))
