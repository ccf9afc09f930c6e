"""Which compiler a worker's JVM gets follows from what the topology declares."""

import pytest

from levee.topology.timing import rows_of_an_epoch
from tests.worker.topologies import resource


@pytest.mark.parametrize(
    ("epoch", "rows"),
    [("{period: 250ms}", 2.5), ("{period: 2s}", 20), ("{period: 2s, maxRows: 15}", 15)],
)
def test_an_epoch_has_the_rows_of_its_period_at_the_highest_rate_and_no_more_than_it_may(epoch: str, rows: float) -> None:
    assert rows_of_an_epoch(resource(epoch).spec) == rows
