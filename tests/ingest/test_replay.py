"""The replay source: the same epochs for everybody, and an end."""

# ruff: noqa: ARG001  (generators are told more than these use)

from collections.abc import Mapping

import pyarrow as pa
import pytest

from levee_spark.ingest.function import CannotIngest
from levee_spark.ingest.replay import Replay
from levee_spark.lane import rows
from levee_spark.log.requests import Computed, Raised

MARKET = {"generator": "levee_spark.examples.market:rows", "ratePerS": "400"}
HERE = "tests.ingest.test_replay"


def squares(epoch: int, options: Mapping[str, str], task: int, tasks: int) -> pa.Table:
    return pa.table({"epoch": [epoch] * 3, "square": [epoch**2] * 3, "share": [f"{task}/{tasks}"] * 3})


def nanoseconds(epoch: int, options: Mapping[str, str], task: int, tasks: int) -> pa.Table:
    return pa.table({"at": pa.array([1_000_000_123], pa.timestamp("ns", "Europe/Berlin")), "plain": pa.array([5], pa.timestamp("s"))})


def raises(epoch: int, options: Mapping[str, str], task: int, tasks: int) -> pa.Table:
    raise KeyError(options["missing"])


def returns_a_list(epoch: int, options: Mapping[str, str], task: int, tasks: int) -> list[int]:
    return [epoch]


def replay(name: str, task: int = 0, tasks: int = 1, **options: str) -> Replay:
    return Replay.of({"generator": f"{HERE}:{name}", **options}, task, tasks)


def ingested(source: Replay, epoch: int) -> Computed:
    computed = source.ingest(epoch, str(epoch - 1) if epoch > 1 else None)
    assert isinstance(computed, Computed)
    return computed


def table(computed: Computed) -> pa.Table:
    assert isinstance(computed.payload, bytes)
    return rows.decode(computed.payload)


def test_two_ingestors_read_the_same_epoch_in_the_same_bytes() -> None:
    one, other = (ingested(Replay.of(MARKET, 0, 1), 7) for _ in range(2))
    assert (one.payload, one.digest) == (other.payload, other.digest)
    assert (one.rows > 0, one.offsets) == (True, "7")


def test_no_two_epochs_share_a_digest_even_if_their_rows_are_equal() -> None:
    source = replay("squares", epochs="1")
    assert ingested(source, 2).rows == ingested(source, 3).rows == 0
    assert ingested(source, 2).digest != ingested(source, 3).digest


def test_the_tasks_of_a_source_share_its_rows() -> None:
    tables = [table(ingested(Replay.of(MARKET, task, 3), 4)) for task in range(3)]
    whole = table(ingested(Replay.of(MARKET, 0, 1), 4))
    assert sorted(key for one in tables for key in one["key"].to_pylist()) == whole["key"].to_pylist()


def test_the_generator_is_told_its_options_without_those_of_the_source() -> None:
    told: list[Mapping[str, str]] = []
    source = replay("squares", epochs="9", flavour="sour")

    def listens(epoch: int, options: Mapping[str, str], task: int, tasks: int) -> pa.Table:
        told.append(options)
        return squares(epoch, options, task, tasks)

    source.generator = listens
    source.ingest(1, None)
    assert told == [{"flavour": "sour"}]


def test_a_bounded_source_ends_and_then_has_empty_epochs_of_the_same_columns() -> None:
    source = replay("squares", epochs="200")
    assert [source.ended(epoch) for epoch in (1, 200, 201)] == [False, False, True]
    last, after = (table(ingested(source, epoch)) for epoch in (200, 201))
    assert (last.num_rows, after.num_rows) == (3, 0)
    assert after.schema == last.schema


def test_a_source_without_a_bound_never_ends() -> None:
    assert not replay("squares").ended(10**11)


def test_a_source_of_no_epochs_has_columns_all_the_same() -> None:
    assert table(ingested(replay("squares", epochs="0"), 1)).column_names == ["epoch", "square", "share"]


def test_times_become_microseconds_in_utc() -> None:
    made = table(ingested(replay("nanoseconds"), 1))
    assert made.schema.types == [pa.timestamp("us", tz="UTC"), pa.timestamp("us")]
    assert made["at"].cast(pa.int64()).to_pylist() == [1_000_000]


def test_rows_are_counted() -> None:
    source = replay("squares", epochs="2")
    for epoch in (1, 2, 3):
        source.ingest(epoch, None)
    assert (source.counters.ingested_rows, source.counters.offered_rows) == (6, 6)


def test_what_a_generator_raises_is_told_with_its_own_lines() -> None:
    raised = replay("raises").ingest(5, "4")
    assert isinstance(raised, Raised)
    assert raised.error.startswith("epoch 5: KeyError: 'missing'")
    assert "in raises: raise KeyError" in raised.error
    assert "replay.py:" not in raised.error.replace("test_replay.py:", "")


def test_a_generator_must_return_a_table() -> None:
    raised = replay("returns_a_list").ingest(1, None)
    assert isinstance(raised, Raised)
    assert "returned list, not a pyarrow.Table" in raised.error


@pytest.mark.parametrize("name", ["no.such.module:rows", f"{HERE}:nothing", "rows", f"{HERE}:MARKET", f"{HERE}"])
def test_a_generator_that_cannot_be_found_is_refused_with_a_remedy(name: str) -> None:
    with pytest.raises(CannotIngest, match="Fix: ") as refused:
        Replay.of({"generator": name}, 0, 1)
    assert name in refused.value.complaint.where


def test_an_epoch_is_made_again_and_counts_for_nothing() -> None:
    source = replay("squares")
    told = ingested(source, 4)
    again = source.again(4, "3", "4")
    assert isinstance(again, Computed)
    assert (again.payload, again.digest, source.counters.ingested_rows) == (told.payload, told.digest, 3)


def test_the_epochs_after_the_end_say_so() -> None:
    source = replay("squares", epochs="2")
    assert [ingested(source, epoch).ended for epoch in (1, 2, 3, 4)] == [False, False, True, True]
