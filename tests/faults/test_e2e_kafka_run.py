"""From one topic into another, on a real broker, by `levee run`, with the worker that reads killed in between."""

import json
import uuid
from pathlib import Path

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from servers.kafka import Kafka, kafka_server
from tests.faults.commands import levee, running, until

pytestmark = pytest.mark.e2e
PARTITIONS, ROWS = 2, 120
SILENT = "readings/0: waits: its source has not answered for "
RESOURCE = """
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: topics}}
spec:
  store: {{uri: "file://{place}/store?durable=false"}}
  epoch: {{period: 500ms, maxRows: 20}}
  sparkConf: {{spark.jars: "{jars}"}}
  sources:
  - name: readings
    spark: {{format: kafka, options: {{kafka.bootstrap.servers: "{broker}", subscribe: "{name}-in", startingOffsets: earliest}}}}
    configurations: [{{rate: 40}}]
  operators:
  - {{name: even, function: "mine.py:even", inputs: [{{from: readings, cost: 10us}}]}}
  sinks:
  - {{name: out, from: even, spark: {{format: kafka, options: {{kafka.bootstrap.servers: "{broker}", topic: "{name}-out"}}}}}}
  faultTolerance: {{strategy: static}}
  placement: {{nodes: [{{name: node-1}}, {{name: node-2}}]}}
"""
MINE = """
def even(inputs):
    return inputs["readings"].selectExpr("cast(cast(value as string) as bigint) as number").where("number % 2 = 0")
"""


def test_every_row_of_a_topic_comes_into_the_other_and_whatever_comes_twice_says_the_same_epoch(kafka: Kafka, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    name = f"run-{uuid.uuid4().hex}"
    make(kafka, f"{name}-in", f"{name}-out")
    produce(kafka, f"{name}-in", range(ROWS // 2))
    resource = RESOURCE.format(place=tmp_path, jars=",".join(kafka.jars), broker=kafka.bootstrap, name=name)
    out = Topic(kafka, f"{name}-out")
    with running(tmp_path, resource):
        until(lambda: len(out.read()) > 0, "the first rows are delivered")
        levee(tmp_path, "kill", "replica", "readings/0")  # with the worker of the task's primary
        produce(kafka, f"{name}-in", range(ROWS // 2, ROWS))
        until(lambda: len({number for number, _ in out.read()}) == ROWS // 2, "all rows are delivered")
        levee(tmp_path, "stop")
    found = set(out.read())
    out.close()
    assert sorted(number for number, _ in found) == list(range(0, ROWS, 2)), "with its epoch, each number is there once"


def test_a_broker_that_is_away_is_told_and_when_it_is_back_every_row_comes(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    with kafka_server() as (kafka, broker):
        make(kafka, "away-in", "away-out")
        produce(kafka, "away-in", range(ROWS // 2))
        out = Topic(kafka, "away-out")
        with running(tmp_path, RESOURCE.format(place=tmp_path, jars=",".join(kafka.jars), broker=kafka.bootstrap, name="away")):
            until(lambda: len(out.read()) > 0, "the first rows are delivered")
            broker.kill()
            until(lambda: SILENT in (tmp_path / "log").read_text(), "people are told")
            assert SILENT.partition(": ")[2] in levee(tmp_path, "status")
            broker.restart()
            produce(kafka, "away-in", range(ROWS // 2, ROWS))
            until(lambda: len({number for number, _ in out.read()}) == ROWS // 2, "all rows are delivered")
            levee(tmp_path, "stop")
        found = set(out.read())
        out.close()
    assert sorted(number for number, _ in found) == list(range(0, ROWS, 2)), "with its epoch, each number is there once"


class Topic:
    """All that is in it: numbers with their epochs."""

    def __init__(self, kafka: Kafka, name: str) -> None:
        self.consumer = Consumer({"bootstrap.servers": kafka.bootstrap, "group.id": name, "auto.offset.reset": "earliest"})
        self.consumer.subscribe([name])
        self.found: list[tuple[int, int]] = []

    def read(self) -> list[tuple[int, int]]:
        for message in self.consumer.consume(1_000, timeout=1):
            if message.error():
                continue  # its broker is away
            row = json.loads(message.value() or b"")
            self.found.append((row["number"], row["_epoch"]))
        return self.found

    def close(self) -> None:
        self.consumer.close()


def make(kafka: Kafka, *topics: str) -> None:
    admin = AdminClient({"bootstrap.servers": kafka.bootstrap})
    for made in admin.create_topics([NewTopic(topic, PARTITIONS, 1) for topic in topics]).values():
        made.result(60)


def produce(kafka: Kafka, topic: str, numbers: range) -> None:
    producer = Producer({"bootstrap.servers": kafka.bootstrap})
    for number in numbers:
        producer.produce(topic, str(number).encode(), partition=number % PARTITIONS)
    assert producer.flush(60) == 0
