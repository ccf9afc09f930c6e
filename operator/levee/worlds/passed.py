"""How many rows have passed: what the manifests of all streams say, epoch by epoch.

Why: a manifest is read without its rows, and everything that was committed stands in one, whoever runs by now.
Called by: the command line; serve, for what it compares with the descriptor.
"""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from levee.planning.measured.counts import Passed
from levee.topology.names import OperatorName, TaskId
from levee_spark.log import floor, head
from levee_spark.log.commit import Unreadable
from levee_spark.log.values import Floor, Kind, Manifest
from levee_spark.log.wiring import Wiring
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver

AT_ONCE = 8  # a remote store takes its time for each


@dataclass(frozen=True, slots=True)
class Counted:
    """One epoch of one task."""

    rows: int = 0
    whole: bool = False  # else it was lost, or cannot be read


def passed(wiring: Wiring, driver: StoreDriver, most: int) -> Passed:
    """The last epochs that all streams have; sinks emit nothing. No epochs, where there are none."""
    tasks = [task for task, wired in wiring.tasks.items() if not wired.sink]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        last = min(pool.map(lambda task: head_of(wiring, driver, task), tasks))
        lowest = max(pool.map(lambda task: floor_of(wiring, driver, task), tasks))
        epochs = range(max(1, lowest, last - most + 1), last + 1)
        found = dict(zip(tasks, pool.map(lambda task: counted(wiring, driver, task, epochs), tasks), strict=True))
    return joined(wiring, epochs.start, found)


def head_of(wiring: Wiring, driver: StoreDriver, task: TaskId) -> int:
    try:
        found = drive(head.find(wiring.layout, task), driver)
    except Unreadable:
        return 0
    return found.epoch if found is not None else 0


def floor_of(wiring: Wiring, driver: StoreDriver, task: TaskId) -> int:
    return drive(floor.latest(wiring.layout, task, Floor(0, 0)), driver).epoch


def counted(wiring: Wiring, driver: StoreDriver, task: TaskId, epochs: range) -> list[Counted]:
    return [counted_at(wiring, driver, task, epoch) for epoch in epochs]


def counted_at(wiring: Wiring, driver: StoreDriver, task: TaskId, epoch: int) -> Counted:
    try:
        manifest: Manifest | None = drive(head.manifest_at(wiring.layout, task, epoch), driver)
    except Unreadable:
        return Counted()
    if manifest is None or manifest.kind is not Kind.FINAL:
        return Counted()
    return Counted(manifest.rows, whole=True)


def joined(wiring: Wiring, first: int, found: Mapping[TaskId, Sequence[Counted]]) -> Passed:
    """Of each stream what its tasks have emitted together."""
    streams: dict[OperatorName, list[Sequence[Counted]]] = {}
    for task, epochs in found.items():
        streams.setdefault(wiring.tasks[task].operator, []).append(epochs)
    rows = {name: tuple(sum(one.rows for one in at) for at in zip(*tasks, strict=True)) for name, tasks in streams.items()}
    holes = {
        name: frozenset(epoch for epoch, at in enumerate(zip(*tasks, strict=True), start=first) if not all(one.whole for one in at))
        for name, tasks in streams.items()
    }
    return Passed(first, wiring.times.period_ms / 1000, rows, holes)
