"""Rows per second as a worker tells them: taken in, and offered."""

import pytest

from levee_spark.worker.serve import of_replica
from levee_spark.worker.speed import Speed
from levee_spark.worker.status import Doing, Passed, Status


def source(*, paced: bool = False) -> Status:
    return Status("market/0/0", "market/0", Doing.RUNNING, paced=paced)


def after(speed: Speed, status: Status, now_ms: int, rows: int, offered: int | None = None, epochs: int = 1) -> tuple[float, float | None]:
    status.emitted = Passed(status.emitted.rows + rows, status.emitted.epochs + epochs)
    status.offered = offered
    speed.measure(status, now_ms)
    return status.rows_per_s, status.offered_per_s


def test_a_bounded_epoch_does_not_hide_what_is_offered() -> None:
    speed, status = Speed(1_000), source()
    after(speed, status, 0, 100, 100)
    assert after(speed, status, 1_000, 100, 400) == (100.0, 300.0)


def test_who_follows_forgets_what_it_measured_and_begins_anew_when_it_leads() -> None:
    speed, status = Speed(1_000), source()
    after(speed, status, 0, 100, 100)
    after(speed, status, 1_000, 100, 200)
    assert of_replica(status)["rows_per_s"] == 100.0
    speed.rest(status)
    assert (of_replica(status)["rows_per_s"], of_replica(status)["offered_per_s"]) == (None, None)
    after(speed, status, 60_000, 100, 300)
    assert of_replica(status)["rows_per_s"] is None
    assert after(speed, status, 61_000, 100, 400) == (100.0, 100.0)


def test_a_source_that_tells_no_backlog_offers_what_is_taken_in() -> None:
    speed, status = Speed(1_000), source()
    after(speed, status, 0, 100, 100)
    assert after(speed, status, 2_000, 500, 600) == (250.0, 250.0)


def test_rows_that_fall_due_by_the_clock_are_offered_as_fast_as_they_fall_due() -> None:
    slow, fast = (Speed(500), source(paced=True)), (Speed(500), source(paced=True))
    for speed, status in (slow, fast):
        after(speed, status, 0, 100, 100)
    assert after(*slow, 2_000, 200, 300, epochs=2) == (100.0, 200.0)  # it is late
    assert after(*fast, 1_000, 400, 500, epochs=4) == (400.0, 200.0)  # it catches up


def test_nothing_is_measured_over_less_than_a_second() -> None:
    speed, status = Speed(100), source()
    after(speed, status, 0, 100, 100)
    assert after(speed, status, 999, 100, 200) == (0.0, None)
    assert after(speed, status, 1_000, 100, 300) == (200.0, 200.0)


def test_what_is_known_every_few_seconds_only_is_as_fast_as_it_grew_between() -> None:
    """As of files, whose place is listed now and then."""
    speed, status = Speed(1_000), source()
    told = [after(speed, status, 1_000 * second, 100, 600 * (second // 5))[1] for second in range(16)]
    assert told[5:] == [120.0] * 11


def test_a_source_that_falls_silent_offers_less_and_less() -> None:
    speed, status = Speed(1_000), source()
    told = [after(speed, status, 1_000 * second, 0, 100 * min(second, 2))[1] for second in range(8)]
    assert told == [None, 100.0, 100.0, 100.0, 50.0, pytest.approx(100 / 3), 25.0, 20.0]


def test_operators_have_no_offer() -> None:
    speed, status = Speed(1_000), source()
    after(speed, status, 0, 100)
    assert after(speed, status, 1_000, 100) == (100.0, None)


@pytest.mark.parametrize(("told", "shown"), [(None, None), (12.34, 12.3)])
def test_it_stands_in_the_state(told: float | None, shown: float | None) -> None:
    status = source()
    status.offered_per_s = told
    assert of_replica(status)["offered_per_s"] == shown
