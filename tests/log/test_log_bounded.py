"""However old a topology is: a role begins where others have got to, reads a few records, and lists a page at a time."""

import pytest

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import ask, control, rebuild, segments
from levee_spark.log.anchor import AnchorView
from levee_spark.log.attempt import Attempt
from levee_spark.log.control import ControlView
from levee_spark.log.fork import Line
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.requests import Done, List, Listed, PutIfAbsent
from levee_spark.log.trim import Trimmer
from levee_spark.log.values import Anchor, ControlRecord, EpochObject, Floor, Kind, Live, Manifest, Record, Segment, Shape
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from levee_spark.store.shared import Shared

LAYOUT, TASK = Layout("p", "u"), TaskId("t/0")


@pytest.fixture
def driver() -> StoreDriver:
    return StoreDriver(open_store("memory://"), shared=Shared(0))


def put(driver: StoreDriver, key: str, record: Record) -> None:
    assert isinstance(driver.answer(PutIfAbsent(key, record)), Done)


def decisions(driver: StoreDriver, shapes: list[Shape]) -> None:
    record = control.first(shapes[0], Live(), "test")
    put(driver, LAYOUT.control(1), record)
    for shape in shapes[1:]:
        record = control.successor(record, "test", shape=shape)
        put(driver, LAYOUT.control(record.number), record)


def gets(driver: StoreDriver) -> int:
    return driver.counts().total("get")


def code(version: int, *, stopped: bool = False) -> Shape:
    return Shape(((OperatorName("t"), f"v{version}"),), stopped=stopped)


def test_whoever_begins_at_a_position_does_not_read_what_lies_before_it(driver: StoreDriver) -> None:
    decisions(driver, [code(number // 10) for number in range(400)])
    view = ControlView(LAYOUT)
    drive(view.begin_from(395), driver)
    drive(view.refresh(), driver)
    assert view.base == 391 and view.newest().number == 400 and view.in_force(1).shape == code(39)
    assert gets(driver) == 1 + 10 + 1  # where it begins, what is new, and that there is no more


def test_whoever_decides_finds_the_newest_record_without_reading_all(driver: StoreDriver) -> None:
    decisions(driver, [code(number) for number in range(400)])
    view = ControlView(LAYOUT)
    drive(view.begin_at_the_end(), driver)
    drive(view.refresh(), driver)
    assert view.newest().number == 400 and gets(driver) < 30


def test_a_stop_is_the_first_record_that_ordered_it_wherever_one_begins(driver: StoreDriver) -> None:
    decisions(driver, [code(1), code(1, stopped=True), code(2, stopped=True), code(3, stopped=True)])
    view = ControlView(LAYOUT)
    drive(view.begin_from(4), driver)
    drive(view.refresh(), driver)
    assert view.stop_number() == 2


def test_the_anchor_of_an_epoch_is_found_among_many(driver: StoreDriver) -> None:
    for number in range(1, 301):
        put(driver, LAYOUT.anchor(number), Anchor(number, 10 * number, 1_000 * number))
    view = AnchorView(LAYOUT, 100)
    drive(view.refresh(2_985), driver)
    assert view.due_ms(2_985) == 298_500 and view.latest() == 300 and gets(driver) < 30


def test_segments_that_lost_their_race_go_however_many_lie_before_them(driver: StoreDriver) -> None:
    kept = tuple(LAYOUT.segment(TASK, 1, f"{index:03d}") for index in range(250))
    lost = tuple(LAYOUT.segment(TASK, 2, f"{index:03d}") for index in range(150))
    still_open = LAYOUT.segment(TASK, 3, "000")
    for name in (*kept, *lost, still_open):
        put(driver, name, Segment(b"rows"))
    for epoch, names in ((1, kept), (2, ())):
        put(driver, LAYOUT.epoch(TASK, epoch), EpochObject(Manifest(epoch, Kind.FINAL, 1, "d", "l", 1, "w", segments=names)))
    after = ""
    for _ in range(6):
        after = drive(segments.sweep(LAYOUT, TASK, after), driver)
    assert names_in(driver, LAYOUT.segments(TASK)) == (*kept, still_open)


def test_of_the_trimmers_of_a_task_only_the_first_lists_and_the_next_takes_over(driver: StoreDriver) -> None:
    task = TaskWiring(TASK, OperatorName("t"), (TaskId("s/0"),))
    wiring = Wiring(LAYOUT, Times(250, 100, 500, 5_000, 600_000, 20, 60_000, 9, 9), {TASK: task})
    is_first = [False]
    trimmer = Trimmer(wiring, task, "t/0/1@w", lambda: is_first[0])
    drive(trimmer.trim(), driver)
    assert driver.counts().total("list") == 0 and trimmer.clock is not None  # which it knows when its turn comes
    is_first[0] = True
    drive(trimmer.trim(), driver)
    assert driver.counts().total("list") > 0


def names_in(driver: StoreDriver, folder: str) -> tuple[str, ...]:
    answer = driver.answer(List(folder, "", 1_000))
    assert isinstance(answer, Listed)
    return answer.names


# ---- what is refused


def test_a_control_record_that_cannot_be_read_is_refused_with_its_place(driver: StoreDriver) -> None:
    decisions(driver, [code(1), code(2)])
    driver.blobs.overwrite(LAYOUT.control(2), b"torn")
    with pytest.raises(ask.CorruptRecord, match=r"^p/u/control/000000000002: .* restore this object"):
        drive(ControlView(LAYOUT).refresh(), driver)


def test_a_record_of_another_kind_is_refused(driver: StoreDriver) -> None:
    put(driver, LAYOUT.control(1), Floor(1, 1))
    with pytest.raises(ask.CorruptRecord, match="holds Floor, not ControlRecord"):
        drive(ask.read(LAYOUT.control(1), ControlRecord), driver)


def attempt(epoch: int, digest: str = "d") -> Attempt:
    return Attempt(EpochObject(Manifest(epoch, Kind.FINAL, 1, digest, f"lineage {digest}", 1, "me"), b"rows"), took_rows=True)


def test_the_last_epoch_is_rebuilt_only_if_its_header_can_be_read(driver: StoreDriver) -> None:
    whole = bytes(memoryview(original(driver, 5)))
    driver.blobs.overwrite(LAYOUT.epoch(TASK, 5), whole[:-1])
    assert drive(rebuild.rebuild(LAYOUT, TASK, Line(4), attempt(5, "another")), driver) is None
    assert drive(rebuild.rebuild(LAYOUT, TASK, Line(4), attempt(5)), driver) is not None
    whole = bytes(memoryview(original(driver, 7)))
    driver.blobs.overwrite(LAYOUT.epoch(TASK, 7), b"x" + whole[1:])
    assert drive(rebuild.rebuild(LAYOUT, TASK, Line(6), attempt(7)), driver) is None


def original(driver: StoreDriver, epoch: int) -> bytes | memoryview:
    put(driver, LAYOUT.epoch(TASK, epoch), attempt(epoch).epoch)
    blob = driver.blobs.get(LAYOUT.epoch(TASK, epoch))
    assert blob is not None
    return blob.data
