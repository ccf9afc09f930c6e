"""What `levee tail` reads: committed epochs, in order, of all tasks of a stream."""

import json
import math

import pyarrow as pa
import pytest

from levee.cli.local.tailing import Tail, tasks_of
from levee.plans.ending import Exit, Refused
from levee.topology.complaint import Complaint
from levee.topology.names import TaskId
from levee_spark.deliver.jsonlines import json_lines
from levee_spark.lane.rows import encode
from levee_spark.log import ask, rest
from levee_spark.log.requests import PutIfAbsent
from levee_spark.log.values import EpochObject, Floor, Kind, Manifest, Segment
from levee_spark.log.wiring import Wiring
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from tests.worlds.toy_worker import packed

TASK = TaskId("double/0")


def put(wiring: Wiring, driver: StoreDriver, epoch: int, payload: object, rows: int, kind: Kind = Kind.FINAL, *segments: str) -> None:
    manifest = Manifest(epoch, kind, rows, "digest", "lineage", 1, "writer", segments=segments)
    drive(ask.persistently(PutIfAbsent(wiring.layout.epoch(TASK, epoch), EpochObject(manifest, payload))), driver)


@pytest.fixture
def tail(wiring: Wiring, driver: StoreDriver) -> Tail:
    """Epochs of one row; of two parts; skipped; of two segments."""
    put(wiring, driver, 1, packed([10]), 1)
    put(wiring, driver, 2, (packed([20]), packed([21])), 2)
    put(wiring, driver, 3, None, 0, Kind.SKIPPED)
    names = [wiring.layout.segment(TASK, 4, f"part-{number}") for number in (0, 1)]
    for name, value in zip(names, (40, 41), strict=True):
        drive(ask.persistently(PutIfAbsent(name, Segment(packed([value])))), driver)
    put(wiring, driver, 4, None, 2, Kind.FINAL, *names)
    return Tail(wiring, driver, [TASK])


def values(tail: Tail, begin: int | None, rows: int = 10) -> list[tuple[int, int]]:
    found = [json.loads(line) for line in tail.lines(begin, rows, follow=False)]
    return [(one["_epoch"], one["value"]) for one in found]


def test_rows_come_by_epoch_from_parts_and_from_segments_alike(tail: Tail) -> None:
    assert values(tail, begin=1) == [(1, 10), (2, 20), (2, 21), (4, 40), (4, 41)]


def test_the_last_rows_come_in_whole_epochs(tail: Tail) -> None:
    assert values(tail, begin=None, rows=3) == [(2, 20), (2, 21), (4, 40), (4, 41)]
    assert values(tail, begin=None, rows=0) == []


def test_what_was_trimmed_is_not_asked_for(tail: Tail, wiring: Wiring, driver: StoreDriver) -> None:
    drive(ask.persistently(PutIfAbsent(wiring.layout.floor(TASK, 1), Floor(1, 2))), driver)
    assert values(tail, begin=1)[0] == (2, 20)


def test_dead_epochs_are_told_apart(tail: Tail) -> None:
    tail.dead = True
    told = '{"_epoch": 3, "_task": "double/0", "kind": "skipped", "error": "it was late: no replica had it by its deadline"}'
    assert list(tail.lines(1, 10, follow=False)) == [told]


def test_whoever_follows_sees_what_comes(tail: Tail, wiring: Wiring, driver: StoreDriver) -> None:
    lines = tail.lines(4, 10, follow=True)
    assert [json.loads(next(lines))["value"] for _ in range(2)] == [40, 41]
    put(wiring, driver, 5, packed([50]), 1)
    assert json.loads(next(lines)) == {"_epoch": 5, "_task": TASK, "value": 50}


def test_a_stream_that_nothing_emits_is_refused_with_the_nearest_name(wiring: Wiring) -> None:
    with pytest.raises(Refused) as refused:
        tasks_of("duoble", wiring)
    assert "use 'double'" in refused.value.text
    assert tasks_of("double", wiring) == tasks_of("double/0", wiring) == (TASK,)


def test_of_a_sink_the_stream_that_it_reads_is_named(wiring: Wiring) -> None:
    with pytest.raises(Refused) as refused:
        tasks_of("out", wiring)
    [complaint] = refused.value.complaints
    assert (complaint.wrong, complaint.fix) == ("'out' is a sink, which emits nothing", "levee tail total, which is what it reads")


def test_an_epoch_that_has_yet_to_come_is_refused_with_the_last_there_is(tail: Tail) -> None:
    with pytest.raises(Refused) as refused:
        values(tail, 5)
    [complaint] = refused.value.complaints
    assert complaint.where == "--from" and complaint.wrong == "is 5, but the stream ends with epoch 4"


def anew(tail: Tail) -> Tail:
    """By a process that has nothing in its memory."""
    return Tail(tail.wiring, StoreDriver(tail.driver.blobs), tail.tasks)


