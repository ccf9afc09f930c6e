"""A source's epoch that cannot be read any more is read again from outside, or refused with the reason."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from levee.topology.names import OperatorName, TaskId
from levee_spark.log.digest import lineage
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.requests import Absent, Answer, Computed, Done, Found, Get, Ingest, PutIfAbsent, Raised, Report, Request
from levee_spark.log.reread import Rereader
from levee_spark.log.values import GENESIS, Damage, EpochObject, Kind, Manifest
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.store.address import open_store
from levee_spark.store.blobs import Blobs
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver

LAYOUT, SOURCE = Layout("p", "u"), TaskId("s/0")
TIMES = Times(period_ms=10, hold_ms=1, deadline_ms=20, failure_timeout_ms=50, retention_ms=1_000, poll_ms=5, pin_ms=100, lead=5, backlog=5)
WIRING = Wiring(LAYOUT, TIMES, {SOURCE: TaskWiring(SOURCE, OperatorName("s"))})
LAST = 3


@dataclass
class Stage:
    """A stream of three epochs, of which the second is spoilt, and somebody who needs it."""

    blobs: Blobs = field(default_factory=lambda: open_store("memory://"))
    asked: list[Ingest] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    outside: Callable[[Ingest], Computed | Raised] = lambda request: computed(request.epoch)

    def __post_init__(self) -> None:
        before = GENESIS
        for epoch in range(1, LAST + 1):
            manifest = manifest_of(epoch, before)
            before = manifest.lineage
            self.put(LAYOUT.epoch(SOURCE, epoch), EpochObject(manifest, b"rows %d" % epoch))
        self.put(LAYOUT.damage(SOURCE), Damage(2, "somebody"))

    def put(self, key: str, record: EpochObject | Damage) -> None:
        assert isinstance(StoreDriver(self.blobs).answer(PutIfAbsent(key, record)), Done)

    def spoil(self, epoch: int, *, header: bool = False) -> None:
        key = LAYOUT.epoch(SOURCE, epoch)
        found = self.blobs.get(key)
        assert found is not None
        data = bytes(found.data)
        self.blobs.overwrite(key, (b"?" + data[1:]) if header else data[:-1] + b"?")

    def work(self, request: Request) -> Answer:
        match request:
            case Ingest():
                self.asked.append(request)
                return self.outside(request)
            case Report():
                self.reports.append(request)
                return Done(0, 0)
            case _:
                raise TypeError(request)

    def listen(self) -> None:
        drive(Rereader(WIRING, SOURCE, "ingestor").look(), StoreDriver(self.blobs), work=self.work)

    def rebuilt(self) -> EpochObject | None:
        answer = StoreDriver(self.blobs).answer(Get(LAYOUT.rebuilt(SOURCE, 2)))
        if isinstance(answer, Absent):
            return None
        assert isinstance(answer, Found) and isinstance(answer.record, EpochObject)
        return answer.record


def computed(epoch: int, digest: str = "") -> Computed:
    return Computed(b"rows %d" % epoch, 1, digest or f"digest {epoch}", 0, 0, f"to {epoch}")


def manifest_of(epoch: int, before: str) -> Manifest:
    digest = f"digest {epoch}"
    return Manifest(epoch, Kind.FINAL, 1, digest, lineage(before, digest), 1, "w", 1_000 * epoch, offsets=f"to {epoch}")


@pytest.fixture
def stage() -> Stage:
    return Stage()


def test_it_is_read_between_its_own_offsets_and_stands_where_consumers_look(stage: Stage) -> None:
    stage.spoil(2)
    stage.listen()
    assert stage.asked == [Ingest(2, "to 1", "to 2")]
    found = stage.rebuilt()
    assert found is not None
    assert (bytes(found.payload), found.manifest.time_ms, found.manifest.digest) == (b"rows 2", 2_000, "digest 2")  # type: ignore[call-overload]
    assert [one.what for one in stage.reports] == ["rebuilt"]


def test_what_has_been_rebuilt_makes_room_for_the_next(stage: Stage) -> None:
    stage.spoil(2)
    stage.listen()
    stage.listen()
    assert len(stage.asked) == 1
    assert isinstance(StoreDriver(stage.blobs).answer(Get(LAYOUT.damage(SOURCE))), Absent)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (computed(2, "another"), "the source gives other rows now"),
        (Raised("the topic is gone", 0, 0), "the topic is gone"),
    ],
)
def test_what_gives_other_rows_or_none_is_refused(stage: Stage, answer: Computed | Raised, why: str) -> None:
    stage.outside = lambda _: answer
    stage.spoil(2)
    stage.listen()
    assert stage.rebuilt() is None
    assert [(one.what, why in one.detail) for one in stage.reports] == [("cannot rebuild", True)]


def test_without_its_header_nothing_says_where_it_ended(stage: Stage) -> None:
    stage.spoil(2, header=True)
    stage.listen()
    assert (stage.asked, stage.rebuilt()) == ([], None)
    assert "nothing says where it ended" in stage.reports[0].detail


def test_without_the_epoch_before_nothing_says_where_it_began(stage: Stage) -> None:
    stage.spoil(2)
    stage.spoil(1, header=True)
    stage.listen()
    assert (stage.asked, stage.rebuilt()) == ([], None)
    assert "nothing says where it began" in stage.reports[0].detail


def test_what_cannot_be_rebuilt_is_told_once(stage: Stage) -> None:
    rereader, driver = Rereader(WIRING, SOURCE, "ingestor"), StoreDriver(stage.blobs)
    stage.spoil(2, header=True)
    for _ in range(3):
        drive(rereader.look(), driver, work=stage.work)
    assert len(stage.reports) == 1


def test_an_epoch_that_was_sealed_without_rows_is_said_again() -> None:
    skipped = replace(manifest_of(2, "x"), kind=Kind.SKIPPED, rows=0)
    other = Stage(open_store("memory://"))
    other.blobs.delete(LAYOUT.epoch(SOURCE, 2))
    other.put(LAYOUT.epoch(SOURCE, 2), EpochObject(skipped))
    other.listen()
    found = other.rebuilt()
    assert found is not None
    assert (other.asked, found.manifest.kind, found.payload) == ([], Kind.SKIPPED, None)
