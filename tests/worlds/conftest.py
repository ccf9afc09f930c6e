"""A topology of the toy in a store in memory.

Called by: pytest.
"""

from collections.abc import Iterator

import pytest

from levee.topology.load import load
from levee_spark.log.wiring import Wiring
from levee_spark.store.address import open_store
from levee_spark.store.driver import StoreDriver
from levee_spark.worker.wiring import wiring_of
from tests.worlds.toy import toy


@pytest.fixture
def wiring() -> Wiring:
    [loaded] = load(toy("file:///tmp"), origin="toy")
    assert loaded.resource is not None
    return wiring_of(loaded.resource, "uid")


@pytest.fixture
def driver() -> Iterator[StoreDriver]:
    driver = StoreDriver(open_store("memory://"))
    yield driver
    driver.close()
