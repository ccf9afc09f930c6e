"""What a worker's requests meet while a disturbance holds."""

import errno
import os
from pathlib import Path
from random import Random

import pytest

from levee.worlds.local.processes import Process
from levee_chaos.disturbed.blobs import DisturbedBlobs
from levee_chaos.disturbed.feeling import Feeling
from levee_chaos.disturbed.parts import Parts
from levee_chaos.disturbed.passage import GIVES_UP_S, Road
from levee_chaos.disturbed.place import InForce, Place
from levee_chaos.disturbed.values import Disturbance, Way, read, written
from levee_spark.store.address import open_store
from levee_spark.store.blobs import Trouble

KEY = "a/b"


class Clock:
    """Sleeping takes the time that was asked for; somebody may act when a moment comes."""

    def __init__(self) -> None:
        self.s = 0.0
        self.at: dict[float, object] = {}

    def sleep(self, seconds: float) -> None:
        self.s += seconds
        for moment in [one for one in self.at if one <= self.s]:
            self.at.pop(moment)()  # type: ignore[operator]


class Stage:
    def __init__(self, place: Path) -> None:
        self.place, self.clock = Place(place), Clock()
        self.place.open(Process(1, "1"))
        self.inner = open_store("memory://")
        self.blobs = self.of("node-1")

    def of(self, node: str) -> DisturbedBlobs:
        road = Road(InForce(self.place, node), Feeling(self.place), Random(7), self.clock.sleep, lambda: self.clock.s)
        return DisturbedBlobs(self.inner, road)

    def took_s(self, times: int = 1) -> float:
        began_s = self.clock.s
        for number in range(times):
            self.blobs.overwrite(f"{KEY}{number}", b"12345")
        return self.clock.s - began_s


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_a_disturbance_is_read_as_it_was_written_and_has_one_name() -> None:
    for way in Way:
        one = Disturbance(way, "node-1", "store", 0.5, 20, 3, 1_000)
        assert read(written(one)) == one
        assert read(written(one)).name == one.name
    assert len({Disturbance(way, "node-1").name for way in Way}) == len(Way)


def test_without_a_disturbance_all_is_as_the_store_has_it(stage: Stage) -> None:
    assert stage.blobs.create(KEY, b"x")
    assert not stage.blobs.create(KEY, b"y")
    found = stage.blobs.get(KEY)
    assert found is not None and found.data == b"x"
    assert stage.blobs.get("c") is None
    assert stage.blobs.names("a", "", 10) == (KEY,)
    stage.blobs.delete(KEY)
    assert stage.blobs.clear("a", 10) == 0
    assert stage.clock.s == 0


def test_who_is_cut_off_waits_until_the_client_gives_up_and_nothing_was_done(stage: Stage) -> None:
    cut = Disturbance(Way.PARTITION, "node-1")
    stage.place.begin(cut)
    with pytest.raises(Trouble, match="writing a/b: no answer within 10 s"):
        stage.blobs.create(KEY, b"x")
    assert GIVES_UP_S <= stage.clock.s < GIVES_UP_S + 1
    assert stage.inner.get(KEY) is None
    assert stage.of("node-2").create(KEY, b"y")  # the others are not
    assert stage.place.felt(cut.name)[os.getpid()].answered == 0


def test_what_was_sent_while_one_was_cut_off_arrives_when_that_is_over(stage: Stage) -> None:
    cut = Disturbance(Way.PARTITION, "node-1")
    stage.place.begin(cut)
    stage.clock.at[3.0] = lambda: stage.place.end(cut.name)
    assert stage.blobs.create(KEY, b"x")
    assert 3 <= stage.clock.s < 4
    assert stage.place.felt(cut.name) == {}  # with the disturbance


def test_an_answer_may_be_lost_although_the_request_was_carried_out(stage: Stage) -> None:
    cut = Disturbance(Way.PARTITION)
    create = stage.inner.create

    def cut_off_then(key: str, data: bytes) -> bool:
        created = create(key, data)
        stage.place.begin(cut)
        return created

    stage.blobs.inner = type("Inner", (), {"create": staticmethod(cut_off_then)})()
    with pytest.raises(Trouble):
        stage.blobs.create(KEY, b"x")
    assert stage.inner.get(KEY) is not None


