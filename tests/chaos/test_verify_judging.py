"""What streams did under a fault, in numbers, and what that says of a promise."""

from collections.abc import Mapping

import pytest

from levee.fit.verdicts import Verdict
from levee.topology.names import ConfigurationName, OperatorName, TaskId
from levee_chaos.verifying import telling
from levee_chaos.verifying.course import Committed, Course, Reads, Window, longest_ms
from levee_chaos.verifying.harm import Harm, harm
from levee_chaos.verifying.judging import Measured, Outcome, Scale, judged, worst
from levee_chaos.verifying.promises import Promise
from levee_chaos.verifying.trials import Kind as Fault
from levee_chaos.verifying.trials import Trial
from levee_spark.log.digest import lineage
from levee_spark.log.values import GENESIS, Kind, Manifest

NUMBERS, DOUBLE, TOTAL = TaskId("numbers/0"), TaskId("double/0"), TaskId("total/0")
PERIOD = 100
WHOLE = Window(0, 1_000)  # epochs 1 to 10 are due at 100, 200, ...


def line(late: Mapping[int, int] | None = None, kinds: Mapping[int, Kind] | None = None, epochs: int = 10) -> dict[int, Committed]:
    """Ten rows an epoch, committed 20 ms after it was due; `late`: so much later, and never where that is 0."""
    found, before = {}, GENESIS
    for epoch in range(1, epochs + 1):
        before = lineage(before, f"d{epoch}")
        one = Manifest(epoch, (kinds or {}).get(epoch, Kind.FINAL), 10, f"d{epoch}", before, 1, "w", PERIOD * epoch)
        after = (late or {}).get(epoch, 20)
        if after:
            found[epoch] = Committed(one, PERIOD * epoch + after)
    return found


def course(**streams: dict[int, Committed]) -> Course:
    committed = {NUMBERS: line(), DOUBLE: line(), TOTAL: line()} | {TaskId(f"{name}/0"): one for name, one in streams.items()}
    reads = {DOUBLE: Reads({NUMBERS: 1.0}, 50), TOTAL: Reads({DOUBLE: 0.5}, 60)}
    return Course(committed, reads, {NUMBERS: 40, DOUBLE: 50, TOTAL: 60}, {OperatorName("total"): (TOTAL,)}, PERIOD)


def test_where_all_came_in_time_completeness_is_whole_and_the_gap_is_a_period() -> None:
    found = course()
    assert found.completeness(WHOLE) == 1.0
    assert found.unborn(WHOLE) == 0
    assert found.gap_ms(Window(200, 820)) == PERIOD


def test_rows_count_and_not_epochs_or_tasks() -> None:
    found = course(total=line({4: 70, 5: 70}))  # 10 rows late of 100 that double reads and 50 that total reads
    assert found.completeness(WHOLE) == pytest.approx(140 / 150)


@pytest.mark.parametrize("after", [0, 61])
def test_what_never_came_is_as_late_as_what_came_too_late(after: int) -> None:
    assert course(total=line({10: after})).completeness(WHOLE) == pytest.approx(145 / 150)


def test_below_a_stream_that_was_skipped_rows_are_missing_as_usual() -> None:
    found = course(double=line(kinds={3: Kind.SKIPPED}))
    assert found.completeness(WHOLE) == pytest.approx((150 - 10 - 5) / 150)


def test_epochs_that_were_never_due_since_nobody_ingested_are_missing_too() -> None:
    every = line(epochs=6)
    found = course(numbers=every, double=every, total=every)
    assert found.unborn(WHOLE) == 4
    assert found.completeness(WHOLE) == pytest.approx(0.6)
    assert found.mean(WHOLE, lambda gone: 0.0 if gone else 1.0) == pytest.approx(0.6)


def test_an_epoch_is_worth_what_the_tasks_that_had_it_in_time_are() -> None:
    found = course(double=line({3: 70, 4: 70}), total=line({3: 200, 4: 70, 5: 70}))
    asked: list[frozenset[TaskId]] = []

    def worth(gone: frozenset[TaskId]) -> float:
        asked.append(gone)
        return 1 - len(gone) / 4

    assert found.mean(WHOLE, worth) == pytest.approx((7 + 2 * 0.5 + 0.75) / 10)
    assert sorted(asked, key=len) == [frozenset(), frozenset({TOTAL}), frozenset({DOUBLE, TOTAL})]  # each once


def test_a_gap_that_lasts_counts_and_one_that_was_over_does_not() -> None:
    assert longest_ms([100, 900, 1_000], Window(950, 2_500)) == 1_500
    assert longest_ms([100, 900, 1_000], Window(850, 1_000)) == 800
    assert longest_ms([], Window(0, 500)) == 500


# ---- lost and changed


def manifests(one: dict[int, Committed]) -> dict[TaskId, dict[int, Manifest]]:
    return {TOTAL: {epoch: each.manifest for epoch, each in one.items()}}


