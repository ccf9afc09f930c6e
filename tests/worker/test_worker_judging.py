"""Rows are counted once, by who commits their epoch, as in time, late or lost."""

from pathlib import Path

from levee.topology.load import load_bytes
from levee.topology.names import TaskId
from levee_spark.log.requests import Compute, Computed, Raised, Report
from levee_spark.log.values import EpochObject, Kind, Manifest
from levee_spark.worker.judging import Judge, Processed, allowed_ms, sharing
from levee_spark.worker.wiring import wiring_of

DUE, ALLOWED = 10_000, 500
DONE = Computed(b"", 1, "digest", 0, 0)


def asked(epoch: int, *rows: int, dropped: bool = False) -> Compute:
    inputs = (EpochObject(Manifest(epoch, Kind.FINAL, count, "", "", 1, "somebody", time_ms=DUE)) for count in rows)
    return Compute(epoch, tuple(inputs), dropped)


def judged(*reports: Report, now_ms: int | None = DUE, dropped: bool = False, raised: bool = False, leads: bool = True) -> Processed:
    judge = Judge(ALLOWED)
    for one in reports:
        judge.computed(asked(one.epoch, 30, 4, dropped=dropped), Raised("no", 0, 0) if raised else DONE)
        judge.ended(one, now_ms, leads=leads)
    return judge.processed


def test_rows_are_in_time_until_the_deadlines_are_over() -> None:
    assert judged(Report("won", 7), now_ms=DUE + ALLOWED) == Processed(1, in_time=34)
    assert judged(Report("won", 7), now_ms=DUE + ALLOWED + 1) == Processed(1, late=34)


def test_in_doubt_they_were_in_time() -> None:
    assert judged(Report("won", 7), now_ms=None) == Processed(1, in_time=34)


def test_what_tasks_divide_among_them_is_counted_by_each_in_part() -> None:
    judge = Judge(ALLOWED, sharing=(2, 1))
    judge.computed(asked(7, 30, 4), DONE)
    judge.ended(Report("won", 7), DUE, leads=True)
    assert judge.processed == Processed(1, in_time=19)


def test_what_another_replica_has_committed_that_one_counts() -> None:
    assert judged(Report("lost", 7)) == Processed()


def test_rows_of_an_epoch_that_was_sealed_as_failed_are_lost() -> None:
    assert judged(Report("won", 7), raised=True) == Processed(1, lost=34)
    assert judged(Report("won", 7), dropped=True) == Processed(1, lost=34)


def test_rows_of_an_epoch_that_was_skipped_are_lost_and_the_first_of_the_ranks_counts_them() -> None:
    skipped = Report("lost", 7, Kind.SKIPPED.value)
    assert judged(skipped) == Processed(1, lost=34)
    assert judged(skipped, leads=False) == Processed()


def test_what_is_replayed_counts_no_second_time() -> None:
    assert judged(Report("won", 7), Report("won", 8), Report("won", 7), Report("won", 8)) == Processed(2, in_time=68)


def test_an_epoch_may_be_late_by_the_deadlines_of_all_that_lie_before_it() -> None:
    text = (Path(__file__).parents[2] / "examples" / "pipeline.yaml").read_bytes()
    [loaded] = load_bytes(text, origin="pipeline")
    assert loaded.resource is not None
    wiring = wiring_of(loaded.resource, "uid")
    allowed = allowed_ms(wiring, loaded.resource.spec)
    for task, wired in wiring.tasks.items():
        before = max((allowed[one] for one in wired.inputs), default=0)
        assert allowed[TaskId(task)] == before + (0 if wired.sink else wiring.times.deadline_ms)


def test_rows_are_divided_among_the_tasks_of_an_operator_that_read_the_same_stream() -> None:
    text = (Path(__file__).parents[2] / "examples" / "bargain-discovery.yaml").read_bytes()
    [loaded] = load_bytes(text, origin="bargains")
    assert loaded.resource is not None
    wiring = wiring_of(loaded.resource, "uid")
    for wired in wiring.tasks.values():
        many = sum(one.operator == wired.operator for one in wiring.tasks.values())
        assert all(among in {1, many} for among in sharing(wiring, wired))
