"""Reading a stream from a notebook: which epochs, in which batches, and what one is told when it does not work. Without Spark."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable
from pyspark.sql.types import StructType

from levee.topology.names import TaskId
from levee_spark.notebook.reading import BatchReader, StreamReader
from levee_spark.notebook.source import Streams as Source
from levee_spark.notebook.trouble import CannotUse
from tests.notebook.streams import UID, Streams

ALL = ReadAllAvailable()


def source(streams: Streams, stream: str = "prices", **options: str) -> Source:
    return Source(streams.options(stream, **options))


def reader(streams: Streams, stream: str = "prices", **options: str) -> StreamReader:
    made = source(streams, stream, **options)
    opened = made.streamReader(made.schema())
    assert isinstance(opened, StreamReader)
    return opened


def numbers(streams: Streams, stream: str = "prices", **options: str) -> list[int]:
    """Of all rows that a batch reader finds, the positive ones."""
    made = source(streams, stream, **options)
    opened = made.reader(made.schema())
    assert isinstance(opened, BatchReader)
    found = [n for part in opened.partitions() for batch in opened.read(part) for n in batch.to_pydict()["n"]]
    return sorted(n for n in found if n > 0)


def latest(opened: StreamReader, start: int) -> int:
    return opened.latestOffset({"epoch": start}, ALL)["epoch"]


def test_rows_come_with_their_epoch_and_its_time(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 3)
    made = source(streams)
    schema = made.schema()
    assert isinstance(schema, StructType)
    assert schema.simpleString() == "struct<n:bigint,task:string,_epoch:bigint,_epoch_time:timestamp>"
    opened = made.reader(schema)
    batches = [batch.to_pydict() for part in opened.partitions() for batch in opened.read(part)]  # type: ignore[union-attr]
    assert [batch["_epoch"] for batch in batches] == [[1, 1], [2, 2], [3, 3]]
    assert (batches[1]["_epoch_time"][0] - batches[0]["_epoch_time"][0]).total_seconds() == 1


def test_a_batch_holds_whole_epochs_of_all_tasks(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 9)
    streams.epochs("prices/1", 1, 7)
    opened = reader(streams)
    assert (opened.initialOffset(), latest(opened, 0)) == ({"epoch": 0}, 7)
    tasks = [part.task for part in opened.partitions({"epoch": 0}, {"epoch": 7})]  # type: ignore[attr-defined]
    assert tasks == ["prices/0", "prices/1"]


def test_one_task_can_be_read_alone(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 2)
    streams.epochs("prices/1", 1, 9)
    assert numbers(streams, task="1") == list(range(1, 10))
    with pytest.raises(CannotUse, match=r"prices has no task 2\n  Fix: use 0, 1"):
        numbers(streams, task="2")


def test_a_batch_of_several_streams_begins_when_an_epoch_of_all_of_them_is_there(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 9)
    streams.epochs("market/0", 1, 5)
    streams.epochs("market/1", 1, 6)
    opened = reader(streams, "prices, market")
    assert [latest(opened, start) for start in (0, 5)] == [5, 5]
    streams.epochs("market/0", 6, 7)
    assert latest(opened, 5) == 6
    tasks = [part.task for part in opened.partitions({"epoch": 5}, {"epoch": 6})]  # type: ignore[attr-defined]
    assert tasks == ["prices/0", "market/0", "market/1"]


def test_rows_of_several_streams_say_which_they_are_of_and_have_the_columns_of_all(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 1)
    streams.epoch("market/0", 1, pa.table({"n": [7], "spread": [0.5]}))
    made = source(streams, "prices,market")
    schema = made.schema()
    assert isinstance(schema, StructType)
    assert schema.fieldNames() == ["n", "task", "spread", "_epoch", "_epoch_time", "_stream"]
    opened = made.reader(schema)
    found = [batch.to_pydict() for part in opened.partitions() for batch in opened.read(part)]  # type: ignore[union-attr]
    rows = [row for one in found for row in zip(one["n"], one["spread"], one["_stream"], strict=True)]
    assert rows == [(1, None, "prices"), (-1, None, "prices"), (7, 0.5, "market")]


@pytest.mark.parametrize(
    ("name", "told"), [("n", "column n of prices and of market differ in type"), ("_stream", "market has a column _stream")]
)
def test_streams_whose_columns_cannot_stand_side_by_side_are_not_read_together(streams: Streams, name: str, told: str) -> None:
    streams.epochs("prices/0", 1, 1)
    streams.epoch("market/0", 1, pa.table({name: ["many"]}))
    with pytest.raises(CannotUse, match=f"streams 'prices', 'market' of shop/clicks: they cannot be read together: {told}"):
        source(streams, "prices,market").schema()


def test_trimming_of_any_of_several_streams_is_told(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 9)
    streams.epochs("market/0", 1, 9)
    opened = reader(streams, "prices,market")
    streams.trim("market/0", 5)
    with pytest.raises(CannotUse, match="epoch 3 of task market/0 has been trimmed"):
        latest(opened, 2)
    assert numbers(streams, "prices,market") == [5, 5, 6, 6, 7, 7, 8, 8, 9, 9]


def test_a_query_writes_one_stream(streams: Streams) -> None:
    made = Source({"store": streams.root.as_uri(), "topology": "shop/mine", "uid": "v1", "stream": "prices,market"})
    with pytest.raises(CannotUse, match=r"a query writes one\n  Fix: start a query for each"):
        made.streamWriter(StructType(), overwrite=False)


def test_a_trigger_takes_no_more_epochs_than_it_is_told(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 9)
    opened = reader(streams, maxEpochsPerTrigger="4")
    assert [latest(opened, start) for start in (0, 4, 8, 9)] == [4, 8, 9, 9]


def test_available_now_ends_where_the_stream_ended_when_it_began(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 3)
    opened = reader(streams)
    opened.prepareForTriggerAvailableNow()
    streams.epochs("prices/0", 4, 5)
    assert [latest(opened, start) for start in (0, 3)] == [3, 3]


@pytest.mark.parametrize(("told", "first"), [("earliest", 1), ("latest", 6), ("4", 4), ("40", 40)])
def test_a_query_begins_where_it_is_told(streams: Streams, told: str, first: int) -> None:
    streams.epochs("prices/0", 1, 5)
    assert reader(streams, startingEpoch=told).initialOffset() == {"epoch": first - 1}


def test_a_batch_can_end_before_the_stream_does(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 50)
    assert numbers(streams, startingEpoch="3", endingEpoch="41") == list(range(3, 42))


def test_skipped_epochs_have_no_rows(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 2)
    streams.epoch("prices/0", 3, None)
    assert numbers(streams) == [1, 2]
    assert latest(reader(streams), 0) == 3


def test_trimmed_epochs_are_not_passed_over_in_silence(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 9)
    opened = reader(streams)
    streams.trim("prices/0", 5)
    with pytest.raises(CannotUse, match="epoch 3 of task prices/0 has been trimmed; the oldest that is left is 5"):
        latest(opened, 2)
    with pytest.raises(CannotUse, match="epoch 4 of task prices/0 has been trimmed"):
        list(opened.read(opened.partitions({"epoch": 3}, {"epoch": 6})[0]))
    with pytest.raises(CannotUse, match="trimmed"):
        numbers(streams, startingEpoch="2")
    assert numbers(streams) == [5, 6, 7, 8, 9]


def test_trimmed_epochs_are_passed_over_where_that_is_wanted(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 9)
    opened = reader(streams, failOnDataLoss="false")
    part = opened.partitions({"epoch": 3}, {"epoch": 6})[0]
    streams.trim("prices/0", 5)
    assert latest(opened, 2) == 9
    assert [batch.to_pydict()["n"][0] for batch in opened.read(part)] == [5, 6]


def test_what_somebody_who_slept_has_put_below_the_floor_does_not_count(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 9)
    opened = reader(streams)
    streams.trim("prices/0", 5)
    streams.epochs("prices/0", 4, 4)
    with pytest.raises(CannotUse, match="trimmed"):
        list(opened.read(opened.partitions({"epoch": 3}, {"epoch": 6})[0]))


def test_a_corrupt_epoch_is_told_and_read_where_it_has_been_rebuilt(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 3)
    path = streams.path(streams.layout.epoch(TaskId("prices/0"), 2))
    path.write_bytes(path.read_bytes()[:-3] + b"???")
    with pytest.raises(CannotUse, match=r"epoch 2 of task prices/0 is corrupt: .*checksum"):
        numbers(streams)
    whole = Streams(streams.root.parent / "another")
    whole.epochs("prices/0", 2, 2)
    second = streams.path(streams.layout.rebuilt(TaskId("prices/0"), 2))
    second.parent.mkdir()
    second.write_bytes(whole.path(whole.layout.epoch(TaskId("prices/0"), 2)).read_bytes())
    assert numbers(streams) == [1, 2, 3]


def test_an_unknown_stream_lists_those_that_there_are(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 1)
    streams.epochs("best-offers/0", 1, 1)
    with pytest.raises(CannotUse, match=r"there is no stream 'pricse'\n  Fix: use one of best-offers, prices"):
        source(streams, "pricse").schema()


@pytest.mark.parametrize("uid", [{}, {"uid": UID}])
def test_a_topology_that_is_not_there_lists_those_that_are(streams: Streams, uid: dict[str, str]) -> None:
    """Also beside what is not Levee's, and with a UID that somebody has copied."""
    streams.epochs("prices/0", 1, 1)
    (streams.root / "photos" / "2024" / "summer").mkdir(parents=True)
    (streams.root / "notes.txt").write_text("to do")
    with pytest.raises(CannotUse, match=r"holds no topology shop/clikcs\n  Fix: use shop/clicks"):
        source(streams, "prices", topology="shop/clikcs", **uid).schema()


