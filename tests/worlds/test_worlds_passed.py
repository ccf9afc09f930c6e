"""What has passed is counted by manifests: of the epochs that all streams have."""

import json

import pytest

from levee.cli.kube.counted import parsed, text
from levee.planning.measured.spending import spending
from levee.topology.names import OperatorName, TaskId
from levee.worlds.passed import passed
from levee.worlds.spending import look_in, looks
from levee_spark.log import ask
from levee_spark.log.requests import PutIfAbsent
from levee_spark.log.values import EpochObject, Floor, Kind, Manifest
from levee_spark.log.wiring import Wiring
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver

NUMBERS, DOUBLE, TOTAL = map(OperatorName, ("numbers", "double", "total"))


def put(wiring: Wiring, driver: StoreDriver, name: OperatorName, epoch: int, rows: int, kind: Kind = Kind.FINAL) -> None:
    manifest = Manifest(epoch, kind, rows, "digest", "lineage", 1, "writer")
    key = wiring.layout.epoch(TaskId(f"{name}/0"), epoch)
    drive(ask.persistently(PutIfAbsent(key, EpochObject(manifest, None))), driver)


@pytest.fixture
def streams(wiring: Wiring, driver: StoreDriver) -> Wiring:
    """Ten epochs of numbers, of which the others have done eight; one was skipped."""
    for epoch in range(1, 11):
        put(wiring, driver, NUMBERS, epoch, 10 * epoch)
    for epoch in range(1, 9):
        put(wiring, driver, DOUBLE, epoch, *((0, Kind.SKIPPED) if epoch == 5 else (2 * epoch,)))
        put(wiring, driver, TOTAL, epoch, 1)
    return wiring


def test_epochs_count_that_all_streams_have(streams: Wiring, driver: StoreDriver) -> None:
    found = passed(streams, driver, 100)
    assert (found.first, found.last, found.period_s) == (1, 8, 0.05)
    assert found.rows[NUMBERS] == tuple(range(10, 90, 10))
    assert set(found.rows) == {NUMBERS, DOUBLE, TOTAL}  # a sink emits nothing


def test_no_more_of_them_than_are_asked_for(streams: Wiring, driver: StoreDriver) -> None:
    found = passed(streams, driver, 3)
    assert (found.first, found.rows[NUMBERS]) == (6, (60, 70, 80))


def test_what_was_trimmed_is_not_asked_for(streams: Wiring, driver: StoreDriver) -> None:
    drive(ask.persistently(PutIfAbsent(streams.layout.floor(TaskId("double/0"), 1), Floor(1, 4))), driver)
    assert passed(streams, driver, 100).first == 4


def test_epochs_whose_rows_were_lost_are_told(streams: Wiring, driver: StoreDriver) -> None:
    found = passed(streams, driver, 100)
    assert found.holes[DOUBLE] == {5} and not found.holes[NUMBERS]
    assert len(found.counts([NUMBERS, DOUBLE])) == 7


def test_before_the_first_epoch_there_is_nothing(wiring: Wiring, driver: StoreDriver) -> None:
    assert passed(wiring, driver, 100).epochs == 0


def test_what_is_counted_in_a_pod_arrives_as_it_was(streams: Wiring, driver: StoreDriver) -> None:
    found = passed(streams, driver, 100)
    assert parsed(json.loads(text(found))) == found


# ---- what workers say that they have spent


def said(cpu_s: object, rows: int, attempt: int = 1) -> dict[str, object]:
    replica = {"replica": "double/0/0", "operator": "double", "busy_s": rows / 100, "read": {"numbers": rows}}
    return {"worker": "w", "attempt": attempt, "cpu_s": cpu_s, "replicas": [replica]}


def test_what_workers_say_is_read() -> None:
    [spent] = spending([looks({"w": said(1.0, 100)}), looks({"w": said(3.0, 300)})])[DOUBLE]
    assert (spent.cpu_s, spent.read) == (2.0, {NUMBERS: 200.0})


def test_workers_that_do_not_say_it_are_left_out() -> None:
    assert look_in({"worker": "w", "replicas": []}) is None
    assert looks({"old": {"replicas": []}, "silent": None}) == {}
