"""An epoch that is corrupt or gone stands a consumer still, which says so; and it is computed again where that can be done."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

import pytest

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import ask, control, gaps
from levee_spark.log.digest import lineage
from levee_spark.log.inputs import Inputs, Stuck
from levee_spark.log.keys import Layout
from levee_spark.log.mend import NO_BEGINNING, NO_INPUTS, OTHER_CODE, OTHER_ROWS
from levee_spark.log.rank import Times
from levee_spark.log.replica import Replica
from levee_spark.log.requests import (
    Answer,
    Compute,
    Computed,
    Delete,
    Done,
    Files,
    Found,
    Get,
    PutIfAbsent,
    Report,
    Request,
    Restore,
    Snapshot,
)
from levee_spark.log.values import (
    GENESIS,
    ChangeEpoch,
    ControlRecord,
    Damage,
    EpochObject,
    Floor,
    Kind,
    Live,
    Manifest,
    PublishedCheckpoint,
    Record,
    Shape,
)
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.store.address import open_store
from levee_spark.store.blobs import Blobs
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver

LAYOUT, SOURCE, FILTER, SUMS = Layout("p", "u"), TaskId("s/0"), TaskId("f/0"), TaskId("w/0")
TIMES = Times(period_ms=2, hold_ms=1, deadline_ms=20, failure_timeout_ms=5, retention_ms=1_000, poll_ms=2, pin_ms=60_000, lead=5, backlog=5)
TASKS = {
    SOURCE: TaskWiring(SOURCE, OperatorName("s")),
    FILTER: TaskWiring(FILTER, OperatorName("f"), (SOURCE,), checkpoint_every=100),
    SUMS: TaskWiring(SUMS, OperatorName("w"), (FILTER,)),
}
WIRING = Wiring(LAYOUT, TIMES, TASKS)
LAST, TRIMMED, BAD = 8, 3, 5


class Enough(Exception):
    """The role has said what the test waits for."""


@dataclass
class Stage:
    """A source, a filter of it of which only the newest checkpoint is kept, and a floor above the first epochs of the filter."""

    blobs: Blobs = field(default_factory=lambda: open_store("memory://"))
    reports: list[Report] = field(default_factory=list)
    restored: list[Restore] = field(default_factory=list)
    rows: Callable[[int], str] = lambda epoch: f"filtered {epoch}"

    def __post_init__(self) -> None:
        shape = Shape(((OperatorName("f"), "mine:keep"),))
        self.put(LAYOUT.control(1), control.first(shape, Live((("f/0/0", 0),)), "controller"))
        self.stream(SOURCE, lambda epoch: f"rows {epoch}")
        last = self.stream(FILTER, lambda epoch: f"filtered {epoch}")
        self.put(LAYOUT.floor(FILTER, 1), Floor(1, TRIMMED))
        for epoch in range(1, TRIMMED):
            self.blobs.delete(LAYOUT.epoch(FILTER, epoch))
        self.put(LAYOUT.checkpoint(FILTER, LAST), PublishedCheckpoint(FILTER, LAST, last, 1, 1))

    def stream(self, task: TaskId, rows: Callable[[int], str]) -> str:
        before = GENESIS
        for epoch in range(1, LAST + 1):
            before = lineage(before, rows(epoch))
            manifest = Manifest(epoch, Kind.FINAL, 1, rows(epoch), before, 1, "w", 1_000 * epoch)
            self.put(LAYOUT.epoch(task, epoch), EpochObject(manifest, rows(epoch).encode()))
        return before

    def put(self, key: str, record: Record) -> None:
        assert isinstance(self.driver().answer(PutIfAbsent(key, record)), Done)

    def driver(self) -> StoreDriver:
        return StoreDriver(self.blobs)

    def spoil(self, task: TaskId, epoch: int, *, header: bool = False) -> None:
        key = LAYOUT.epoch(task, epoch)
        found = self.blobs.get(key)
        assert found is not None
        data = bytes(found.data)
        self.blobs.overwrite(key, (b"?" + data[1:]) if header else data[:-1] + b"?")

    def lose(self, task: TaskId, epoch: int) -> None:
        assert isinstance(self.driver().answer(Delete(LAYOUT.epoch(task, epoch))), Done)

    def found(self, key: str) -> EpochObject | None:
        answer = self.driver().answer(Get(key))
        return answer.record if isinstance(answer, Found) and isinstance(answer.record, EpochObject) else None

    def rebuilt(self) -> EpochObject | None:
        return self.found(LAYOUT.rebuilt(FILTER, BAD))

    def asked_for(self) -> int:
        answer = self.driver().answer(Get(LAYOUT.damage(FILTER)))
        assert isinstance(answer, Found) and isinstance(answer.record, Damage)
        return answer.record.epoch

    def work(self, request: Request) -> Answer:
        match request:
            case Compute(epoch):
                return Computed(self.rows(epoch).encode(), 1, self.rows(epoch), 0, 0)
            case Restore():
                self.restored.append(request)
            case Snapshot():
                return Files((), 0, 0)
            case Report(what):
                self.reports.append(request)
                if what in {"rebuilt", "cannot rebuild"}:
                    raise Enough
            case _:
                raise TypeError(request)
        return Done(0, 0)

    def mend(self, *, stateless: bool, function: str = "mine:keep") -> Report:
        """By a replica that stands at the head, from where it hears of it; the last thing that it says."""
        self.put(LAYOUT.damage(FILTER), Damage(BAD, "somebody"))
        replica = Replica(WIRING, TASKS[FILTER], "f/0/0", "f/0/0@w", function)
        replica.mender.stateless = stateless  # as it has seen before
        with pytest.raises(Enough):
            drive(replica.run(), self.driver(), work=self.work)
        return self.reports[-1]


@pytest.fixture
def stage() -> Stage:
    return Stage()


# ---- whoever can compute it again


def test_without_state_an_epoch_before_all_checkpoints_is_computed_again(stage: Stage) -> None:
    stage.spoil(FILTER, BAD)
    assert stage.mend(stateless=True).what == "rebuilt"
    found = stage.rebuilt()
    assert found is not None and bytes(found.payload) == b"filtered 5"  # type: ignore[call-overload]
    assert Restore(BAD - 1, ()) in stage.restored


def test_with_state_it_is_not_and_the_log_says_why(stage: Stage) -> None:
    stage.spoil(FILTER, BAD)
    said = stage.mend(stateless=False)
    assert (said.what, said.epoch, said.detail, stage.rebuilt()) == ("cannot rebuild", BAD, NO_BEGINNING, None)


@pytest.mark.parametrize("header", [False, True])
def test_other_rows_than_stood_there_are_never_put(stage: Stage, *, header: bool) -> None:
    stage.spoil(FILTER, BAD, header=header)
    stage.rows = lambda epoch: f"other {epoch}"
    said = stage.mend(stateless=True)
    assert (said.what, said.detail, stage.rebuilt()) == ("cannot rebuild", OTHER_ROWS, None)


def test_where_the_header_is_spoilt_too_the_epoch_after_it_proves_the_rows(stage: Stage) -> None:
    stage.spoil(FILTER, BAD, header=True)
    assert (stage.mend(stateless=True).what, stage.rebuilt() is not None) == ("rebuilt", True)


def test_without_the_inputs_it_cannot_be_computed(stage: Stage) -> None:
    stage.spoil(FILTER, BAD)
    stage.put(LAYOUT.floor(SOURCE, 1), Floor(1, BAD + 1))
    said = stage.mend(stateless=True)
    assert (said.what, said.detail, stage.rebuilt()) == ("cannot rebuild", NO_INPUTS, None)


def test_without_the_epoch_before_it_nothing_says_which_line_it_was(stage: Stage) -> None:
    stage.spoil(FILTER, BAD)
    stage.spoil(FILTER, BAD - 1, header=True)
    assert (stage.mend(stateless=True).detail, stage.rebuilt()) == (NO_INPUTS, None)


def test_what_another_function_has_computed_is_left_to_it(stage: Stage) -> None:
    """The function was changed with the epoch after it."""
    first = drive(ask.read(LAYOUT.control(1), ControlRecord), stage.driver())
    assert first is not None
    stage.put(LAYOUT.control(2), control.successor(first, "controller", shape=Shape(((OperatorName("f"), "mine:other"),))))
    stage.put(LAYOUT.change(2), ChangeEpoch(2, BAD + 1))
    stage.spoil(FILTER, BAD)
    stage.blobs.delete(LAYOUT.checkpoint(FILTER, LAST))
    stage.put(LAYOUT.checkpoint(FILTER, LAST), PublishedCheckpoint(FILTER, LAST, "line", 2, 2, code=2))
    said = stage.mend(stateless=True, function="mine:other")
    assert (said.what, said.detail) == ("cannot rebuild", OTHER_CODE)


def test_what_is_gone_is_computed_again_under_its_second_key(stage: Stage) -> None:
    stage.lose(FILTER, BAD)
    assert (stage.mend(stateless=True).what, stage.rebuilt() is not None) == ("rebuilt", True)
    assert stage.found(LAYOUT.epoch(FILTER, BAD)) is None


def test_nothing_else_is_put_in_the_place_of_what_is_gone(stage: Stage) -> None:
    stage.lose(FILTER, BAD)
    stage.rows = lambda epoch: f"other {epoch}"
    assert stage.mend(stateless=True).detail == OTHER_ROWS
    assert (stage.rebuilt(), stage.found(LAYOUT.epoch(FILTER, BAD))) == (None, None)


# ---- whoever needs it


def told(stage: Stage, consumer: Inputs, epoch: int) -> Report:
    """What it says by the time that it is stuck."""
    with pytest.raises(Stuck):
        all(drive(consumer.gather(epoch), stage.driver(), work=stage.work) is None for _ in count())
    return stage.reports[-1]


@pytest.mark.parametrize(("how", "why"), [("spoil", "checksum"), ("lose", "this object is gone, and later epochs are there")])
def test_a_consumer_names_the_object_and_asks_for_it(stage: Stage, how: str, why: str) -> None:
    getattr(stage, how)(FILTER, BAD)
    said = told(stage, Inputs(WIRING, TASKS[SUMS], "reader"), BAD)
    assert (said.what, said.epoch, said.of) == ("corrupt", BAD, FILTER)
    assert said.detail.startswith(LAYOUT.epoch(FILTER, BAD)) and why in said.detail
    assert stage.asked_for() == BAD


@pytest.mark.parametrize("where", [LAYOUT.epoch, LAYOUT.rebuilt])
def test_it_goes_on_once_what_was_gone_is_there_again(stage: Stage, where: Callable[[TaskId, int], str]) -> None:
    was = stage.found(LAYOUT.epoch(FILTER, BAD))
    assert was is not None
    stage.lose(FILTER, BAD)
    consumer = Inputs(WIRING, TASKS[SUMS], "reader")
    told(stage, consumer, BAD)
    stage.put(where(FILTER, BAD), was)
    [found] = drive(consumer.gather(BAD), stage.driver(), work=stage.work) or ()
    assert found.manifest.digest == "filtered 5"


def test_what_was_restored_by_hand_makes_room_for_what_is_needed_now(stage: Stage) -> None:
    """Nobody has rebuilt it, so nobody has taken the request for it away."""
    stage.put(LAYOUT.damage(FILTER), Damage(BAD - 1, "somebody"))
    stage.spoil(FILTER, BAD)
    told(stage, Inputs(WIRING, TASKS[SUMS], "reader"), BAD)
    assert stage.asked_for() == BAD


def test_what_is_still_corrupt_is_mended_first(stage: Stage) -> None:
    stage.put(LAYOUT.damage(FILTER), Damage(BAD - 1, "somebody"))
    stage.spoil(FILTER, BAD - 1)
    stage.spoil(FILTER, BAD)
    told(stage, Inputs(WIRING, TASKS[SUMS], "reader"), BAD)
    assert stage.asked_for() == BAD - 1


def test_the_epoch_that_comes_next_is_not_taken_for_one_that_is_gone(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaps, "AFTER", 0)
    consumer = Inputs(WIRING, TASKS[SUMS], "reader")
    assert drive(consumer.gather(LAST + 1), stage.driver(), work=stage.work) is None
    assert stage.reports == []
