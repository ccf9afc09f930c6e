"""What becomes of an epoch whose function raises, where the operator says `onError: skip`."""

import pytest

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import attempt
from levee_spark.log.attempt import Attempt, FunctionRaised
from levee_spark.log.ending import Ended, Why
from levee_spark.log.fork import Line
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.replica import Replica
from levee_spark.log.requests import Compute, Done, Raised, Report
from levee_spark.log.values import Kind, Manifest
from levee_spark.log.wiring import TaskWiring, Wiring

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
    assert not made.in_state


def test_a_function_that_raises_even_without_rows_fails_its_task() -> None:
    script = attempt.compute(LAYOUT, TASK, BLANK, Line(epoch=6), (), dropped=True)
    assert next(script) == Compute(7, (), dropped=True)
    with pytest.raises(FunctionRaised, match="no double"):
        script.send(RAISED)


def test_a_state_that_cannot_follow_the_stream_without_rows_fails_the_task_instead_of_falling_behind() -> None:
    replica = Replica(Wiring(LAYOUT, TIMES, {TASK.task: TASK}), TASK, "double/0/0", "double/0/0@w", "tests:double")
    script = replica.take_without_rows(7, ())
    assert next(script) == Compute(7, (), dropped=True)
    with pytest.raises(Ended) as ended:
        script.send(RAISED)
    assert (ended.value.ending.why, ended.value.ending.epoch) == (Why.FAILED, 7)
