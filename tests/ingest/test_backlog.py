"""What a source offers beside what is taken in."""

from unittest.mock import Mock

from levee_spark.ingest.backlog import RowsDue
from levee_spark.ingest.opening import backlog_of

QUERY = Mock()


def test_a_rate_is_offered_as_fast_as_it_falls_due_though_a_pause_is_made_up_for_at_once() -> None:
    times = iter((5_000, 6_000, 9_000, 9_250, 10_000))
    backlog = RowsDue(100, lambda: next(times))
    offered = [taken + backlog.growth(QUERY, taken) for taken in (700, 100, 0, 320, 80)]
    assert offered == [0, 100, 300, 25, 75]


def test_each_task_is_offered_its_share() -> None:
    backlog = backlog_of("rate", {"rowsPerSecond": "90"}, 0, 3)
    assert isinstance(backlog, RowsDue) and backlog.per_s == 30


def test_of_a_rate_that_rises_and_of_one_that_is_no_number_nothing_is_known() -> None:
    assert backlog_of("rate", {"rowsPerSecond": "90", "rampUpTime": "10s"}, 0, 1) is None
    assert backlog_of("rate", {"rowsPerSecond": "many"}, 0, 1) is None
