"""Whatever races and whatever fails: an epoch has one winner, and the winner knows it."""

import subprocess
import sys
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from random import Random

import pytest

from levee_spark.log import commit
from levee_spark.log.requests import Found, Get
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from levee_spark.store.faults import FaultyBlobs
from levee_spark.store.shared import Shared
from tests.store.places import ROOT, Place, epoch_by, key

WRITERS, EPOCHS = 32, 1_000


def won_by(driver: StoreDriver, name: str, epochs: int) -> list[tuple[int, str]]:
    """Each commits every epoch, and goes on from whatever was committed."""
    before, won = "genesis", []
    for epoch in range(1, epochs + 1):
        found = drive(commit.commit(key(epoch), epoch_by(name, epoch, before)), driver).manifest
        before = found.lineage
        if found.writer == name:
            won.append((epoch, name))
    return won


def race(driver: StoreDriver, writers: int, epochs: int) -> list[tuple[int, str]]:
    start = threading.Barrier(writers)

    def writer(index: int) -> list[tuple[int, str]]:
        start.wait()
        return won_by(driver, f"writer {index}", epochs)

    with ThreadPoolExecutor(writers) as pool:
        return sorted(win for wins in pool.map(writer, range(writers)) for win in wins)


def committed(place: Place, epochs: int) -> list[tuple[int, str]]:
    """What an unconcerned reader finds."""
    driver = StoreDriver(place.open(), shared=Shared(0))
    answers = [driver.answer(Get(key(epoch))) for epoch in range(1, epochs + 1)]
    return [(one.record.manifest.epoch, one.record.manifest.writer) for one in answers if isinstance(one, Found)]  # type: ignore[union-attr]


def test_of_32_writers_exactly_one_wins_each_epoch(place: Place) -> None:
    driver = StoreDriver(place.open(), shared=Shared(0))
    won = race(driver, WRITERS, EPOCHS)
    assert [epoch for epoch, _ in won] == list(range(1, EPOCHS + 1)) and won == committed(place, EPOCHS)
    assert driver.counts().requests["put", "exists"] > EPOCHS  # they did race


@pytest.mark.parametrize("seed", range(3))
def test_a_store_that_fails_at_random_gives_no_epoch_two_winners(place: Place, seed: int) -> None:
    faulty = FaultyBlobs(place.open(), Random(seed), before=0.15, after=0.15, delay_ms_max=1)
    won = race(StoreDriver(faulty, shared=Shared(0)), 6, 40)
    assert [epoch for epoch, _ in won] == list(range(1, 41)) and won == committed(place, 40)
    assert min(faulty.injected.values()) > 10


def test_of_writers_in_several_processes_exactly_one_wins_each_epoch(place: Place) -> None:
    command = [sys.executable, "-m", "tests.store.racer", "race", place.to_json()]
    racers = [started([*command, f"process {index}", "200"]) for index in range(3)]
    lines = [line for racer in go(racers) for line in racer.communicate()[0].splitlines()]
    won = sorted((int(epoch), writer) for epoch, writer in (line.split(" ", 1) for line in lines))
    assert won == committed(place, 200) and len(won) == 200
    assert all(racer.returncode == 0 for racer in racers)


def started(command: list[str]) -> "subprocess.Popen[str]":
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def go(racers: "list[subprocess.Popen[str]]") -> "list[subprocess.Popen[str]]":
    """All at once, when the last is ready."""
    for racer in racers:
        assert racer.stdout is not None and racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    return racers


def test_what_was_committed_is_read_by_all_as_one_line(place: Place) -> None:
    driver = StoreDriver(place.open())
    race(driver, 4, 50)
    lines = Counter(drive(commit.seen(key(50)), StoreDriver(place.open())).manifest.lineage for _ in range(3))  # type: ignore[union-attr]
    assert len(lines) == 1
