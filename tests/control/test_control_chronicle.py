"""What people read of a task that fails again and again."""

from collections.abc import Sequence
from dataclasses import replace

from levee.control.actions import Decision, Reason, WriteRecord
from levee.control.chronicle import Chronicle
from levee.control.decide import decide
from levee.control.events import Event
from levee.control.names import ReplicaName
from levee.control.seen import Observation, Phase, Status
from tests.control.stage import FULL, HEALTHY, HIGH, MARKET, NOW, PLACED, WANTED, record, running, seeing, with_worker, worker

ERROR = "ValueError: no price\n  bargains.py:7 in vwap\n  at row 12"
VWAP = ReplicaName("vwap/0/0")


def failed(epoch: int = 100, error: str = ERROR) -> Observation:
    """Where the task is led by its other replica already."""
    states = tuple(
        running(one, status=Status.FAILED, error=error, epoch=epoch) if one == VWAP else running(one) for one in PLACED[0].replicas
    )
    ranks = [("vwap/0/1", 0), ("vwap/0/0", 1), *((name, rank) for name, rank in record().live.ranks if not name.startswith("vwap"))]
    return seeing(with_worker(0, replace(HEALTHY.workers[0], states=states)), record=record(ranks))


def test_a_failure_is_told_once_in_full_and_then_more_and_more_seldom_in_short() -> None:
    chronicle, told = Chronicle(), list[Event]()
    before, was = HEALTHY, decide(WANTED, HEALTHY, NOW)
    for seen in [failed(), HEALTHY] * 64:
        decision = Decision(Reason.TASK_FAILED, "vwap/0") if seen is not HEALTHY else Decision(Reason.SETTLED)
        told += chronicle.events(before, seen, was, decision)
        before, was = seen, decision
    assert [one.text for one in told if "row 12" in one.text] == [f"failed after epoch 100: {ERROR}"]
    assert [one.subject for one in told].count("TaskFailed") == 1
    assert [one.text for one in told if "still" in one.text] == [
        f"still fails: vwap/0/0 after epoch 100, {times} times by now" for times in (2, 4, 8, 16, 32, 64)
    ]
    assert len(told) == 8


def test_another_error_or_another_epoch_is_another_failure() -> None:
    chronicle = Chronicle()
    for seen in (failed(), failed(epoch=101), failed(error="KeyError: 'price'")):
        told = chronicle.failures(HEALTHY, seen)
        assert "failed after epoch" in next(told).text


def test_a_task_that_has_done_the_epoch_at_which_it_failed_is_told_as_well_again() -> None:
    chronicle = Chronicle()
    failing, settled = Decision(Reason.TASK_FAILED, "vwap/0"), Decision(Reason.SETTLED, "well")
    chronicle.events(HEALTHY, failed(), settled, failing)
    assert chronicle.events(failed(), HEALTHY, failing, settled) == ()
    beyond = with_worker(0, replace(HEALTHY.workers[0], states=tuple(running(one, epoch=101) for one in PLACED[0].replicas)))
    assert [one.subject for one in chronicle.events(HEALTHY, beyond, settled, settled)] == ["Settled"]
    assert chronicle.events(beyond, beyond, settled, settled) == ()


def test_a_task_that_has_yet_to_do_the_epoch_at_which_it_failed_is_not_told_as_well_whatever_else_it_does() -> None:
    chronicle = Chronicle()
    failing, settled = Decision(Reason.TASK_FAILED, "vwap/0"), Decision(Reason.SETTLED, "well")
    began_again = with_worker(0, replace(HEALTHY.workers[0], states=tuple(running(one, epoch=95) for one in PLACED[0].replicas)))
    ended = with_worker(0, worker(PLACED[0], Phase.ENDED, states=()))
    chronicle.events(HEALTHY, failed(), settled, failing)
    chronicle.events(HEALTHY, failed(epoch=90), failing, failing)  # in what it has done before: the machine is slow
    for seen in (began_again, ended, with_worker(0, worker(PLACED[0], Phase.STARTING)), HEALTHY):
        assert "Settled" not in [one.subject for one in chronicle.events(seen, seen, failing, settled)]
        assert set(chronicle.failing) == {VWAP}