def damaged(tail: Tail, begin: int | None, *, follow: bool = False) -> Complaint:
    with pytest.raises(Refused) as refused:
        list(tail.lines(begin, 10, follow=follow))
    assert (refused.value.heading, refused.value.code) == ("levee tail: what is stored there is damaged.", Exit.REFUSED)
    [complaint] = refused.value.complaints
    return complaint


def spoil(driver: StoreDriver, key: str, *, header: bool = False) -> None:
    found = driver.blobs.get(key)
    assert found is not None
    data = bytes(found.data)
    driver.blobs.overwrite(key, b"?" + data[1:] if header else data[:-1] + bytes([data[-1] ^ 0xFF]))


@pytest.mark.parametrize("header", [False, True])
def test_a_corrupt_epoch_is_named_with_its_object_and_what_to_do(tail: Tail, *, header: bool) -> None:
    key = tail.wiring.layout.epoch(TASK, 2)
    spoil(tail.driver, key, header=header)
    complaint = damaged(anew(tail), 1)
    assert complaint.where == key
    assert complaint.wrong.startswith("epoch 2 of double/0 cannot be read: ") and key not in complaint.wrong
    assert complaint.fix.startswith("restore this object, ") and complaint.fix.endswith("--from 3")


@pytest.mark.parametrize("begin", [1, 2])
def test_an_epoch_that_is_missing_before_later_ones_is_no_end(tail: Tail, begin: int) -> None:
    tail.driver.blobs.delete(tail.wiring.layout.epoch(TASK, 2))
    assert damaged(anew(tail), begin).wrong == "epoch 2 of double/0 is missing, while later ones are there"


def test_whoever_follows_is_told_as_well(tail: Tail) -> None:
    tail.driver.blobs.delete(tail.wiring.layout.epoch(TASK, 2))
    assert "is missing" in damaged(anew(tail), 1, follow=True).wrong


def test_the_last_rows_are_the_last_whatever_is_missing_before(tail: Tail) -> None:
    tail.driver.blobs.delete(tail.wiring.layout.epoch(TASK, 3))
    assert values(anew(tail), begin=None, rows=2) == [(4, 40), (4, 41)]


def test_a_segment_that_is_gone_is_named(tail: Tail) -> None:
    tail.driver.blobs.delete(tail.wiring.layout.segment(TASK, 4, "part-1"))
    assert "this segment of it is gone" in damaged(anew(tail), 4).wrong


def test_what_was_computed_again_is_read_instead(tail: Tail) -> None:
    manifest = Manifest(2, Kind.FINAL, 1, "digest", "lineage", 1, "writer")
    drive(ask.persistently(PutIfAbsent(tail.wiring.layout.rebuilt(TASK, 2), EpochObject(manifest, packed([20])))), tail.driver)
    spoil(tail.driver, tail.wiring.layout.epoch(TASK, 2))
    assert values(anew(tail), begin=2) == [(2, 20), (4, 40), (4, 41)]


def test_the_epoch_with_which_a_new_task_begins_has_lost_nothing(wiring: Wiring, driver: StoreDriver) -> None:
    drive(rest.begin(wiring.layout, wiring.tasks[TASK], 7, 1), driver)
    put(wiring, driver, 8, None, 0, Kind.SKIPPED)
    dead = Tail(wiring, driver, [TASK], dead=True)
    assert [json.loads(line)["_epoch"] for line in dead.lines(7, 10, follow=False)] == [8]


def test_values_are_printed_as_a_json_sink_writes_them(wiring: Wiring, driver: StoreDriver) -> None:
    kind = pa.map_(pa.string(), pa.int64())
    columns = {
        "ratio": pa.array([math.nan]),
        "counts": pa.array([[("a", 1)]], kind),
        "took": pa.array([1_500_000], pa.duration("us")),
        "at": pa.array([1], pa.timestamp("us", "UTC")),
        "raw": pa.array([b"x"]),
    }
    put(wiring, driver, 1, encode(pa.table(columns)), 1)
    [line] = Tail(wiring, driver, [TASK]).lines(1, 1, follow=False)
    [sunk] = json_lines(pa.table(columns), skip_nulls=False).decode().splitlines()
    assert json.loads(line, parse_constant=pytest.fail) == {"_epoch": 1, "_task": TASK, **json.loads(sunk)}
    assert json.loads(sunk)["counts"] == {"a": 1}


def test_what_a_failed_epoch_holds_is_no_rows(tail: Tail, wiring: Wiring, driver: StoreDriver) -> None:
    put(wiring, driver, 5, b"epoch 5: ValueError: no such user", 0, Kind.FAILED)
    put(wiring, driver, 6, packed([60]), 1)
    assert values(tail, begin=4) == [(4, 40), (4, 41), (6, 60)]
    tail.dead = True
    [told] = [json.loads(line) for line in tail.lines(5, 10, follow=False)]
    assert told["error"] == "epoch 5: ValueError: no such user"