def test_a_uid_that_is_not_there_lists_those_that_are(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 1)
    with pytest.raises(CannotUse, match=r'holds nothing of it under the UID u9\n  Fix: \.option\("uid", one of u1\)'):
        source(streams, "prices", uid="u9").schema()


def test_of_several_topologies_of_one_name_one_must_be_named(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 2)
    other = Streams(streams.root)
    other.layout = type(other.layout)("shop/clicks", "u2")
    other.epochs("prices/0", 1, 5)
    with pytest.raises(CannotUse, match="several of this name: u1, u2"):
        numbers(streams)
    assert numbers(streams, uid=UID) == [1, 2]


def test_a_topology_that_is_not_there_is_told(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 1)
    with pytest.raises(CannotUse, match="holds no topology shop/carts"):
        source(streams, topology="shop/carts").schema()


def test_a_stream_without_epochs_has_no_columns_yet(streams: Streams) -> None:
    streams.epoch("prices/0", 1, None)
    with pytest.raises(CannotUse, match=r"its columns are not known\n  Fix: wait for the first, or give them"):
        source(streams).schema()


def test_columns_that_change_end_the_query(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 1)
    opened = reader(streams)
    streams.epoch("prices/0", 2, pa.table({"m": [1.5]}))
    with pytest.raises(CannotUse, match="epoch 2 of task prices/0 has other columns"):
        list(opened.read(opened.partitions({"epoch": 0}, {"epoch": 2})[0]))


def test_a_directory_that_is_not_there_is_told_and_not_made(streams: Streams, tmp_path: Path) -> None:
    with pytest.raises(CannotUse, match="there is no such directory"):
        source(streams, store=(tmp_path / "typo").as_uri()).schema()
    assert not (tmp_path / "typo").exists()


def test_a_store_that_does_not_answer_is_told(streams: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(CannotUse, match=r"the store does not answer: .*\n  Fix: start the server, or mend the endpoint"):
        source(streams, store="s3://nowhere/prefix", uid="u").schema()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"startingEpochs": "1"}, "has no option startingepochs"),
        ({"startingEpoch": "0"}, "the first is 1"),
        ({"maxEpochsPerTrigger": "0"}, "from 1 on"),
        ({"failOnDataLoss": "no"}, "write true or false"),
        ({"stream": ""}, "is not told its stream"),
        ({"stream": "prices,"}, "name each stream once"),
        ({"stream": "prices,prices"}, "name each stream once"),
    ],
)
def test_a_wrong_option_is_told_with_what_to_write(streams: Streams, options: dict[str, str], told: str) -> None:
    with pytest.raises(CannotUse, match=told):
        source(streams, **options).schema()
