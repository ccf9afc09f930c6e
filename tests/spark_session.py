"""One Spark for all tests of a process.

Why: PySpark knows one JVM, which takes seconds to start; folders of tests that need it share this one, whichever comes first.
Called by: the conftest of every folder whose tests need Spark, which imports `spark`.
"""

import atexit
from functools import cache

import pytest
from pyspark.sql import SparkSession

from levee_spark.spark.session import open_session
from levee_spark.spark.settings import Size


@cache
def started() -> SparkSession:
    session, jvm = open_session(Size(), {})
    atexit.register(jvm.stop)
    atexit.register(session.stop)  # first
    return session


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    return started()
