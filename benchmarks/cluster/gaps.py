"""Gaps in a stream: how long nothing was committed, by the store's own stamps.

Why: what whoever reads the stream has noticed of a failure, and nothing else, is the longest time between one epoch and the next.
Called by: watched; benchmarks.lifecycle.failover, benchmarks.chaos.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from levee_spark.log.keys import number

MS_PER_NS = 1e-6


@dataclass(frozen=True, slots=True)
class Gap:
    after: int  # the epoch
    ms: float
    until_ms: float  # when the next one was there


def gaps(stamps: Mapping[int, float]) -> list[Gap]:
    """`stamps`: in milliseconds, by epoch. Where an epoch is missing (it was trimmed), nothing is known."""
    found = sorted(stamps.items())
    return [Gap(epoch, at - before, at) for (epoch, before), (following, at) in pairwise(found) if following == epoch + 1]


def longest(stamps: Mapping[int, float], since_ms: float) -> Gap:
    """Of those that ended after a moment: it began before it, or came of what followed."""
    return max((one for one in gaps(stamps) if one.until_ms > since_ms), key=lambda one: one.ms)


def at(stamps: Mapping[int, float], from_ms: float, until_ms: float) -> Gap:
    """The longest of those in which something lies that happened between two moments; what follows of it is not in it."""
    return max((one for one in gaps(stamps) if one.until_ms > from_ms and one.until_ms - one.ms <= until_ms), key=lambda one: one.ms)


def before(stamps: Mapping[int, float], moment_ms: float, count: int) -> list[float]:
    """The last gaps that had ended by then: how even the stream is when nothing happens."""
    return [one.ms for one in gaps(stamps) if one.until_ms <= moment_ms][-count:]


def stamps(folder: Path) -> dict[int, float]:
    """Of the objects in a folder of the S3 server, which is on this machine: over HTTP its stamps are whole seconds. An object's time is
    its inode's, as for a store in a directory."""
    found: dict[int, float] = {}
    for epoch in numbers(folder):
        with suppress(FileNotFoundError):  # it was trimmed just now
            found[epoch] = (folder / number(epoch)).stat().st_ctime_ns * MS_PER_NS
    return found


def numbers(folder: Path) -> list[int]:
    """Of epochs, or of published checkpoints; what a server keeps beside them has other names."""
    return sorted(int(path.name) for path in folder.iterdir() if path.name.isdecimal()) if folder.is_dir() else []
