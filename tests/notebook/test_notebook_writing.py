"""Writing a stream from a notebook: every batch is an epoch, once, whatever is cut off and run again. Without Spark."""

from dataclasses import dataclass

import pyarrow as pa
import pytest
from pyspark import TaskContext
from pyspark.sql.types import LongType, StructType

from levee.topology.names import TaskId
from levee_spark.log.control import first
from levee_spark.log.requests import Absent, Get, List, Listed
from levee_spark.log.values import EpochObject, Live, Shape
from levee_spark.notebook import writing
from levee_spark.notebook.rows import table_of
from levee_spark.notebook.source import Streams as Source
from levee_spark.notebook.trouble import CannotUse
from levee_spark.notebook.writing import Part, StreamWriter
from tests.notebook.streams import UID, Streams

TASK = TaskId("mine/0")
NUMBERS = StructType().add("n", LongType())


@dataclass
class Context:
    """What Spark tells a task."""

    query: str
    batch: int

    def getLocalProperty(self, name: str) -> str:  # noqa: N802
        return {"sql.streaming.queryId": self.query, "streaming.sql.batchId": str(self.batch)}[name]


@dataclass
class Query:
    """Somebody's query, as far as the writer sees it."""

    streams: Streams
    name: str
    options: dict[str, str]
    monkeypatch: pytest.MonkeyPatch

    def writer(self) -> StreamWriter:
        """A new one for each batch, as Spark makes them."""
        told = {name: value for name, value in self.streams.options("mine", uid=UID, **self.options).items() if name != "pollMs"}
        made = Source(told).streamWriter(NUMBERS, overwrite=False)
        assert isinstance(made, StreamWriter)
        return made

    def write(self, batch: int, *partitions: list[int]) -> list[Part]:
        self.monkeypatch.setattr(TaskContext, "get", lambda: Context(self.name, batch))
        return [self.writer().write(iter([pa.record_batch({"n": pa.array(rows, pa.int64())})])) for rows in partitions]

    def commit(self, batch: int, parts: list[Part]) -> None:
        self.writer().commit(list(parts), batch)

    def run(self, batch: int, *partitions: list[int]) -> None:
        self.commit(batch, self.write(batch, *partitions))


@pytest.fixture
def query(streams: Streams, monkeypatch: pytest.MonkeyPatch) -> Query:
    return Query(streams, "q1", {}, monkeypatch)


def another(query: Query, name: str, **options: str) -> Query:
    return Query(query.streams, name, options, query.monkeypatch)


def epoch(streams: Streams, number: int) -> EpochObject | None:
    opened = Source(streams.options("mine", uid=UID)).reading(NUMBERS).look()
    return opened.epoch(TASK, number)


def numbers(streams: Streams, number: int) -> list[int]:
    found = epoch(streams, number)
    assert found is not None
    return sorted(table_of(found)["n"].to_pylist())


def segments(streams: Streams) -> int:
    listed = streams.driver.answer(List(streams.layout.segments(TASK), "", 100))
    assert isinstance(listed, Listed)
    return len(listed.names)


def test_batches_become_epochs(query: Query, streams: Streams) -> None:
    query.run(0, [1, 2], [3])
    query.run(1, [4])
    assert [numbers(streams, one) for one in (1, 2)] == [[1, 2, 3], [4]]
    before, after = epoch(streams, 1), epoch(streams, 2)
    assert before is not None and after is not None
    assert after.manifest.time_ms >= before.manifest.time_ms > 0
    assert (before.manifest.rows, len(before.manifest.segments)) == (3, 2)


def test_a_batch_that_is_run_again_changes_nothing(query: Query, streams: Streams) -> None:
    query.run(0, [1, 2])
    query.run(0, [7, 8])
    assert (numbers(streams, 1), epoch(streams, 2)) == ([1, 2], None)
    assert segments(streams) == 1


