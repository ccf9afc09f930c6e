"""Waiting for an epoch: woken at once by a neighbour, otherwise asking as rarely as its rhythm allows."""

import threading
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levee_spark.log.requests import PutIfAbsent, Wait
from levee_spark.store.driver import StoreDriver
from levee_spark.store.wake import AGREE_MIN, Rhythm, Waiter, Wakeups
from tests.store.places import Place, epoch_by, key

FOREVER_MS = 3_600_000
POLL_MS, PERIOD_MS = 20, 250


@pytest.fixture
def driver() -> StoreDriver:
    return StoreDriver(Place("memory://").open())


def test_whoever_waits_for_an_epoch_is_woken_by_a_replica_here_that_commits_it(driver: StoreDriver) -> None:
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(driver.waiter().wait, Wait(FOREVER_MS, (key(1), key(9))))
        driver.answer(PutIfAbsent(key(1), epoch_by("here", 1)))
        waiting.result()


def test_whoever_begins_to_wait_after_the_commit_does_not_wait(driver: StoreDriver) -> None:
    driver.answer(PutIfAbsent(key(1), epoch_by("here", 1)))
    driver.waiter().wait(Wait(FOREVER_MS, (key(1),)))


def test_whoever_is_stopped_waits_no_longer_and_never_again(driver: StoreDriver) -> None:
    waiter = driver.waiter()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(waiter.wait, Wait(FOREVER_MS))
        waiter.stop()
        waiting.result()
    waiter.wait(Wait(FOREVER_MS, (key(1),)))


def test_nothing_is_left_of_those_who_have_waited(driver: StoreDriver) -> None:
    threading.Thread(target=driver.waiter().wait, args=(Wait(1, (key(1), key(2))),)).run()
    assert driver.wakeups.waiting == {}


class Stream:
    """Epochs that come by a clock of their own, and a consumer who asks for them by its rhythm."""

    def __init__(self, arrivals: list[float]) -> None:
        self.arrivals, self.now_ms = arrivals, 0
        self.wakeups, self.asked, self.delay_ms = Wakeups(), 0, 0.0
        self.waiter = Waiter(self.wakeups, lambda: self.now_ms)

    def consume(self, epochs: range) -> None:
        for epoch in epochs:
            self.wait(epoch, 0)
            self.asked += 1
            while self.arrivals[epoch] > self.now_ms:
                self.wakeups.absent(key(epoch), self.now_ms)
                self.wait(epoch, POLL_MS)
                self.asked += 1
            self.wakeups.found(key(epoch), self.now_ms)
            self.delay_ms += self.now_ms - self.arrivals[epoch]
            self.now_ms += 10  # to compute it

    def wait(self, epoch: int, ms: int) -> None:
        wait = Wait(ms, (key(epoch),), polls=True)
        self.now_ms += self.wakeups.begin(wait, self.waiter.event, self.now_ms)
        self.wakeups.end(wait, self.waiter.event)


def test_in_steady_state_little_more_than_one_request_finds_an_epoch_soon() -> None:
    random = Random(1)
    stream = Stream([PERIOD_MS * epoch + random.uniform(0, 6) for epoch in range(300)])
    stream.consume(range(1, 40))
    stream.asked, stream.delay_ms = 0, 0.0
    stream.consume(range(40, 300))
    assert stream.asked / 260 < 1.6
    assert stream.delay_ms / 260 < POLL_MS


def test_a_stream_that_comes_sooner_than_before_is_soon_read_sooner() -> None:
    stream = Stream([PERIOD_MS * epoch - (150 if epoch >= 50 else 0) for epoch in range(200)])
    stream.consume(range(1, 70))
    stream.delay_ms = 0.0
    stream.consume(range(70, 200))
    assert stream.delay_ms / 130 < POLL_MS


def test_whoever_has_a_neighbour_that_commits_the_stream_need_not_ask_at_all() -> None:
    stream = Stream([PERIOD_MS * epoch for epoch in range(200)])
    for epoch in range(1, 30):
        stream.wakeups.committed(key(epoch), PERIOD_MS * epoch)
    rhythm = stream.wakeups.rhythms[key(1).rpartition("/")[0]]
    assert rhythm.pause_ms(0, PERIOD_MS * 29 + 10) > PERIOD_MS, "it will be told"
    assert rhythm.pause_ms(0, PERIOD_MS * 31) == 0, "the neighbour may be gone"


def test_whoever_fell_behind_for_once_finds_back_into_the_rhythm() -> None:
    stream = Stream([PERIOD_MS * epoch for epoch in range(200)])
    stream.consume(range(1, 50))
    stream.now_ms += 3_000
    stream.consume(range(50, 80))
    stream.asked, stream.delay_ms = 0, 0.0
    stream.consume(range(80, 200))
    assert stream.asked / 120 < 1.6 and stream.delay_ms / 120 < POLL_MS