def test_streams_that_go_on_are_neither_lost_nor_changed_also_where_their_beginning_was_trimmed() -> None:
    after = {epoch: one for epoch, one in line().items() if epoch > 3}
    assert harm(manifests(line(epochs=6)), manifests(after)) == Harm()


def test_an_epoch_that_is_gone_is_lost() -> None:
    assert harm(manifests(line(epochs=6)), manifests(line({5: 0}))).lost == ("total/0: epoch 5 is lost",)
    assert harm(manifests(line(epochs=6)), manifests(line(epochs=5))).lost == ("total/0: epoch 6 is lost",)
    assert harm(manifests(line(epochs=6)), manifests(line({8: 0}))).lost == ("total/0: epoch 8 is lost",)


def test_another_epoch_in_its_place_or_one_that_does_not_go_on_from_it_is_changed() -> None:
    other = line()
    other[7] = Committed(Manifest(7, Kind.FINAL, 9, "other", other[7].manifest.lineage, 1, "w", 700), 720)
    before = manifests(line(epochs=8))
    assert harm(before, manifests(other)).changed == ("total/0: epoch 7 is another one: d7 before, other now",)
    assert harm(manifests(line(epochs=5)), manifests(other)).changed == ("total/0: epoch 7 does not continue epoch 6",)


def test_what_a_stream_gives_up_by_its_own_policy_is_counted_apart() -> None:
    found = harm(manifests(line(epochs=6)), manifests(line(kinds={8: Kind.SKIPPED})))
    assert (found.texts, found.given_up) == ((), 1)


# ---- the verdict

PROMISE = Promise(0.7, 0.4)


def measured(completeness: float | None = 0.8, **more: object) -> Measured:
    known: dict[str, object] = {"fidelity": 0.5, "before": 1.0, "gap_ms": 250, "recovery_s": 3.0, "period_ms": PERIOD}
    return Measured(completeness, **(known | more))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "verdict", "says"),
    [
        (measured(), Verdict.PASSED, ""),
        (measured(0.69), Verdict.PASSED, ""),  # within the tolerance
        (measured(0.6), Verdict.FAILED, "60.0% of the rows were processed in time, and 70.0% was promised"),
        (measured(0.6, before=0.9), Verdict.INCONCLUSIVE, "only 90.0% of the rows were processed in time before the fault"),
        (measured(0.6, before=None), Verdict.INCONCLUSIVE, "nothing was due before the fault"),
        (measured(0.8, before=0.9), Verdict.PASSED, ""),
        (measured(None), Verdict.INCONCLUSIVE, "no row was due while the fault stood"),
        (measured(recovery_s=None), Verdict.FAILED, "not every planned replica worked again"),
        (measured(1.0, harm=Harm(("total/0: epoch 5 is lost",), ("a", "b"))), Verdict.FAILED, "total/0: epoch 5 is lost, and 2 more"),
    ],
)
def test_a_promise_is_kept_broken_or_was_not_put_to_the_test(found: Measured, verdict: Verdict, says: str) -> None:
    given, why = judged(PROMISE, found, Scale())
    assert given is verdict
    assert says in why


def test_a_plan_for_fidelity_is_judged_by_it() -> None:
    assert judged(PROMISE, measured(0.1), Scale(fidelity=True))[0] is Verdict.PASSED
    assert judged(PROMISE, measured(1.0, fidelity=0.3), Scale(fidelity=True))[0] is Verdict.FAILED


TRIAL = Trial(Fault.NODE, "node-1", ConfigurationName("calm"), frozenset(), PROMISE)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([Verdict.PASSED, Verdict.INCONCLUSIVE, Verdict.FAILED], Verdict.FAILED),
        ([Verdict.PASSED, Verdict.INCONCLUSIVE], Verdict.INCONCLUSIVE),
        ([Verdict.PASSED], Verdict.PASSED),
        ([], Verdict.INCONCLUSIVE),
    ],
)
def test_all_of_it_is_as_good_as_its_worst_and_nothing_tried_is_nothing_known(verdicts: list[Verdict], expected: Verdict) -> None:
    assert worst([Outcome(TRIAL, one) for one in verdicts]) is expected


def test_the_promise_under_what_was_met_stands_beside_what_was_measured() -> None:
    one = Outcome(TRIAL, Verdict.PASSED, promise=Promise(0.99999, 1.0), measured=measured(0.99999))
    assert telling.row(one, Scale()) == ("node:node-1@calm", "99.99 %", "99.99 %", "2.5 epochs, 250 ms", "3.0 s", "0", "0", "Passed")
    never = Outcome(TRIAL, Verdict.INCONCLUSIVE, "it was not whole")
    assert telling.row(never, Scale()) == ("node:node-1@calm", "70.00 %", "", "", "", "", "", "Inconclusive")
    assert telling.line(never, Scale()) == "Inconclusive  node:node-1@calm\n              it was not whole"