def test_a_batch_that_was_cut_off_before_its_manifest_is_run_again_and_counts_once(query: Query, streams: Streams) -> None:
    query.run(0, [1])
    query.write(1, [2], [3])  # and the machine loses its power
    assert epoch(streams, 2) is None
    query.run(1, [2, 3])
    query.run(2, [4])
    query.run(2, [4])  # it sweeps what nobody names
    assert [numbers(streams, one) for one in (1, 2, 3)] == [[1], [2, 3], [4]]
    assert segments(streams) == 3


def test_a_batch_whose_answer_was_lost_is_committed_once(query: Query, streams: Streams) -> None:
    parts = query.write(0, [1])
    query.commit(0, parts)
    query.commit(0, parts)
    query.run(1, [2])
    assert [numbers(streams, one) for one in (1, 2)] == [[1], [2]]


def test_a_batch_without_rows_is_an_epoch_with_columns(query: Query, streams: Streams) -> None:
    query.commit(0, [])
    query.run(1, [])
    query.run(2, [5])
    found = epoch(streams, 1)
    assert found is not None
    assert (table_of(found).column_names, table_of(found).num_rows) == (["n"], 0)
    assert numbers(streams, 3) == [5]


def test_epochs_that_were_read_are_not_written_as_columns(query: Query, streams: Streams) -> None:
    query.monkeypatch.setattr(TaskContext, "get", lambda: Context("q1", 0))
    part = query.writer().write(iter([pa.record_batch({"n": [1], "_epoch": [9], "_epoch_time": [9]})]))
    query.commit(0, [part])
    found = epoch(streams, 1)
    assert found is not None
    assert table_of(found).column_names == ["n"]


def test_a_second_query_must_say_that_it_goes_on_after_the_first(query: Query, streams: Streams) -> None:
    query.run(0, [1])
    query.run(1, [2])
    with pytest.raises(CannotUse, match="it is written by query q1, and this one is q2"):
        another(query, "q2").run(0, [3])
    successor = another(query, "q2", takeOver="true")
    successor.run(0, [3])
    successor.run(0, [3])
    successor.run(1, [4])
    with pytest.raises(CannotUse, match="written by query q2"):
        query.run(1, [2])
    assert [numbers(streams, one) for one in (1, 2, 3, 4)] == [[1], [2], [3], [4]]


def test_two_that_write_at_once_do_not_mix_their_parts(query: Query, streams: Streams) -> None:
    query.run(0, [1])
    other = another(query, "q2", takeOver="true")
    mine, theirs = query.write(1, [2]), other.write(0, [3])
    query.commit(1, mine)
    with pytest.raises(CannotUse, match="somebody else has written to it meanwhile"):
        other.commit(0, theirs)
    assert numbers(streams, 2) == [2]


def test_a_topologys_own_streams_are_refused(query: Query, streams: Streams) -> None:
    streams.epochs("mine/0", 1, 1)
    with pytest.raises(CannotUse, match="computed by a topology"):
        query.write(0, [1])


def test_a_topologys_uid_is_refused(query: Query, streams: Streams) -> None:
    streams.put(streams.layout.control(1), first(Shape(), Live(), "c"))
    with pytest.raises(CannotUse, match="uid u1 is a topology's"):
        query.write(0, [1])
    assert isinstance(streams.driver.answer(Get(streams.layout.epoch(TASK, 1))), Absent)


def test_old_orphans_are_swept_now_and_then(query: Query, streams: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "SWEEP_EVERY", 3)
    query.write(0, [99])
    for batch in range(3):
        query.run(batch, [batch])
    assert segments(streams) == 3


def test_what_would_replace_earlier_epochs_is_refused(streams: Streams) -> None:
    with pytest.raises(CannotUse, match='outputMode\\("append"\\)'):
        Source({"store": streams.root.as_uri(), "topology": "a", "stream": "s", "uid": "u"}).streamWriter(NUMBERS, overwrite=True)


def test_what_is_written_needs_a_uid(streams: Streams) -> None:
    with pytest.raises(CannotUse, match="has no uid"):
        Source({"store": streams.root.as_uri(), "topology": "a", "stream": "s"}).streamWriter(NUMBERS, overwrite=False)
