"""One Spark for all tests of a process.

Why: PySpark knows one JVM, which takes seconds to start; folders of tests that need it share this one, whichever comes first.
Called by: the conftest of every folder whose tests need Spark, which imports `spark`.
"""

import atexit
import os
from functools import cache

import pytest
from pyspark.sql import SparkSession

from levee_spark.spark.session import open_session
from levee_spark.spark.settings import Size
from servers.kafka import Kafka
from servers.stack import KAFKA


def kafka_jars() -> tuple[str, ...]:
    """Under `make e2e` Spark can read and write Kafka: jars must be there before the JVM is."""
    told = os.environ.get(KAFKA)
    return Kafka.from_json(told).jars if told else ()


@cache
def started() -> SparkSession:
    session, jvm = open_session(Size(), {"spark.jars": ",".join(kafka_jars())} if kafka_jars() else {})
    atexit.register(jvm.stop)
    atexit.register(session.stop)  # first
    return session


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    return started()


@pytest.fixture(scope="session")
def kafka_spark() -> SparkSession:
    if not kafka_jars():
        pytest.skip("Spark needs its jars before it starts: run it by `make e2e`")
    return started()
