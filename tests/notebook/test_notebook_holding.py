"""A batch that reads a topology which goes on: what it has planned to read is not trimmed meanwhile."""

import pytest

from levee.topology.names import OperatorName, TaskId
from levee_spark.log.clock import StoreClock
from levee_spark.log.rank import Times
from levee_spark.log.trim import Trimmer
from levee_spark.log.values import Floor
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.notebook import holding
from levee_spark.notebook.parts import Epochs
from levee_spark.notebook.reading import BatchReader
from levee_spark.notebook.source import Streams as Source
from levee_spark.notebook.trouble import CannotUse
from levee_spark.store.blobs import Trouble
from levee_spark.store.drive import drive
from levee_spark.store.local import LocalBlobs
from tests.notebook.streams import Streams

PRICES, MARKET = TaskId("prices/0"), TaskId("market/0")
STREAM = OperatorName("prices")
TIMES = Times(100, 50, 400, 1_000, 0, 5, 60_000, 10, 10)


def reader(streams: Streams, **options: str) -> BatchReader:
    made = Source(streams.options(**{"stream": "prices", **options}))
    opened = made.reader(made.schema())
    assert isinstance(opened, BatchReader)
    return opened


def raise_floor(streams: Streams, below: int) -> None:
    streams.put(streams.layout.floor(PRICES, 1), Floor(1, below))


def trim(streams: Streams, below: int, inputs: tuple[TaskId, ...] = (MARKET,)) -> None:
    """The trimmer's last step: the floor has risen, it looks for pins once more, and deletes. Without `inputs` it is a source's."""
    task = TaskWiring(PRICES, STREAM, inputs)
    trimmer = Trimmer(Wiring(streams.layout, TIMES, {PRICES: task}), task, "w")
    drive(trimmer.ask_time(), streams.driver)
    assert isinstance(trimmer.clock, StoreClock)
    drive(trimmer.delete_below(Floor(1, below)), streams.driver)


def numbers(opened: BatchReader, parts: list[Epochs]) -> list[int]:
    return sorted(n for part in parts for batch in opened.read(part) for n in batch.to_pydict()["n"] if n > 0)


def planned(opened: BatchReader) -> list[Epochs]:
    return [part for part in opened.partitions() if isinstance(part, Epochs)]


@pytest.mark.parametrize("options", [{}, {"startingEpoch": "1"}])
@pytest.mark.parametrize("inputs", [(MARKET,), ()], ids=["operator", "source"])
def test_what_a_batch_has_planned_to_read_stays_until_it_has(streams: Streams, options: dict[str, str], inputs: tuple[TaskId, ...]) -> None:
    streams.epochs("prices/0", 1, 40)
    opened = reader(streams, **options)
    parts = planned(opened)
    raise_floor(streams, 38)
    trim(streams, 38, inputs)
    assert numbers(opened, parts) == list(range(1, 41))


def test_a_batch_of_several_streams_holds_all_of_them(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 40)
    streams.epochs("market/0", 1, 40)
    opened = reader(streams, stream="market,prices")
    parts = planned(opened)
    raise_floor(streams, 38)
    trim(streams, 38)
    assert numbers(opened, parts) == sorted([*range(1, 41), *range(1, 41)])


def test_a_batch_that_begins_with_the_earliest_epoch_begins_at_the_floor_that_it_finds_once_it_holds(
    streams: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    streams.epochs("prices/0", 1, 9)
    opened = reader(streams)
    place = holding.Hold.place

    def overtaken(self: holding.Hold, *told: object) -> bool:
        streams.trim("prices/0", 5)
        return place(self, *told)  # type: ignore[arg-type]

    monkeypatch.setattr(holding.Hold, "place", overtaken)
    parts = planned(opened)
    monkeypatch.undo()
    assert numbers(opened, parts) == [5, 6, 7, 8, 9]


def test_a_hold_that_has_run_out_is_told_where_something_is_gone(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 9)
    opened = reader(streams)
    parts = planned(opened)
    for held in streams.path(streams.layout.registrations(STREAM)).iterdir():
        held.unlink()
    raise_floor(streams, 5)
    with pytest.raises(CannotUse, match="epoch 1 of task prices/0 has been trimmed"):
        numbers(opened, parts)


def test_who_may_only_read_reads_without_a_hold(streams: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise Trouble("not allowed")

    monkeypatch.setattr(LocalBlobs, "overwrite", forbidden)
    streams.epochs("prices/0", 1, 9)
    opened = reader(streams)
    assert numbers(opened, planned(opened)) == list(range(1, 10))


def test_who_puts_up_with_gaps_holds_nothing(streams: Streams) -> None:
    streams.epochs("prices/0", 1, 9)
    opened = reader(streams, failOnDataLoss="false")
    parts = planned(opened)
    assert not streams.path(streams.layout.registrations(STREAM)).exists()
    streams.trim("prices/0", 5)
    assert numbers(opened, parts) == [5, 6, 7, 8, 9]