def test_after_an_epoch_that_came_late_those_that_are_there_already_are_read_at_once() -> None:
    """Its producer stood still, and then did at once what had been due meanwhile."""
    stream = Stream([PERIOD_MS * max(epoch, 60 if 50 <= epoch < 60 else 0) for epoch in range(200)])
    stream.consume(range(1, 50))
    stream.delay_ms = 0.0
    stream.consume(range(50, 62))
    assert stream.delay_ms / 12 < PERIOD_MS / 2


def test_though_somebody_else_waits_for_each_epoch_too_nobody_trails() -> None:
    """Who sees to late epochs waits before each; that is no sign of a rhythm."""
    stream = Stream([0.0] * 100 + [PERIOD_MS * (epoch - 30) for epoch in range(100, 400)])
    stream.wakeups.rhythms[key(1).rpartition("/")[0]] = Rhythm(number=0, came_ms=0, since=(0, 0), period_ms=PERIOD_MS, agreed=AGREE_MIN)
    for epoch in range(1, 100):
        stream.wait(epoch, POLL_MS)
        stream.consume(range(epoch, epoch + 1))
    assert stream.now_ms < 100 * PERIOD_MS / 3


def test_a_rhythm_that_is_far_too_slow_is_forgotten() -> None:
    """It was learnt from a store that hardly answered."""
    stream = Stream([PERIOD_MS * epoch for epoch in range(1_000)])
    stream.wakeups.rhythms[key(1).rpartition("/")[0]] = Rhythm(
        number=0, came_ms=0, since=(0, 0), period_ms=20 * PERIOD_MS, agreed=AGREE_MIN
    )
    stream.consume(range(1, 900))
    stream.delay_ms = 0.0
    stream.consume(range(900, 999))
    assert stream.delay_ms / 99 < POLL_MS


def test_whoever_sleeps_while_the_rhythm_is_being_learnt_does_not_take_the_sleep_for_a_period() -> None:
    for first in range(2, 12):
        stream = Stream([PERIOD_MS * epoch for epoch in range(400)])
        stream.consume(range(1, first))
        stream.wakeups.absent(key(first), stream.now_ms)
        stream.now_ms += 200 * PERIOD_MS
        stream.consume(range(first, first + 150))
        assert stream.now_ms < PERIOD_MS * (first + 200) + 150 * 10 + 2 * PERIOD_MS


def test_a_stream_that_stood_still_for_once_is_read_as_soon_as_before() -> None:
    for still in range(2, 12):
        stream = Stream([PERIOD_MS * (epoch if epoch < still else epoch + 100) for epoch in range(200)])
        stream.consume(range(1, still + 1))
        stream.delay_ms = 0.0
        stream.consume(range(still + 1, 199))
        assert stream.delay_ms / (198 - still) < POLL_MS


def test_a_stream_whose_epochs_come_less_often_than_before_is_soon_asked_for_as_rarely() -> None:
    stream = Stream([PERIOD_MS * epoch if epoch < 50 else PERIOD_MS * (50 + 8 * (epoch - 50)) for epoch in range(200)])
    stream.consume(range(1, 60))
    stream.asked = 0
    stream.consume(range(60, 199))
    assert stream.asked / 139 < 1.6


def test_a_stream_that_is_late_is_asked_for_ever_less_often_and_never_rarely() -> None:
    rhythm = Rhythm(number=7, came_ms=0, since=(0, 0), period_ms=1_000, agreed=AGREE_MIN, absent_ms=1_000)
    pauses = [rhythm.pause_ms(POLL_MS, 1_000 + late) for late in (0, 30, 100, 300, 10_000)]
    assert pauses == [20, 20, 50, 150, 250]


def test_whoever_catches_up_does_not_take_the_backlog_for_the_rhythm() -> None:
    stream = Stream([0.0] * 500 + [10_000 + PERIOD_MS * number for number in range(500)])
    stream.consume(range(1, 500))
    rhythm = stream.wakeups.rhythms[key(1).rpartition("/")[0]]
    assert rhythm.period_ms is None and rhythm.pause_ms(POLL_MS, stream.now_ms) == POLL_MS


@given(st.lists(st.integers(1, 2_000), min_size=3, max_size=60), st.integers(1, 100))
def test_whatever_the_arrivals_nobody_sleeps_through_more_than_two_periods(gaps: list[int], poll_ms: int) -> None:
    rhythm, now_ms = Rhythm(), 0
    for number, gap in enumerate(gaps):
        now_ms += gap
        rhythm.waited = True
        rhythm.found(number, now_ms)
        pause_ms = rhythm.pause_ms(poll_ms, now_ms)
        assert 0 <= pause_ms <= max(poll_ms, 2 * (rhythm.period_ms or 0))


def test_a_hold_is_not_prolonged(driver: StoreDriver) -> None:
    rhythm = driver.wakeups.rhythms.setdefault(key(1).rpartition("/")[0], Rhythm(0, 0, since=(0, 0), period_ms=1_000, agreed=AGREE_MIN))
    event = threading.Event()
    assert driver.wakeups.begin(Wait(100, (key(1),)), event, 10) == 100
    assert driver.wakeups.begin(Wait(100, (key(1),), polls=True), event, 10) == 990 and rhythm.waited
