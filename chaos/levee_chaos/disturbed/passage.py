"""The way of a request to the store and back, with all that disturbs it.

Why: each disturbance is what the network, the store or the disk would do: who is cut off waits until the client gives up, what is lost is
sent again as TCP does it, and an answer may be lost after the request was carried out. So the roles above meet what they must bear.
Called by: blobs, for each request.
"""

import errno
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from threading import Lock

from levee_chaos.disturbed.feeling import Feeling
from levee_chaos.disturbed.place import InForce
from levee_chaos.disturbed.values import Disturbance, Way
from levee_spark.store.address import TIMEOUT_MS
from levee_spark.store.blobs import Trouble

GIVES_UP_S = TIMEOUT_MS / 1_000  # as the client of a remote store does
RESENT_AFTER_S = 0.2  # by TCP, the first time; twice as long each time
LOOK_S = 0.05


@dataclass(slots=True)
class Road:
    """What the passages of a worker share."""

    in_force: InForce
    feeling: Feeling
    random: Random
    sleep: Callable[[float], None] = time.sleep
    now_s: Callable[[], float] = time.monotonic
    lock: Lock = field(default_factory=Lock)
    free_s: float = 0.0  # when the line is free again

    def chance(self) -> float:
        with self.lock:
            return self.random.random()

    def on_the_line(self, size: int, bytes_per_s: int) -> float:
        """One after the other, all threads share it; how long to wait."""
        with self.lock:
            now_s = self.now_s()
            self.free_s = max(self.free_s, now_s) + size / bytes_per_s
            return self.free_s - now_s


@dataclass(slots=True)
class Passage:
    """Of one request."""

    road: Road
    what: str  # for people
    met: set[Disturbance] = field(default_factory=set)  # which has done something to it
    fails_late: bool = False

    def there(self, size: int, *, writes: bool) -> None:
        for one in self.road.in_force.now():
            if writes or one.way is not Way.FULL:
                self.send(one, size)

    def send(self, one: Disturbance, size: int) -> None:
        match one.way:
            case Way.DELAY:
                self.meet(one)
                self.road.sleep(max(0.0, one.ms + (2 * self.road.chance() - 1) * one.jitter_ms) / 1_000)
            case Way.FAILS:
                self.perhaps_fail(one)
            case Way.FULL:
                self.meet(one)
                raise Trouble(f"{self.what}: {os.strerror(errno.ENOSPC)} (injected)")
            case _:
                self.pass_by(one, size)

    def meet(self, one: Disturbance) -> None:
        self.met.add(one)
        self.road.feeling.met(one)

    def perhaps_fail(self, one: Disturbance) -> None:
        """Half of those that fail are carried out."""
        if self.road.chance() < one.share:
            self.meet(one)
            self.fails_late = self.road.chance() < 0.5
            if not self.fails_late:
                raise Trouble(f"{self.what}: the store has failed (injected)")

    def back(self, size: int) -> None:
        if self.fails_late:
            raise Trouble(f"{self.what}: the store has failed after it (injected)")
        for one in self.road.in_force.now():
            self.pass_by(one, size)

    def pass_by(self, one: Disturbance, size: int) -> None:
        """What meets requests and answers alike."""
        match one.way:
            case Way.PARTITION if one.cuts_off("store"):
                self.wait_for_its_end(one)
            case Way.LOSS:
                self.send_until_it_arrives(one)
            case Way.BANDWIDTH if size:
                self.meet(one)
                self.road.sleep(self.road.on_the_line(size, one.bytes_per_s))
            case _:
                pass

    def wait_for_its_end(self, one: Disturbance) -> None:
        """What was sent meanwhile arrives then, as TCP has it, unless the client has given up."""
        self.meet(one)
        until_s = self.road.now_s() + GIVES_UP_S
        while self.road.in_force.holds(one):
            if self.road.now_s() >= until_s:
                raise Trouble(f"{self.what}: no answer within {GIVES_UP_S:g} s (injected)")
            self.road.sleep(LOOK_S)

    def send_until_it_arrives(self, one: Disturbance) -> None:
        waited_s, pause_s = 0.0, RESENT_AFTER_S
        while self.road.chance() < one.share:
            self.meet(one)
            if waited_s + pause_s > GIVES_UP_S:
                raise Trouble(f"{self.what}: no answer within {GIVES_UP_S:g} s (injected)")
            self.road.sleep(pause_s)
            waited_s, pause_s = waited_s + pause_s, 2 * pause_s