def test_a_delay_is_added_once_to_each_request_and_is_felt(stage: Stage) -> None:
    slow = Disturbance(Way.DELAY, "node-1", ms=200, jitter_ms=50)
    stage.place.begin(slow)
    assert 40 * 0.15 <= stage.took_s(40) <= 40 * 0.25
    felt = stage.place.felt(slow.name)[os.getpid()]
    assert felt.times >= 8
    assert 150 <= felt.took_ms <= 250


def test_what_is_lost_is_sent_again_later_and_later_until_the_client_gives_up(stage: Stage) -> None:
    stage.place.begin(Disturbance(Way.LOSS, share=0.3))
    assert stage.took_s(100) == pytest.approx(100 * 2 * 0.2 * 0.3 / (1 - 2 * 0.3), rel=0.5)
    stage.place.begin(Disturbance(Way.LOSS, share=1.0))
    with pytest.raises(Trouble, match="no answer"):
        stage.blobs.get(KEY)


def test_a_narrow_line_is_shared_by_all_that_pass_it(stage: Stage) -> None:
    stage.place.begin(Disturbance(Way.BANDWIDTH, bytes_per_s=50))
    assert stage.took_s(10) == pytest.approx(1.0)
    began_s = stage.clock.s
    stage.blobs.get(f"{KEY}1")
    assert stage.clock.s - began_s == pytest.approx(0.1)


def test_of_the_requests_that_fail_half_are_carried_out(stage: Stage) -> None:
    stage.place.begin(Disturbance(Way.FAILS, share=1.0))
    for number in range(100):
        with pytest.raises(Trouble, match="the store has failed"):
            stage.blobs.create(f"a/{number}", b"x")
    assert 30 < len(stage.inner.names("a", "", 1_000)) < 70


def test_a_full_disk_is_read_and_not_written(stage: Stage) -> None:
    stage.blobs.create(KEY, b"x")
    full = Disturbance(Way.FULL)
    stage.place.begin(full)
    assert stage.blobs.get(KEY) is not None
    for write in (lambda: stage.blobs.create("c", b"x"), lambda: stage.blobs.overwrite("c", b"x")):
        with pytest.raises(Trouble, match=os.strerror(errno.ENOSPC)):
            write()
    stage.blobs.delete(KEY)
    stage.place.end(full.name)
    assert stage.blobs.create("c", b"x")


def test_the_stores_clock_is_off_for_everybody(stage: Stage) -> None:
    stage.inner.create(KEY, b"x")
    true, seen = stage.inner.get(KEY), stage.blobs.get(KEY)
    assert true is not None and seen is not None and seen.written_ms == true.written_ms
    stage.place.begin(Disturbance(Way.STORE_CLOCK, ms=-5_000))
    for node in ("node-1", ""):
        off = stage.of(node).get(KEY)
        assert off is not None and off.written_ms == true.written_ms - 5_000


def test_a_workers_clock_jumps_ahead_and_never_back(tmp_path: Path) -> None:
    stage, now_ns = Stage(tmp_path), 1_000
    parts = Parts(stage.place, "node-1", monotonic_ns=lambda: now_ns)
    ahead = Disturbance(Way.CLOCK, "node-1", ms=60_000)
    assert parts.clock_ns() == 1_000
    stage.place.begin(ahead)
    assert parts.clock_ns() == 60_000_001_000
    assert Parts(stage.place, "node-2", monotonic_ns=lambda: now_ns).clock_ns() == 1_000
    stage.place.end(ahead.name)
    assert parts.clock_ns() == 60_000_001_000


def test_only_the_run_that_obeys_is_known_as_one(tmp_path: Path) -> None:
    place = Place(tmp_path)
    assert not place.is_open(Process(1, "1"))
    place.open(Process(1, "1"))
    assert place.is_open(Process(1, "1"))
    assert not place.is_open(Process(1, "2"))
    assert not place.is_open(None)
