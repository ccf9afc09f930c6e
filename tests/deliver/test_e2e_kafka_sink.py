"""A Kafka topic as a sink, on a real broker."""

import json
import uuid

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from levee_spark.deliver.opening import open_delivery
from servers.kafka import Kafka
from tests.deliver.epochs import OWNER, delivered, show

pytestmark = pytest.mark.e2e


def test_epochs_reach_the_topic_at_least_once_and_say_which_they_are(kafka_spark: SparkSession, kafka: Kafka) -> None:
    topic = f"sink-{uuid.uuid4().hex}"
    options = {"kafka.bootstrap.servers": kafka.bootstrap, "topic": topic}
    first, again = (open_delivery(OWNER, "kafka", options, spark=lambda: kafka_spark, tell=print, show=show) for _ in range(2))
    for epoch in (1, 2):
        first.deliver(delivered(epoch, pa.table({"key": ["a", "b"], "n": [epoch, 10 * epoch]})))
    again.deliver(delivered(2, pa.table({"key": ["a", "b"], "n": [2, 20]})))  # a deliverer that did not live to say so
    read = kafka_spark.read.format("kafka").options(**{"kafka.bootstrap.servers": kafka.bootstrap, "subscribe": topic}).load()
    rows = [json.loads(row["value"]) for row in read.collect()]
    assert sorted((row["_epoch"], row["n"]) for row in rows) == [(1, 1), (1, 10), (2, 2), (2, 2), (2, 20), (2, 20)]
    assert {(row["_epoch"], row["n"]) for row in rows} == {(1, 1), (1, 10), (2, 2), (2, 20)}
