"""Where a bounded topology ends: every task derives it from the manifests of the epoch's own inputs."""

import pytest

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import bounds, codec
from levee_spark.log.digest import lineage
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.seal import Sealer
from levee_spark.log.values import GENESIS, EpochObject, Kind, Manifest
from levee_spark.log.wiring import TaskWiring, Wiring

SOURCE = TaskId("s")
TIMES = Times(period_ms=10, hold_ms=1, deadline_ms=20, failure_timeout_ms=50, retention_ms=1_000, poll_ms=5, pin_ms=100, lead=5, backlog=5)


def manifest(epoch: int, ended: int = 0) -> Manifest:
    return Manifest(epoch, Kind.FINAL, 0, "d", lineage(GENESIS, "d"), 1, "w", ended=ended)


def inputs(epoch: int, *ends: int) -> tuple[EpochObject, ...]:
    """Of one epoch, of streams that end at these; each says so from there on."""
    return tuple(EpochObject(manifest(epoch, end if 0 < end <= epoch else 0)) for end in ends)


def closings(last: int, *ends: int) -> list[int]:
    return [epoch for epoch in range(1, last + 1) if bounds.closes(epoch, inputs(epoch, *ends))]


def test_a_task_closes_once_where_the_last_of_its_inputs_ends() -> None:
    assert closings(20, 6) == [6]
    assert closings(20, 6, 11, 9) == [11]
    assert closings(20, 6, 0) == []


def test_a_stream_ends_with_the_epoch_after_its_closing_one() -> None:
    said = [bounds.of_task(epoch, inputs(epoch, 6, 11)) for epoch in range(1, 15)]
    assert said == [0] * 11 + [12] * 3


def test_a_chain_of_tasks_closes_one_epoch_after_the_other() -> None:
    ends = 4
    for depth in range(5):
        assert closings(20, ends) == [4 + depth]
        ends = bounds.of_task(20, inputs(20, ends))


def test_whoever_begins_after_the_end_is_done_without_closing_again() -> None:
    assert [bounds.is_done(epoch, inputs(epoch, 6, 8)) for epoch in (7, 8, 30)] == [False, True, True]
    assert not bounds.closes(30, inputs(30, 6, 8))


def test_a_source_that_has_ended_never_takes_it_back() -> None:
    assert bounds.of_source(5, manifest(4), ended=True) == 5
    assert bounds.of_source(6, manifest(5, 5)) == 5
    assert bounds.of_source(6, manifest(5)) == 0


def test_an_epoch_that_was_skipped_says_that_its_stream_has_ended() -> None:
    task = TaskWiring(SOURCE, OperatorName("s"), skips_late=True)
    script = Sealer(Wiring(Layout("p", "u"), TIMES, {SOURCE: task}), task, "sealer").skipped(8, manifest(7, 6))
    with pytest.raises(StopIteration) as made:
        next(script)
    assert made.value.value.manifest.ended == 6


def test_manifests_from_before_there_was_an_end_can_be_read() -> None:
    written = codec.encode(EpochObject(manifest(7, 3)))
    text = written.partition(b" ")[2].partition(b" ")[2].removesuffix(b"\n")
    older = text.replace(b'"ended":3,', b"")
    assert older != text
    data = b" ".join((codec.MAGIC, codec.checksum(older.strip()).encode(), older.strip())) + b"\n"
    found = codec.decode(data, "here")
    assert isinstance(found, EpochObject)
    assert (found.manifest.epoch, found.manifest.ended) == (7, 0)
