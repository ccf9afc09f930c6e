"""What becomes of an epoch whose function raises, where the operator says `onError: skip`."""

import pytest

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import attempt, control
from levee_spark.log.attempt import Attempt, FunctionRaised
from levee_spark.log.ending import Ended, Ending, Why
from levee_spark.log.fork import Line
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.replica import Replica
from levee_spark.log.requests import Answer, Compute, Done, Files, Found, Get, PutIfAbsent, Raised, Report, Request
from levee_spark.log.values import Correction, Kind, Live, Manifest, Shape
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from levee_spark.store.shared import Shared

LAYOUT = Layout("tests/chain", "uid")
TASK = TaskWiring(TaskId("double/0"), OperatorName("double"), (TaskId("numbers/0"),), skips_errors=True)
TIMES = Times(100, 50, 400, 1_000, 60_000, 5, 60_000, 10, 10)
BLANK = Manifest(7, Kind.FINAL, 0, "", "", 1, "double/0/0@w")
RAISED = Raised("ValueError: no double", 0, 1)


def test_the_epoch_is_sealed_as_failed_and_its_error_is_told() -> None:
    script = attempt.compute(LAYOUT, TASK, BLANK, Line(epoch=6), (), dropped=False)
    assert next(script) == Compute(7, ())
    assert script.send(RAISED) == Report("failed", 7, "ValueError: no double")
    with pytest.raises(StopIteration) as end:
        script.send(Done(1, 1))
    made = end.value.value
    assert isinstance(made, Attempt)
    assert made.epoch.manifest.kind is Kind.FAILED
    assert made.epoch.payload == b"ValueError: no double"
    assert not made.in_state


def test_a_function_that_raises_even_without_rows_fails_its_task() -> None:
    script = attempt.compute(LAYOUT, TASK, BLANK, Line(epoch=6), (), dropped=True)
    assert next(script) == Compute(7, (), dropped=True)
    with pytest.raises(FunctionRaised, match="no double"):
        script.send(RAISED)


def test_a_state_that_cannot_follow_the_stream_without_rows_fails_the_task_instead_of_falling_behind() -> None:
    assert failing("tests:double", driver_with("tests:double")) == Ending(Why.FAILED, 7, "ValueError: no double")


# ---- a function that fails while another is wanted already


def driver_with(*functions: str) -> StoreDriver:
    """One control record for each."""
    driver = StoreDriver(open_store("memory://"), shared=Shared(0))
    record = control.first(shape(functions[0]), Live(), "test")
    for after in functions[1:]:
        driver.answer(PutIfAbsent(LAYOUT.control(record.number), record))
        record = control.successor(record, "test", shape=shape(after))
    driver.answer(PutIfAbsent(LAYOUT.control(record.number), record))
    return driver


def shape(function: str) -> Shape:
    return Shape(((OperatorName("double"), function),))


def failing(function: str, driver: StoreDriver) -> Ending:
    replica = Replica(Wiring(LAYOUT, TIMES, {TASK.task: TASK}), TASK, "double/0/0", "double/0/0@w", function)
    with pytest.raises(Ended) as ended:
        drive(replica.take_without_rows(Line(epoch=6), ()), driver, work=raises)
    return ended.value.ending


def raises(request: Request) -> Answer:
    return RAISED if request == Compute(7, (), dropped=True) else Files((("state", b"6"),), 0, 1)


def test_a_function_that_fails_gives_way_where_it_fails_if_another_is_wanted() -> None:
    driver = driver_with("tests:double", "tests:other", "tests:third")
    assert failing("tests:double", driver) == Ending(Why.OTHER_CODE, 6, "tests:third")
    agreed = driver.answer(Get(LAYOUT.correction(3, TASK.task)))
    assert getattr(agreed, "record", None) == Correction(3, TASK.task, 7)
    assert isinstance(driver.answer(Get(LAYOUT.checkpoint(TASK.task, 6))), Found)
    assert failing("tests:third", driver).why is Why.FAILED  # nothing else is wanted


def test_every_replica_of_the_task_hears_of_it_and_old_epochs_keep_their_function() -> None:
    driver = driver_with("tests:double", "tests:other")
    failing("tests:double", driver)
    replica = Replica(Wiring(LAYOUT, TIMES, {TASK.task: TASK}), TASK, "double/0/1", "double/0/1@w", "tests:double")
    drive(replica.listener.view.refresh(), driver)
    replica.listener.view.begin_at(1)
    drive(replica.corrections.look(3), driver)
    first = replica.listener.view.records[1]
    assert [replica.corrections.code_at(epoch, first) for epoch in (6, 7, 8)] == [1, 2, 2]
