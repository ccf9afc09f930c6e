"""Which files of tests run beside each other on the one cluster, and in which order they begin.

Why: most of the time they wait for pods of their own, which are in nobody's way. But one that breaks a node, or changes what belongs to the
whole cluster, would fail others that have done nothing wrong; and what is measured is worth little beside others. So who says so is alone,
by a lock that all processes of a run share: whatever the order and however many they are, nothing else has something on the cluster then.
Called by: conftest.
"""

import fcntl
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path

import pytest

LOCK = "cluster.lock"
LONGEST = ("operator", "rates", "fit", "verify", "experiment")  # they begin first, so that in the end nobody waits for one of them
MEASURING = ("alerts", "chaos_network", "packets")  # and these last, when there is nothing left that could run beside them


class Turn(IntEnum):
    """Of a file, in the order in which they begin."""

    TOGETHER = fcntl.LOCK_SH
    OFF_CLUSTER = fcntl.LOCK_UN
    ALONE = fcntl.LOCK_EX


ORDER = (Turn.TOGETHER, Turn.OFF_CLUSTER, Turn.ALONE)


def turn_of(items: Iterable[pytest.Item]) -> Turn:
    """One test that has to be alone makes all of its file so: a life that they share would stand in its way."""
    marks = {mark.name for item in items for mark in item.iter_markers()}
    if marks & {"alone", "breaks_nodes"}:
        return Turn.ALONE
    return Turn.OFF_CLUSTER if "off_cluster" in marks else Turn.TOGETHER


def begins(path: Path, turn: Turn) -> tuple[int, int, int]:
    """To be sorted by."""
    name = path.stem.removeprefix("test_e2e_")
    return ORDER.index(turn), LONGEST.index(name) if name in LONGEST else len(LONGEST), name in MEASURING


@contextmanager
def taken(turn: Turn, folder: Path) -> Iterator[None]:
    """`folder`: the same for all processes of a run."""
    with (folder / LOCK).open("w") as lock:
        fcntl.flock(lock, turn)
        yield
