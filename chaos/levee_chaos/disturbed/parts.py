"""What a process of a disturbed run is given instead of the parts that any other has: its store, its clock, its answers.

Called by: worker; starting; a test's own program for workers.
"""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from levee_chaos.disturbed.blobs import DisturbedBlobs
from levee_chaos.disturbed.feeling import Feeling
from levee_chaos.disturbed.passage import Road
from levee_chaos.disturbed.place import InForce, Place
from levee_chaos.disturbed.values import Way
from levee_spark.store.address import open_store
from levee_spark.store.blobs import Blobs

SILENT_S = 600.0  # nobody who asks waits for so long
LOOK_S = 0.05


@dataclass(slots=True)
class Parts:
    place: Place
    node: str  # empty: the controller's
    in_force: InForce = field(init=False)
    feeling: Feeling = field(init=False)
    ahead_ns: int = 0
    monotonic_ns: Callable[[], int] = time.monotonic_ns

    def __post_init__(self) -> None:
        self.in_force, self.feeling = InForce(self.place, self.node), Feeling(self.place)

    def open_store(self, uri: str, **more: Any) -> Blobs:
        """Opened in peace: a disturbance begins with the first request."""
        return DisturbedBlobs(open_store(uri, **more), Road(self.in_force, self.feeling, Random(f"{self.node} {os.getpid()}")))

    def clock_ns(self) -> int:
        """It jumps ahead and, like any such clock, never back: what has been added stays."""
        ahead = [one for one in self.in_force.now() if one.way is Way.CLOCK]
        for one in ahead:
            self.feeling.met(one)
        self.ahead_ns = max(self.ahead_ns, 1_000_000 * sum(one.ms for one in ahead))
        return self.monotonic_ns() + self.ahead_ns

    def set_the_clock(self) -> None:
        """For whatever of Levee reads it in this process; threads that wait go by another."""
        vars(time).update(monotonic_ns=self.clock_ns)

    def silenced(self, answer: Callable[..., Any]) -> Callable[..., Any]:
        """Whoever asks a worker that is cut off hears nothing, until that is over."""

        def after_a_while(*told: Any) -> Any:
            until_s = time.monotonic() + SILENT_S
            while any(one.cuts_off("operator") for one in self.in_force.now()) and time.monotonic() < until_s:
                time.sleep(LOOK_S)
            return answer(*told)

        return after_a_while


def parts_of(order: Path) -> Parts:
    """Of a worker."""
    told = json.loads(order.read_text())
    return Parts(Place(Path(told["directory"]).parents[1]), told["node"])
