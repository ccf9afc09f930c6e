"""A replica that stands still for want of an epoch that cannot be read says so until it has got past it."""

from typing import Any

import pytest

from levee.topology.names import TaskId
from levee_spark.log.requests import Report
from levee_spark.worker.judging import Judge
from levee_spark.worker.replica import ReplicaThread
from levee_spark.worker.serve import of_replica
from levee_spark.worker.speed import Speed
from levee_spark.worker.status import Doing, Status

KEY = "shop/sums/u/streams/trades.0~1/epochs/000000000285"
WHY = f"{KEY}: the checksum is not that of the 512 bytes of part 0: torn or altered"


class Quiet:
    """A log that nobody reads."""

    def say(self, event: str, **_: object) -> None: ...


class Parts:
    log: Any = Quiet()


@pytest.fixture
def thread() -> ReplicaThread:
    made = object.__new__(ReplicaThread)  # its accounts only
    made.parts, made.role, made.work = Parts(), None, None  # type: ignore[assignment]
    made.status, made.failures, made.failed_at, made.speed = Status("sums/0/0", "sums/0", Doing.RUNNING), 0, 0, Speed(250)
    made.judge, made.store_ms = Judge(0), lambda _: None
    made.status.emitted.add(1)
    made.name = type("Name", (), {"task": "sums/0", "__str__": lambda _: "sums/0/0"})()
    return made


def test_it_names_the_object_and_what_to_do_and_stays_so_while_it_begins_again(thread: ReplicaThread) -> None:
    thread.report(Report("corrupt", 285, WHY, TaskId("trades/0")))
    thread.report(Report("forks again", detail="trades/0 285"))
    thread.passed(280, 3)  # replayed from its checkpoint
    told = of_replica(thread.status)["lacks"]
    assert told.startswith("epoch 285 of trades/0 cannot be read") and KEY in told
    assert told.endswith("restore this object, from a copy or an older version of it")


@pytest.mark.parametrize(("of", "last"), [("trades/0", 284), ("sums/0", 285)])
def test_it_is_over_with_the_first_epoch_for_which_it_had_to_read_it(thread: ReplicaThread, of: str, last: int) -> None:
    """One's own epoch is computed before it is found to be corrupt."""
    thread.report(Report("corrupt", 285, WHY, TaskId(of)))
    thread.passed(last, 3)
    assert thread.status.lacks
    thread.passed(last + 1, 3)
    assert thread.status.lacks == ""


def test_a_checkpoint_that_is_corrupt_stands_nobody_still(thread: ReplicaThread) -> None:
    thread.report(Report("corrupt", 280, "a checkpoint"))
    assert thread.status.lacks == ""
