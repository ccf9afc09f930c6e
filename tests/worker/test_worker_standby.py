"""What a standby says of itself while another one is always first."""

from levee_spark.log.requests import Report
from levee_spark.worker.assembly import Ingesting
from levee_spark.worker.judging import Judge
from levee_spark.worker.replica import ReplicaThread
from levee_spark.worker.speed import Speed
from levee_spark.worker.status import Doing, Status


def test_an_ingestor_that_has_never_been_first_runs_and_is_as_far_as_its_stream() -> None:
    """Else nobody would count on it, as long as the first one lives."""
    thread = object.__new__(ReplicaThread)  # its accounts only
    thread.status, thread.work = Status("market/0/1", "market/0", Doing.IDLE), object.__new__(Ingesting)
    thread.judge, thread.store_ms, thread.speed = Judge(0), lambda _: None, Speed(1_000)
    thread.report(Report("lost", 7))
    assert (thread.status.doing, thread.status.epoch) == (Doing.RUNNING, 7)
