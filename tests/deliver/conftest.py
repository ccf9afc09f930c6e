"""Spark, Kafka and S3 for the tests of batch writers.

Called by: pytest.
"""

from tests.e2e.conftest import kafka, s3, s3_kind
from tests.spark_session import kafka_spark, spark

__all__ = ["kafka", "kafka_spark", "s3", "s3_kind", "spark"]
