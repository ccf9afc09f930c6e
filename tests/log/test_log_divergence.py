"""What a replica does, and says, that has computed something else than is committed."""

from dataclasses import replace

import pytest

from levee.topology.names import OperatorName, TaskId
from levee_spark.log.digest import lineage
from levee_spark.log.ending import Ended, Refork, Why
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Times
from levee_spark.log.replica import Replica
from levee_spark.log.requests import Done, Report
from levee_spark.log.values import GENESIS, Kind, Manifest
from levee_spark.log.wiring import TaskWiring, Wiring

TASK = TaskWiring(TaskId("double/0"), OperatorName("double"), (TaskId("numbers/0"),))
TIMES = Times(100, 50, 400, 1_000, 60_000, 5, 60_000, 10, 10)
MINE = Manifest(7, Kind.FINAL, 3, "aaaa", lineage(GENESIS, "aaaa"), 1, "double/0/1@second")
COMMITTED = replace(MINE, rows=4, digest="bbbb", lineage=lineage(GENESIS, "bbbb"), writer="double/0/0@first")


def replica(*, may_adopt: bool) -> Replica:
    task = replace(TASK, may_adopt=may_adopt)
    return Replica(Wiring(Layout("tests/chain", "uid"), TIMES, {task.task: task}), task, "double/0/1", "double/0/1@second", "job:double")


def test_it_is_told_with_both_digests_and_whose_the_other_is() -> None:
    told = next(replica(may_adopt=True).diverged(MINE, COMMITTED))
    assert isinstance(told, Report)
    assert (told.what, told.epoch) == ("diverged", 7)
    assert "3 rows, digest aaaa" in told.detail and "4 rows, digest bbbb" in told.detail
    assert told.detail.endswith("by double/0/0@first")


def test_where_breaks_are_forbidden_it_fails_and_says_which_epoch_and_what_to_do() -> None:
    script = replica(may_adopt=False).diverged(MINE, COMMITTED)
    next(script)
    with pytest.raises(Ended) as ended:
        script.send(Done(0, 0))
    ending = ended.value.ending
    assert (ending.why, ending.epoch) == (Why.DIVERGED, 7)
    said = "diverged at epoch 7: its rows are not those that double/0/0@first committed; levee check says which column"
    assert ending.detail == said


def test_else_it_takes_over_the_state_of_what_is_committed() -> None:
    script = replica(may_adopt=True).diverged(MINE, COMMITTED)
    next(script)
    with pytest.raises(Refork):
        script.send(Done(0, 0))
