"""Kafka topics as sources, on a real broker: every committed row once, whoever ingests."""

import uuid
from pathlib import Path

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from pyspark.sql import SparkSession

from levee_spark.ingest.ingestion import Ingestion
from levee_spark.ingest.opening import Place, open_ingestion
from levee_spark.lane import rows
from levee_spark.log.requests import Computed
from levee_spark.store.address import open_store
from servers.kafka import Kafka

pytestmark = pytest.mark.e2e
MAX_ROWS = 40
PARTITIONS = 2


@pytest.fixture
def topic(kafka: Kafka) -> str:
    name = f"source-{uuid.uuid4().hex}"
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    admin.create_topics([NewTopic(name, PARTITIONS, 1)])[name].result(60)
    return name


def produce(kafka: Kafka, topic: str, numbers: range, *, aborted: bool = False) -> None:
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "transactional.id": uuid.uuid4().hex})
    producer.init_transactions(60)
    producer.begin_transaction()
    for number in numbers:
        producer.produce(topic, str(number).encode(), partition=number % PARTITIONS)
    producer.flush(60)
    (producer.abort_transaction if aborted else producer.commit_transaction)(60)


def source(spark: SparkSession, kafka: Kafka, topic: str, path: Path, task: int = 0, tasks: int = 1) -> Ingestion:
    options = {"kafka.bootstrap.servers": kafka.bootstrap, "subscribe": topic, "startingOffsets": "earliest"}
    place = Place(lambda: spark, path / uuid.uuid4().hex, open_store("memory://"), "seen", MAX_ROWS)
    return open_ingestion("in", "kafka", options, place, task=task, tasks=tasks)


def run(ingestion: Ingestion, first: int, last: int, offsets: str | None) -> tuple[list[list[int]], str | None]:
    found: list[list[int]] = []
    for epoch in range(first, last + 1):
        answer = ingestion.ingest(epoch, offsets)
        assert isinstance(answer, Computed), answer
        assert isinstance(answer.payload, bytes)
        found.append([int(value) for value in rows.decode(answer.payload)["value"].to_pylist()])
        offsets = answer.offsets
    return found, offsets


def test_a_topic_is_read_once_and_bounded_also_by_a_standby(kafka_spark: SparkSession, kafka: Kafka, topic: str, tmp_path: Path) -> None:
    produce(kafka, topic, range(100))
    produce(kafka, topic, range(1000, 1020), aborted=True)
    primary, standby = (source(kafka_spark, kafka, topic, tmp_path) for _ in range(2))
    first, offsets = run(primary, 1, 2, None)
    run(primary, 3, 3, offsets)  # lost
    second, offsets = run(standby, 3, 6, offsets)
    produce(kafka, topic, range(100, 130))
    third, _ = run(standby, 7, 8, offsets)
    found = first + second + third
    primary.stop()
    standby.stop()
    assert sorted(number for one in found for number in one) == list(range(130))
    assert max(map(len, found)) <= MAX_ROWS
    assert [] in second  # idle, and sealed all the same


def test_what_is_offered_is_more_than_what_is_taken_in(kafka_spark: SparkSession, kafka: Kafka, topic: str, tmp_path: Path) -> None:
    produce(kafka, topic, range(50))
    ingestion = source(kafka_spark, kafka, topic, tmp_path)
    _, offsets = run(ingestion, 1, 2, None)
    for epoch in range(3, 9):
        produce(kafka, topic, range(200))
        _, offsets = run(ingestion, epoch, epoch, offsets)
    counters = ingestion.counters
    ingestion.stop()
    assert counters.ingested_rows <= 8 * MAX_ROWS
    assert counters.offered_rows >= counters.ingested_rows + 500


def test_the_tasks_of_a_source_have_partitions_of_their_own(kafka_spark: SparkSession, kafka: Kafka, topic: str, tmp_path: Path) -> None:
    produce(kafka, topic, range(60))
    for task in range(2):
        ingestion = source(kafka_spark, kafka, topic, tmp_path, task, tasks=2)
        found, _ = run(ingestion, 1, 3, None)
        ingestion.stop()
        assert [number for one in found for number in one] == list(range(task, 60, 2))
