"""The account of a service level: what was promised and achieved over the window, at what cost, and whether the input kept to its rates."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levee.control.account import PARTS, Account, Level, Statement, Sums
from levee.control.ledger import Ledger
from levee.control.names import Instant
from levee.control.seen import Observation, Phase, Processed, ReplicaSeen, Status
from levee.topology.names import TaskId
from tests.control.stage import MARKET, NOW, PLACED, RECORD, WANTED, record, seeing, worker

ENDED = replace(WANTED, ends=frozenset({TaskId("market/0"), TaskId("out/0")}))
LEVEL = Level(window_s=3600, promised=0.7, period_ms=1_000, allowed_ms={TaskId("vwap/0"): 2_000, TaskId("index/0"): 3_000})
HOUR_MS = 3_600_000
PART_MS = HOUR_MS // PARTS


def at(ms: int) -> Instant:
    return Instant(NOW + ms)


def telling(vwap: Processed, base: Observation | None = None, *, epoch: int = 100, attempt: int = 1, **state: object) -> Observation:
    """Replica 0 of vwap has counted this since its worker began."""
    home = worker(PLACED[0], attempt=attempt)
    states = tuple(replace(one, processed=vwap, epoch=epoch, **state) if one.task == "vwap/0" else one for one in home.states)  # type: ignore[arg-type]
    seen = base or seeing()
    return replace(seen, workers=(replace(home, states=states), *seen.workers[1:]))


# ---- between two looks


def test_the_first_look_only_begins() -> None:
    ledger = Ledger()
    assert ledger.interval(ENDED, telling(Processed(9, 900)), LEVEL, NOW) is None
    assert ledger.interval(ENDED, telling(Processed(9, 900)), LEVEL, at(2_000)) == Sums(
        seconds=2, replica_s=8, static_s=8, promised_s=1.4, promised_for_s=2, rates_known_s=2
    )


def between(*looks: Observation) -> Sums:
    """Of the last interval."""
    ledger = Ledger()
    found = [ledger.interval(ENDED, one, LEVEL, at(2_000 * place)) for place, one in enumerate(looks)]
    assert found[-1] is not None
    return found[-1]


def test_rows_are_what_workers_have_counted_since() -> None:
    found = between(telling(Processed(9, 900, 50, 5)), telling(Processed(11, 1_000, 70, 6)))
    assert (found.in_time, found.late, found.lost) == (100, 20, 1)


def test_a_worker_that_began_anew_counts_from_nothing() -> None:
    assert between(telling(Processed(9, 900)), telling(Processed(10, 950), attempt=2)).in_time == 950
    assert between(telling(Processed(9, 900)), telling(Processed(2, 30))).in_time == 30


def test_what_a_worker_counted_before_anybody_asked_it_is_no_news() -> None:
    unheard = seeing(workers=(worker(PLACED[0], states=()), *seeing().workers[1:]))
    assert between(unheard, telling(Processed(9, 900))).in_time == 0
    starting = seeing(workers=(worker(PLACED[0], Phase.STARTING), *seeing().workers[1:]))
    assert between(starting, telling(Processed(2, 60))).in_time == 60


def test_the_cost_is_the_time_of_active_replicas_that_are_there() -> None:
    fewer = record(tuple((name, rank) for name, rank in RECORD.live.ranks if not name.startswith("index/0/1")))
    found = between(seeing(), seeing(record=fewer))
    assert (found.replica_s, found.static_s) == (6, 8)
    gone = seeing(record=fewer, workers=(worker(PLACED[0], Phase.ENDED), *seeing().workers[1:]))
    assert between(seeing(), gone).replica_s == 4


@pytest.mark.parametrize(("rates", "above", "known"), [({MARKET: 219.0}, 0, 2), ({MARKET: 221.0}, 2, 2), (None, 0, 0)])
def test_the_input_keeps_to_what_some_configuration_declares(rates: dict[str, float] | None, above: float, known: float) -> None:
    found = between(seeing(), seeing(rates=rates))
    assert (found.above_s, found.rates_known_s) == (above, known)


def test_what_does_not_run_is_not_accounted() -> None:
    ledger = Ledger()
    ledger.interval(ENDED, seeing(), LEVEL, NOW)
    assert ledger.interval(ENDED, seeing(record=record(stopped=True)), LEVEL, at(2_000)) is not None, "until then it did"
    assert ledger.interval(ENDED, seeing(record=record(stopped=True)), LEVEL, at(3_000)) is None
    assert ledger.interval(ENDED, seeing(anchored=False), LEVEL, at(4_000)) is None
    assert ledger.interval(ENDED, seeing(), LEVEL, at(6_000)) is None
    assert ledger.interval(ENDED, seeing(), LEVEL, at(8_000)) is not None


def test_rows_that_nobody_has_processed_are_overdue_when_they_would_be_late() -> None:
    """10 rows an epoch, due at 130, allowed three epochs: what lies between 100 and 127."""
    ledger = Ledger()
    ledger.interval(ENDED, telling(Processed(90, 900)), LEVEL, NOW)
    behind = telling(Processed(100, 1_000), status=Status.FAILED)
    ahead = replace(behind.workers[1], states=tuple(replace(one, epoch=100, lag_epochs=29) for one in behind.workers[1].states))
    seen = replace(behind, workers=(behind.workers[0], ahead, behind.workers[2]))
    ledger.interval(ENDED, seen, LEVEL, at(2_000))
    assert ledger.overdue(ENDED, seen, LEVEL, at(2_000)) == 270


def test_where_nobody_runs_epochs_fall_due_all_the_same_and_no_more_than_a_window_of_them() -> None:
    ledger = Ledger()
    ledger.interval(ENDED, telling(Processed(90, 900)), LEVEL, NOW)
    ledger.interval(ENDED, telling(Processed(100, 1_000)), LEVEL, at(2_000))
    dead = replace(telling(Processed(100, 1_000)), workers=tuple(worker(placed, Phase.ENDED) for placed in PLACED))
    ledger.interval(ENDED, dead, LEVEL, at(4_000))
    assert ledger.overdue(ENDED, dead, LEVEL, at(22_000)) == 170
    assert ledger.overdue(ENDED, dead, LEVEL, at(100 * HOUR_MS)) == 36_000


def failing_from_the_first(epoch: int, rate: float) -> Observation:
    """vwap and what reads it have done nothing; market, which vwap reads, is at this epoch."""

    def state(one: ReplicaSeen) -> ReplicaSeen:
        if one.task == "market/0":
            return replace(one, epoch=epoch, rows_per_s=rate)
        return replace(one, epoch=0, status=Status.FAILED if one.task == "vwap/0" else Status.RUNNING)

    homes = map(worker, PLACED)
    return seeing(workers=tuple(replace(home, states=tuple(map(state, home.states))) for home in homes))


READING = replace(
    LEVEL, reads={TaskId("vwap/0"): {TaskId("market/0"): 0.5}, TaskId("index/0"): {TaskId("vwap/0"): 1.0}, TaskId("new/0"): {}}
)


def test_a_task_that_has_failed_since_its_first_epoch_owes_what_it_was_given() -> None:
    """20 rows a second, of which half are its own, due at 50, allowed three epochs: what lies before 48. index was given nothing."""
    ledger = Ledger()
    for ms, epoch in ((0, 1), (1_000, 2)):
        ledger.interval(ENDED, failing_from_the_first(epoch, rate=20.0), READING, at(ms))
    seen = failing_from_the_first(50, rate=20.0)
    ledger.interval(ENDED, seen, READING, at(49_000))
    assert ledger.overdue(ENDED, seen, READING, at(49_000)) == 470
    stalled = failing_from_the_first(50, rate=0.0)
    ledger.interval(ENDED, stalled, READING, at(59_000))
    assert ledger.overdue(ENDED, stalled, READING, at(59_000)) == 470, "what was given stays so while nothing more is emitted"


def test_a_task_whose_workers_begin_again_owes_no_more_than_before() -> None:
    ledger = Ledger()
    ledger.interval(ENDED, telling(Processed(90, 900)), READING, NOW)
    ledger.interval(ENDED, telling(Processed(100, 1_000)), READING, at(2_000))
    without = [worker(placed, Phase.STARTING) if "vwap/0/0" in placed.replicas else worker(placed) for placed in PLACED]
    without = [replace(one, states=tuple(state for state in one.states if state.task != "vwap/0")) for one in without]
    seen = seeing(workers=tuple(without))
    ledger.interval(ENDED, seen, READING, at(4_000))
    assert ledger.overdue(ENDED, seen, READING, at(4_000)) == 0


# ---- over the window


def test_a_statement_says_shares_and_nothing_where_nothing_is_known() -> None:
    sums = Sums(100, in_time=90, late=4, lost=1, replica_s=300, static_s=400, promised_s=70, promised_for_s=100, rates_known_s=50)
    told = Statement(3600, sums, overdue=5)
    assert (told.promised, told.achieved, told.cost, told.input_kept) == (0.7, 0.9, 0.75, True)
    assert replace(told, sums=replace(sums, above_s=1)).input_kept is False
    blank = Statement(3600)
    assert (blank.promised, blank.achieved, blank.cost, blank.input_kept) == (None, None, None, None)


def test_what_is_older_than_the_window_is_forgotten() -> None:
    account = Account(HOUR_MS)
    for minute in range(180):
        account.add(Sums(60, in_time=1), 60_000 * minute)
    told = account.statement(60_000 * 179)
    assert told.sums == Sums(3600, in_time=60)
    assert len(account.parts) == PARTS
    assert account.statement(60_000 * 179 + HOUR_MS).sums == Sums()


def test_a_part_is_kept_when_it_is_over_and_once() -> None:
    account = Account(HOUR_MS)
    account.add(Sums(1, in_time=1), 0)
    assert account.over(PART_MS - 1) == {}
    assert account.over(PART_MS) == {0: Sums(1, in_time=1)}
    account.kept = 0
    assert account.over(2 * PART_MS) == {}
    account.add(Sums(2), 2 * PART_MS)
    assert account.over(3 * PART_MS) == {0: Sums(1, in_time=1), 2: Sums(2)}


@given(st.lists(st.tuples(st.integers(0, 4 * HOUR_MS), st.integers(0, 5), st.integers(0, 5)), max_size=60))
def test_the_window_has_what_was_added_in_it_and_nothing_else(steps: list[tuple[int, int, int]]) -> None:
    account, added = Account(HOUR_MS), list[tuple[int, Sums]]()
    for wall_ms, in_time, late in sorted(steps):
        added.append((wall_ms // PART_MS, Sums(1, in_time=in_time, late=late)))
        account.add(added[-1][1], wall_ms)
        now = wall_ms // PART_MS
        assert account.statement(wall_ms).sums == sum((one for number, one in added if now - PARTS < number <= now), Sums())
        assert len(account.parts) <= PARTS
