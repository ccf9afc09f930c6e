"""What a replica does, and says, that has computed something else than is committed."""

from dataclasses import replace

import pytest

from levee.topology.names import OperatorName, TaskId
from levee_spark.log.digest import lineage
from levee_spark.log.ending import Ended, Refork, Why
from levee_spark.log.fork import Line
from levee_spark.log.keys import Layout
from levee_spark.log.lines import TRIES, Divergence
from levee_spark.log.rank import Times
from levee_spark.log.replica import Replica
from levee_spark.log.requests import Answer, Done, PutIfAbsent, Report, Request
from levee_spark.log.values import GENESIS, Kind, Manifest, PublishedCheckpoint
from levee_spark.log.wiring import TaskWiring, Wiring
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver

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


# ---- whoever cannot reproduce the stream trails it


def trailing() -> Divergence:
    divergence = Divergence()
    for _ in range(TRIES):
        divergence.diverged(7)
    return divergence


@pytest.mark.parametrize(("published", "takes_over"), [(0, False), (5, False), (7, True), (20, True)])
def test_it_takes_over_what_was_published_since(published: int, takes_over: bool) -> None:
    assert trailing().takes_over(published) is takes_over


def test_it_tries_a_checkpoint_once_and_then_waits_for_the_next() -> None:
    divergence = trailing()
    assert [divergence.takes_over(published) for published in (7, 7, 12, 12)] == [True, False, True, False]


def test_who_does_not_trail_takes_over_nothing() -> None:
    divergence = trailing()
    divergence.forked()
    assert not divergence.takes_over(20)


def test_only_what_is_final_says_that_somebody_goes_on() -> None:
    divergence = trailing()
    assert not divergence.adopts(1_000, 400)
    divergence.followed(replace(COMMITTED, epoch=8, kind=Kind.SKIPPED))
    assert divergence.adopts(1_400, 400)
    divergence.followed(replace(COMMITTED, epoch=9))
    assert not divergence.adopts(1_500, 400)


@pytest.mark.parametrize("epochs", [1, 50])
def test_it_takes_over_however_far_it_stays_behind_the_winner(epochs: int) -> None:
    """The winner may be so quick that the next epoch is always there already."""
    one = replica(may_adopt=True)
    one.divergence = trailing()
    driver = StoreDriver(open_store("memory://"))
    line = Line(7 + epochs)
    drive(one.take_over_if_published(line), driver, work=unheard)
    published = PublishedCheckpoint(TASK.task, 10, GENESIS, 1, 1, (), False, "double/0/0@first", 1)
    assert isinstance(driver.answer(PutIfAbsent(one.wiring.layout.checkpoint(TASK.task, 10), published)), Done)
    with pytest.raises(Refork, match="takes over"):
        drive(one.take_over_if_published(line), driver, work=unheard)


def unheard(request: Request) -> Answer:
    raise TypeError(request)
