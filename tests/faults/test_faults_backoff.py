"""What always fails is tried less and less often."""

from levee_spark.worker.replica import ReplicaThread
from levee_spark.worker.speed import Speed
from levee_spark.worker.status import Status


def test_only_passing_the_epoch_that_failed_ends_the_backoff_not_replaying_those_before_it() -> None:
    thread = object.__new__(ReplicaThread)  # its accounts only
    thread.status, thread.failures, thread.failed_at = Status("labelled/0/0", "labelled/0"), 3, 25
    thread.status.error, thread.speed = "no label for this number", Speed(250)
    thread.status.emitted.add(1)
    thread.passed(24, 2)
    assert (thread.failures, thread.status.error) == (3, "no label for this number")
    thread.passed(25, 2)
    assert (thread.failures, thread.status.error) == (0, "")
