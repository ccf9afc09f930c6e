"""A real broker: what was acknowledged is there, what was aborted is not, and Spark can read it."""

import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer

from servers.install import java
from servers.kafka import Kafka, kafka_server

pytestmark = pytest.mark.e2e
JOB = Path(__file__).with_name("spark_reads_kafka.py")
ROWS = [f"row {number}" for number in range(500)]


@pytest.fixture
def topic() -> str:
    return f"topic-{uuid.uuid4().hex}"


def produce(kafka: Kafka, topic: str, rows: list[str]) -> None:
    refused: list[object] = []
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "acks": "all"})
    for row in rows:
        producer.produce(topic, row.encode(), on_delivery=lambda error, _: refused.append(error) if error else None)
    assert producer.flush(60) == 0
    assert refused == []


def consume(kafka: Kafka, topic: str, count: int) -> list[str]:
    """At least `count` rows, and what comes with them."""
    settings = {
        "bootstrap.servers": kafka.bootstrap,
        "group.id": topic,
        "auto.offset.reset": "earliest",
        "isolation.level": "read_committed",
    }
    consumer = Consumer({**settings, "enable.auto.commit": False})
    consumer.subscribe([topic])
    rows: list[str] = []
    try:
        while len(rows) < count:
            messages = consumer.consume(num_messages=count, timeout=60)
            assert messages, f"only {len(rows)} of {count} rows came"
            assert [message.error() for message in messages if message.error()] == []
            rows += [(message.value() or b"").decode() for message in messages]
    finally:
        consumer.close()
    return rows


def test_what_was_produced_is_consumed(kafka: Kafka, topic: str) -> None:
    produce(kafka, topic, ROWS)
    assert sorted(consume(kafka, topic, len(ROWS))) == sorted(ROWS)


def test_an_aborted_transaction_is_never_seen(kafka: Kafka, topic: str) -> None:
    producer = Producer({"bootstrap.servers": kafka.bootstrap, "transactional.id": topic})
    producer.init_transactions(60)
    for row, end in (("aborted", producer.abort_transaction), ("committed", producer.commit_transaction)):
        producer.begin_transaction()
        producer.produce(topic, row.encode(), partition=0)
        producer.flush(60)
        end(60)
    assert consume(kafka, topic, 1) == ["committed"]


def test_kill_9_of_the_broker_loses_no_acknowledged_row(topic: str) -> None:
    with kafka_server() as (kafka, broker):
        produce(kafka, topic, ROWS)
        broker.kill()
        broker.restart()
        assert sorted(consume(kafka, topic, len(ROWS))) == sorted(ROWS)


def test_spark_reads_the_topic_through_the_connector(kafka: Kafka, topic: str) -> None:
    produce(kafka, topic, ROWS)
    command: list[str | Path] = [sys.executable, JOB, java().program, ",".join(kafka.jars), kafka.bootstrap, topic]
    done = subprocess.run(command, env=dict(os.environ), capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:-1] == sorted(ROWS), done.stderr[-2000:]
