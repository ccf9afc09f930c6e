"""Waits for what is not there yet: no longer than needed, and without asking all the time.

Why: polling costs requests, and waiting costs time. A replica of the same worker says at once what it has committed. For what is
committed elsewhere the rhythm is learnt: after an epoch one sleeps until the next is expected, and asks earlier each time it was there at
once, so that in steady state little more than one request finds it. An epoch that is late is asked for less and less often, down to four
times a period. After one that came late by more than a period the next may be there already, and is asked for at once. Whoever slept, and a
stream that stood still, shows nothing of the rhythm: it is learnt from several epochs that agree, and kept until several do not. One by
which everything is always there already, and the next one with it, is too slow, and is forgotten.
Called by: `driver` (what was found, absent, committed), replica threads (`Waiter.wait`, `stop`).
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock

from levee_spark.log.keys import numbered
from levee_spark.log.requests import Done, Wait

REMEMBERED = 1_000  # commits, for those who begin to wait just after one
BASELINE = 32  # epochs over which a period is measured
AGREE_MIN = 3  # in a row: before a period is gone by, and before it is given up
AGREE_SHARE = 2  # they do whose distance is neither that many times the period nor that part of it
LATE_SHARE = 2  # an epoch that is late by x is asked for again after x/2 ...
PERIOD_SHARE = 4  # ... but at least four times a period
EARLIER_MS = 2  # by how much an epoch is expected sooner after one that was there when one asked; twice as much each time
HERE_SHARE = 2  # of a period that one leaves to a neighbour who committed the epoch before
AT_ONCE_MAX = 6  # epochs in a row that were there when one asked, though one asked earlier each time
EPOCHS = "/epochs"


@dataclass(slots=True)
class Rhythm:
    """When the epochs of one stream come."""

    number: int = -1  # of the last that came
    came_ms: int = 0
    since: tuple[int, int] | None = None  # number and time of an earlier one, to measure the period with
    period_ms: int | None = None
    agreed: int = 0  # distances in a row that are a period; below 0: that are longer
    absent_ms: int | None = None  # when the next was last seen to be absent
    waited: bool = False  # for the next
    here: bool = False  # it was this worker that committed the last: it will say so of the next, too
    earlier_ms: int = EARLIER_MS
    behind: bool = False  # the next may be there already: nobody waits for it before it was seen to be absent
    at_once: int = 0  # how many in a row were there when one asked

    def found(self, number: int, now_ms: int, *, here: bool = False) -> None:
        if number <= self.number:
            return
        in_rhythm = number == self.number + 1 and (here or self.waited or self.absent_ms is not None)
        came_ms = self.estimate(now_ms) if in_rhythm and not here else now_ms
        there = not here and self.absent_ms is None
        self.at_once = self.at_once + 1 if there and (in_rhythm or self.at_once == AT_ONCE_MAX) else 0
        self.behind = not here and (self.behind or self.is_late(now_ms) or self.at_once == AT_ONCE_MAX)
        self.here = here
        self.measure(number, came_ms, in_rhythm=in_rhythm)
        if self.at_once > AT_ONCE_MAX:  # the next was there as well, asked for at once: so it is no chance
            self.forget()
        self.number, self.came_ms, self.absent_ms, self.waited = number, came_ms, None, False

    def is_late(self, now_ms: int) -> bool:
        expected = self.expected_ms()
        return expected is not None and now_ms - expected > (self.period_ms or 0)

    def absent(self, now_ms: int) -> None:
        """The next; so there is nothing to catch up with."""
        self.absent_ms, self.behind = now_ms, False

    def estimate(self, now_ms: int) -> int:
        """When it came: after it was last seen absent; if that was before it was expected, perhaps somewhat sooner than expected."""
        expected, absent_ms = self.expected_ms(), self.absent_ms
        if expected is None or (absent_ms is not None and absent_ms >= expected):
            self.earlier_ms = EARLIER_MS
            return now_ms if absent_ms is None else (absent_ms + now_ms) // 2
        came_ms = min(now_ms, expected) - self.earlier_ms
        self.earlier_ms = min(2 * self.earlier_ms, max(EARLIER_MS, (self.period_ms or 0) // PERIOD_SHARE))
        return came_ms if absent_ms is None else max(came_ms, absent_ms)

    def measure(self, number: int, came_ms: int, *, in_rhythm: bool) -> None:
        """Whoever falls behind and catches up learns nothing of the period, and forgets nothing of it."""
        if not in_rhythm or self.since is None:
            self.since = (number, came_ms) if in_rhythm else None
        elif not self.agrees(came_ms - self.came_ms):
            self.since = number, came_ms
        else:
            begin, began_ms = self.since
            self.period_ms = max(1, (came_ms - began_ms) // (number - begin))
            if number - begin >= BASELINE:
                self.since = (number - BASELINE // 2, came_ms - self.period_ms * (BASELINE // 2))

    def agrees(self, distance_ms: int) -> bool:
        """One that is longer says that somebody stood still; several, that it is the period. One that is shorter always says that."""
        if self.period_ms is not None and distance_ms >= AGREE_SHARE * self.period_ms:
            self.agreed = min(self.agreed, 0) - 1
            if self.agreed <= -AGREE_MIN:
                self.forget()
            return False
        if self.period_ms is None or distance_ms * AGREE_SHARE <= self.period_ms:
            self.period_ms, self.agreed = max(1, distance_ms), 1
            return False
        self.agreed = max(self.agreed, 0) + 1
        return True

    def forget(self) -> None:
        self.since, self.period_ms, self.at_once, self.agreed = None, None, 0, 0

    def expected_ms(self) -> int | None:
        """None where one has yet to catch up, as far as one knows, or to learn the period."""
        if self.period_ms is None or self.since is None or self.behind or 0 <= self.agreed < AGREE_MIN:
            return None
        return self.came_ms + self.period_ms + (self.period_ms // HERE_SHARE if self.here else 0)

    def pause_ms(self, ms: int, now_ms: int) -> int:
        """Instead of `ms`, until one asks for the next; who falls behind finds it there at once, and does not wait."""
        expected = self.expected_ms()
        if expected is None or self.period_ms is None:
            return ms
        if now_ms < expected:
            return min(expected - now_ms, 2 * self.period_ms)
        late_ms = now_ms - expected if self.absent_ms is not None else 0
        return max(ms, min(late_ms // LATE_SHARE, self.period_ms // PERIOD_SHARE))


@dataclass(slots=True)
class Wakeups:
    """What all threads of a worker know of arrivals."""

    lock: Lock = field(default_factory=Lock)
    waiting: dict[str, set[Event]] = field(default_factory=dict)
    recent: OrderedDict[str, None] = field(default_factory=OrderedDict)
    rhythms: dict[str, Rhythm] = field(default_factory=dict)

    def committed(self, key: str, now_ms: int) -> None:
        """By this worker: whoever waits for it here need not poll."""
        with self.lock:
            self.recent[key] = None
            if len(self.recent) > REMEMBERED:
                self.recent.popitem(last=False)
            for event in self.waiting.get(key, ()):
                event.set()
        self.found(key, now_ms, here=True)

    def found(self, key: str, now_ms: int, *, here: bool = False) -> None:
        folder, _, _ = key.rpartition("/")
        if folder.endswith(EPOCHS):
            with self.lock:
                self.rhythms.setdefault(folder, Rhythm()).found(numbered(key), now_ms, here=here)

    def absent(self, key: str, now_ms: int) -> None:
        with self.lock:
            if rhythm := self.next_in(key):
                rhythm.absent(now_ms)

    def is_behind(self, key: str) -> bool:
        """Whether the epoch after this one may be there already, as far as anyone here knows."""
        with self.lock:
            rhythm = self.rhythms.get(key.rpartition("/")[0])
            return rhythm is not None and (rhythm.since is None or rhythm.number > numbered(key))

    def next_in(self, key: str) -> Rhythm | None:
        """The rhythm of the stream whose next epoch this is."""
        rhythm = self.rhythms.get(key.rpartition("/")[0])
        return rhythm if rhythm is not None and numbered(key) == rhythm.number + 1 else None

    def begin(self, wait: Wait, event: Event, now_ms: int) -> int:
        """How long to wait; from now on the event is set when one of the keys is committed here."""
        with self.lock:
            for key in wait.keys:
                self.waiting.setdefault(key, set()).add(event)
            if any(key in self.recent for key in wait.keys):
                return 0
            rhythms = [rhythm for key in wait.keys if (rhythm := self.next_in(key))]
            pause_ms = min((rhythm.pause_ms(wait.ms, now_ms) for rhythm in rhythms), default=wait.ms) if wait.polls else wait.ms
            for rhythm in rhythms:
                rhythm.waited = rhythm.waited or pause_ms > 0
            return pause_ms

    def end(self, wait: Wait, event: Event) -> None:
        with self.lock:
            for key in wait.keys:
                events = self.waiting[key]
                events.discard(event)
                if not events:
                    del self.waiting[key]


@dataclass(slots=True)
class Waiter:
    """One replica's thread. Whoever stops the replica calls `stop` first: then nothing here blocks any more."""

    wakeups: Wakeups
    now_ms: Callable[[], int]
    event: Event = field(default_factory=Event)
    stopped: bool = False

    def wait(self, wait: Wait) -> Done:
        began_ms = self.now_ms()
        pause_ms = self.wakeups.begin(wait, self.event, began_ms)
        try:
            if not self.stopped:
                self.event.wait(pause_ms / 1_000)
                if not self.stopped:
                    self.event.clear()
        finally:
            self.wakeups.end(wait, self.event)
        return Done(began_ms, self.now_ms())

    def stop(self) -> None:
        self.stopped = True
        self.event.set()
