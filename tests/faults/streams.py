"""What a run has left: the manifests in the store and the rows in the sink's files, and the verdict on both.

Why: every test of a fault ends with the same two questions: is each stream one line, and are the rows those of the undisturbed run?
Called by: the tests of faults.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from levee.topology.names import TaskId
from levee_spark.log import digest, history
from levee_spark.log.values import GENESIS, Kind, Manifest
from levee_spark.log.wiring import Wiring
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from tests.faults.chain import STREAMS, Row

Streams = Mapping[str, Sequence[Manifest]]


def streams_of(wiring: Wiring, store: str) -> Streams:
    """All manifests, read anew."""
    driver = StoreDriver(open_store(store))
    try:
        return {task: drive(history.manifests(wiring.layout, TaskId(task)), driver) for task in STREAMS}
    finally:
        driver.close()


def check_lines(streams: Streams) -> None:
    """Each stream is dense and one line from its first epoch on, and each epoch names the inputs that it was computed from."""
    for task, line in streams.items():
        assert [one.epoch for one in line] == list(range(1, len(line) + 1)), task
        before = GENESIS
        for one in line:
            assert one.lineage == digest.lineage(before, one.digest), f"{task}: epoch {one.epoch} does not continue epoch {one.epoch - 1}"
            assert all(epoch == one.epoch for _, epoch in one.inputs), task
            before = one.lineage


def breaks(streams: Streams) -> dict[str, list[int]]:
    """Where somebody had to adopt."""
    return {task: [one.epoch for one in line if one.rebased] for task, line in streams.items() if any(one.rebased for one in line)}


def sealed(streams: Streams, task: str, kind: Kind) -> list[int]:
    return [one.epoch for one in streams[task] if one.kind is kind]


def delivered(out: Path) -> dict[int, list[Row]]:
    """The rows of each epoch's file, in an order of their own: that of rows within an epoch means nothing."""
    found = {}
    for file in sorted(out.glob("part-*.json")):
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        found[int(file.stem.rpartition("-")[2])] = sorted(rows, key=lambda row: str(row["key"]))
    return found
