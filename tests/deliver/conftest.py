"""Spark and Kafka for the tests of batch writers.

Called by: pytest.
"""

from tests.e2e.conftest import kafka
from tests.spark_session import kafka_spark, spark

__all__ = ["kafka", "kafka_spark", "spark"]
