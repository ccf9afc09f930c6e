"""What a source's declaration becomes: limits, defaults, refusals."""

import json
from pathlib import Path

import pytest

from levee_spark.ingest.backlog import waiting
from levee_spark.ingest.formats import effective
from levee_spark.ingest.function import CannotIngest
from levee_spark.ingest.opening import DAY_MS, Place, age_ms, open_ingestion
from levee_spark.ingest.query import reasons
from levee_spark.store.address import open_store


def no_spark() -> object:
    raise AssertionError("what cannot work is refused before Spark is asked for")


@pytest.mark.parametrize(
    ("form", "options", "wrong"),
    [
        ("json", {"path": "in", "schema": "a INT", "cleanSource": "delete"}, "cleanSource"),
        ("csv", {"path": "in", "schema": "a INT", "cleanSource": "archive"}, "cleanSource"),
        ("parquet", {"path": "in"}, "says nothing of its columns"),
        ("json", {"path": "in", "schema": "a INT", "bounded": "yes"}, "says bounded: 'yes'"),
        ("kafka", {"subscribe": "t", "bounded": "true"}, "is bounded, but kafka does not tell"),
        ("replay", {"epochs": "3"}, "names no generator"),
        ("replay", {"generator": "levee_spark.examples.market:rows", "epochs": "many"}, "'many' epochs"),
    ],
)
def test_a_source_that_cannot_work_is_refused_with_a_remedy(form: str, options: dict[str, str], wrong: str) -> None:
    place = Place(no_spark, Path("nowhere"), open_store("memory://"), "seen", 100)  # type: ignore[arg-type]  # never called
    with pytest.raises(CannotIngest, match=wrong) as refused:
        open_ingestion("in", form, options, place)
    assert (refused.value.complaint.where, bool(refused.value.complaint.fix)) == ("source 'in'", True)


def test_a_generator_is_told_how_long_an_epoch_is_unless_it_was_told_otherwise() -> None:
    place = Place(no_spark, Path("nowhere"), open_store("memory://"), "seen", 100, period_ms=750)  # type: ignore[arg-type]  # never called
    options = {"generator": "levee_spark.examples.market:rows"}
    periods = [open_ingestion("in", "replay", options | more, place).options["periodMs"] for more in ({}, {"periodMs": "5"})]  # type: ignore[attr-defined]
    assert periods == ["750", "5"]


def test_kafka_is_bounded_and_reads_what_was_committed() -> None:
    assert effective("kafka", {"subscribe": "t"}, 100, tasks=3) == {
        "kafka.isolation.level": "read_committed",
        "maxOffsetsPerTrigger": "300",  # each task reads the rows of all three
        "subscribe": "t",
    }


def test_files_are_bounded_in_bytes_and_the_schema_is_no_option_of_sparks() -> None:
    assert effective("json", {"path": "in", "schema": "a INT"}, 100, tasks=1) == {"path": "in", "maxBytesPerTrigger": "10000"}


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ("kafka", {"kafka.isolation.level": "read_uncommitted", "maxoffsetspertrigger": "5"}),
        ("json", {"maxFilesPerTrigger": "5"}),
        ("parquet", {"maxBytesPerTrigger": "5"}),
        ("rate", {"rowsPerSecond": "5"}),
    ],
)
def test_what_a_user_has_set_is_kept(form: str, options: dict[str, str]) -> None:
    assert effective(form, options, 100, tasks=1) == options


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, 7 * DAY_MS),
        ({"maxFileAge": "90min"}, 90 * 60_000),
        ({"maxFileAge": "1000"}, 1000),
        ({"maxFileAge": "a week"}, None),  # unknown: nothing is forgotten
        ({"latestFirst": "true"}, None),
    ],
)
def test_the_age_from_which_files_are_passed_over_is_sparks(options: dict[str, str], expected: int | None) -> None:
    assert age_ms(options) == expected


def test_the_backlog_of_a_task_is_that_of_its_partitions() -> None:
    end, latest = json.dumps({"t": {"0": 10, "1": 10}}), json.dumps({"t": {"0": 15, "1": 30, "3": 7}, "u": {"1": 2}})
    assert [waiting(end, latest, task, 2) for task in range(2)] == [5, 29]
    assert waiting(end, latest, 0, 1) == 34


@pytest.mark.parametrize("latest", [None, "17", '{"tick": 3}', "[1]"])
def test_the_offsets_of_other_sources_are_no_backlog(latest: str | None) -> None:
    assert waiting(None, latest, 0, 1) == 0


def test_of_what_spark_says_the_causes_are_told_once() -> None:
    causes = ["Caused by: a.b.Ex: the file", "\tat x", "Caused by: py4j.Ex: the Python Proxy", "Caused by: a.b.Ex: the file"]
    said = "\n".join(["failed", "=== Streaming Query ===", *causes])
    assert reasons(said) == "the file"
    assert reasons("the table is gone\n=== Streaming Query ===\nIdentifier: 7\n\tat x") == "the table is gone"