def test_a_replica_that_is_taken_away_fails_no_longer() -> None:
    chronicle = Chronicle()
    chronicle.events(HEALTHY, failed(), None, Decision(Reason.TASK_FAILED, "vwap/0"))
    without = with_worker(0, worker(replace(PLACED[0], replicas=tuple(one for one in PLACED[0].replicas if one != VWAP))))
    assert [one.subject for one in chronicle.events(failed(), without, None, Decision(Reason.SETTLED, "well"))][-1] == "Settled"


def test_the_decision_names_each_failed_task_once_with_the_first_line_of_its_error() -> None:
    decision = decide(WANTED, failed(), NOW)
    assert (decision.reason, decision.text) == (Reason.TASK_FAILED, "vwap/0 after epoch 100: ValueError: no price")


def test_before_the_first_epoch_what_failed_is_said_and_not_what_is_waited_for() -> None:
    states = tuple(running(one, status=Status.FAILED, error=ERROR) for one in PLACED[1].replicas)
    seen = seeing(with_worker(1, replace(HEALTHY.workers[1], states=states), failed()), anchored=False)
    while (decision := decide(WANTED, seen, NOW)).actions:
        [action] = decision.actions
        assert isinstance(action, WriteRecord)
        seen = replace(seen, record=action.record)
    assert decision.reason is Reason.TASK_FAILED
    assert decision.text.count("vwap/0 after epoch 100") == 1


def test_of_many_failed_tasks_each_is_told_once_whichever_of_them_try_again() -> None:
    chronicle, told, was = Chronicle(), list[Event](), decide(WANTED, HEALTHY, NOW)
    for text in ["a at epoch 1: x; b at epoch 1: y", "a at epoch 1: x", "b at epoch 1: y", "a at epoch 1: x; b at epoch 1: y"] * 20:
        decision = Decision(Reason.TASK_FAILED, text)
        told += chronicle.events(failed(), failed(), was, decision)
        was = decision
    assert [one.subject for one in told].count("TaskFailed") == 1


# ---- input above what is declared


def told_of(rates: Sequence[float], chronicle: Chronicle | None = None, was: Decision | None = None) -> list[str]:
    """What is said of these averages of market, one after the other; high declares 200/s."""
    found, chronicle, before = list[str](), chronicle or Chronicle(), HEALTHY
    in_high = record(tuple((name, rank) for name, rank in FULL if name in WANTED.active[HIGH]))
    for rate in rates:
        seen = seeing(rates={MARKET: rate}, configuration=HIGH, record=in_high, known_since=NOW)
        decision = decide(WANTED, seen, NOW)
        events = chronicle.events(before, seen, was, decision)
        found += [one.text.partition(",")[0] for one in events if one.subject == Reason.INPUT_ABOVE_CONTRACT]
        before, was = seen, decision
    return found


def test_input_above_the_contract_is_told_again_when_its_average_has_settled_well_above() -> None:
    rising = [230.0, 290.0, 350.0, 420.0, 500.0]
    assert told_of([*rising, *[500.0, 505.0, 495.0] * 50]) == ["market offers 230/s", "market offers 500/s"]


def test_input_that_stays_or_falls_is_told_once() -> None:
    assert told_of([500.0] * 100) == ["market offers 500/s"]
    assert told_of([500.0, 400.0, 300.0, 450.0, 450.0, 500.0, 500.0]) == ["market offers 500/s"]


def test_input_that_grows_for_long_is_told_with_each_quarter() -> None:
    told = told_of([250.0 * 1.005**second for second in range(720)])
    assert len(told) == 16  # to 36 times as much, which is 1.25 sixteen times


def test_input_that_was_above_before_anybody_looked_is_told_when_it_grows() -> None:
    above = Decision(Reason.INPUT_ABOVE_CONTRACT, "as an operator before this one has said")
    assert told_of([500.0] * 10, was=above) == []
    assert told_of([500.0] * 10 + [700.0] * 2, was=above) == ["market offers 700/s"]
