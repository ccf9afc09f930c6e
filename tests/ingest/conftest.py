"""Spark for the tests of streaming sources.

Called by: pytest.
"""

from tests.spark_session import spark

__all__ = ["spark"]
