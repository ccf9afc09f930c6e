"""Kafka for the run that reads and writes it.

Called by: pytest.
"""

from tests.e2e.conftest import kafka

__all__ = ["kafka"]
