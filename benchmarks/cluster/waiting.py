"""Wait for what should come about, and no longer than makes sense.

Why: a measurement that does not come to its end must say what it waited for, and how far that had come, before anything breaks down.
Called by: every module of this package; benchmarks.lifecycle, benchmarks.chaos.
"""

import re
import sys
import time
from collections.abc import Callable
from pathlib import Path

from levee.worlds.kubernetes.api import Unreachable

LOOK_S = 0.25
OTHERWISE_TIMES, REST_S_MAX = 9, 5.0
MEMORY_MIB_MIN = 768  # with less the machine begins to kill: the API server first, which is the largest
KIB_PER_MIB = 1024


class Unfinished(Exception):
    """A measurement has not come to its end; why, for the page."""


def await_true(
    holds: Callable[[], bool], within_s: float, what: str, so_far: Callable[[], str] = lambda: "", look_s: float = LOOK_S
) -> None:
    """An API server that does not answer is asked again. To look takes a tenth of the time at most: it costs who is looked at."""
    until_s, began_s = time.monotonic() + within_s, time.monotonic()
    while not answered(holds):
        if time.monotonic() > until_s:
            raise Unfinished(f"{what}: not within {within_s:.0f} s{told(so_far())}")
        time.sleep(max(look_s, min(REST_S_MAX, OTHERWISE_TIMES * (time.monotonic() - began_s))))
        began_s = time.monotonic()


def answered(holds: Callable[[], bool]) -> bool:
    try:
        return holds()
    except Unreachable:
        return False


def told(so_far: str) -> str:
    return f"; {so_far}" if so_far else ""


def need_memory() -> None:
    """Called by whoever waits for what takes more and more of it."""
    left_mib = memory_left_mib()
    if left_mib < MEMORY_MIB_MIN:
        raise Unfinished(f"given up, as the machine had only {left_mib:.0f} MiB of memory left")


def memory_left_mib() -> float:
    found = re.search(r"^MemAvailable:\s+(\d+)", Path("/proc/meminfo").read_text(encoding="ascii"), re.MULTILINE)
    assert found is not None, "Linux says so"
    return int(found[1]) / KIB_PER_MIB


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
