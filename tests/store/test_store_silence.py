"""A store that fails is told of once, and once that it answers again; not for every attempt."""

from dataclasses import dataclass, field
from pathlib import Path

from levee_spark.log.requests import Get, Overwrite, PutIfAbsent, Unknown
from levee_spark.log.values import Probe
from levee_spark.store.blobs import Bytes, Trouble
from levee_spark.store.driver import StoreDriver
from levee_spark.store.local import SCRAPS, LocalBlobs
from levee_spark.store.silence import Silence


@dataclass
class Told:
    lines: list[tuple[str, dict[str, object]]] = field(default_factory=list)
    now_s: float = 0.0

    def __call__(self, event: str, **more: object) -> None:
        self.lines.append((event, more))


class FullDisk(LocalBlobs):
    full = False

    def overwrite(self, key: str, data: Bytes) -> None:
        if self.full:
            raise Trouble("No space left on device")
        super().overwrite(key, data)


def full_disk(place: Path) -> FullDisk:
    (place / SCRAPS).mkdir()
    return FullDisk(place, durable=False)


def test_a_full_disk_is_told_once_however_often_one_tries_and_reads_and_once_that_it_is_over(tmp_path: Path) -> None:
    told, blobs = Told(), full_disk(tmp_path)
    driver = StoreDriver(blobs, silence=Silence(told, now_s=lambda: told.now_s))
    driver.answer(PutIfAbsent("there", Probe("x")))
    blobs.full = True
    for _ in range(10):
        assert isinstance(driver.answer(Overwrite("key", Probe("x"))), Unknown)
        driver.answer(Get("none"))
        driver.answer(PutIfAbsent("there", Probe("x")))  # it need not be written
        told.now_s += 4
    assert told.lines == [("store fails", {"to": "write", "why": "No space left on device"})]
    blobs.full = False
    driver.answer(Overwrite("key", Probe("x")))
    driver.answer(Overwrite("key", Probe("x")))
    assert told.lines[1:] == [("store answers again", {"to": "write", "seconds": 40.0, "failed": 10})]
    driver.close()


def test_a_single_lost_answer_is_not_told(tmp_path: Path) -> None:
    told, blobs = Told(), full_disk(tmp_path)
    driver = StoreDriver(blobs, silence=Silence(told))
    for _ in range(3):
        blobs.full = True
        driver.answer(Overwrite("key", Probe("x")))
        blobs.full = False
        driver.answer(Overwrite("key", Probe("x")))
    assert told.lines == []
    driver.close()
