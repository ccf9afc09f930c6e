"""Rules 8, 9 and 10, which are about what a run costs and whether it may begin, and the values that all rules stand on."""

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import ask, commit, keys, probe, rank
from levee_spark.log.clock import StoreClock, corrected, stamped
from levee_spark.log.digest import lineage, multiset_digest
from levee_spark.log.floor import Sight, exempt
from levee_spark.log.keys import Layout
from levee_spark.log.rank import Last, Times
from levee_spark.log.requests import Absent, Answer, Delete, Done, Exists, Found, Get, Overwrite, PutIfAbsent, Script, Unknown, Wait
from levee_spark.log.rest import sealed
from levee_spark.log.values import EpochObject, Floor, Record
from tests.log.simulation import run as simulation
from tests.log.simulation.scenario import Faults, Scenario, draw
from tests.log.simulation.store import MemoryStore

TIMES = Times(
    period_ms=250,
    hold_ms=100,
    deadline_ms=500,
    failure_timeout_ms=5_000,
    retention_ms=600_000,
    poll_ms=20,
    pin_ms=60_000,
    lead=9,
    backlog=9,
)


MINE = EpochObject(sealed(1, 0))


class Nobody:
    def was_put(self, key: str, record: Record, *, replaced: bool) -> None: ...
    def was_deleted(self, key: str, record: Record) -> None: ...


def driven(script: Script[object], store: MemoryStore, leg_ms: int = 1) -> object:
    """Answer a role's requests at once."""
    now_ms, answer = 0, cast(Answer | None, None)
    try:
        while True:
            request = next(script) if answer is None else script.send(answer)
            began_ms, now_ms = now_ms, now_ms + leg_ms
            match request:
                case Get():
                    there = store.get(request)
                    answer = Found(there[0], there[1], began_ms, now_ms) if there else Absent(began_ms, now_ms)
                case PutIfAbsent():
                    answer = (Done if store.put_if_absent(request, now_ms) else Exists)(began_ms, now_ms)
                case Overwrite():
                    answer = Done(began_ms, now_ms)
                case Delete():
                    store.delete(request)
                    answer = Done(began_ms, now_ms)
                case _:
                    answer = Done(began_ms, now_ms)
    except StopIteration as end:
        return end.value


# ---- rule 3


@pytest.mark.parametrize("ask_for", [lambda: commit.commit("epochs/1", MINE), lambda: ask.agree("control/1", Floor(1, 1), Floor)])
def test_whoever_writes_to_a_store_that_takes_nothing_asks_later_and_later(ask_for: Callable[[], Script[object]]) -> None:
    """As where its disk is full: reading is answered."""
    script, pauses = ask_for(), list[int]()
    request = next(script)
    while len(pauses) < 10:
        if isinstance(request, Wait):
            pauses.append(request.ms)
        request = script.send(Unknown("no room", 0, 1) if isinstance(request, PutIfAbsent) else Absent(0, 1))
    assert pauses == [20, 40, 80, 160, 320, 640, 1_280, 2_000, 2_000, 2_000]


# ---- rule 10


def test_an_honest_store_is_accepted_with_its_round_trip() -> None:
    assert driven(probe.examine(Layout("p", "u"), "w", 1, 250), MemoryStore(Nobody())) == probe.Honest(1)


def test_a_store_that_overwrites_is_refused() -> None:
    refused = driven(probe.examine(Layout("p", "u"), "w", 1, 250), MemoryStore(Nobody(), lies=True))
    assert isinstance(refused, probe.Refused) and "two replicas would both win" in refused.why


def test_without_the_probe_a_store_that_overwrites_gives_an_epoch_two_winners() -> None:
    def lying(scenario: Scenario) -> Scenario:
        return replace(scenario, store_lies=True)

    with pytest.raises(simulation.Violation):
        runs(range(20), lying)


def test_a_period_below_three_round_trips_is_refused_with_its_figures() -> None:
    refused = probe.pace(100, 250)
    assert isinstance(refused, probe.Refused) and "at least 300 ms" in refused.why
    assert probe.pace(83, 250) == probe.Honest(83)


# ---- rule 9


def test_keys_of_two_resources_never_meet_even_under_one_name() -> None:
    first, second = Layout("shop/clicks", "uid-1"), Layout("shop/clicks", "uid-2")
    assert not first.epoch(TaskId("a"), 1).startswith(second.root())


def created_again(scenario: Scenario) -> Scenario:
    return replace(scenario, wiring=replace(scenario.wiring, layout=Layout(scenario.wiring.layout.prefix, "uid-2")))


def test_a_topology_that_is_created_again_under_its_name_never_meets_old_data(monkeypatch: pytest.MonkeyPatch) -> None:
    bucket = MemoryStore(Nobody())
    simulation.run(5, left_over=bucket)
    simulation.run(6, shape=created_again, left_over=bucket)
    monkeypatch.setattr(Layout, "root", lambda layout: layout.prefix)  # the rule taken away
    simulation.run(5, left_over=bucket)
    with pytest.raises(simulation.Violation):
        simulation.run(6, shape=created_again, left_over=bucket)


@given(st.text(max_size=400), st.text(max_size=400))
def test_any_two_names_have_two_segments_that_every_store_takes(one: str, other: str) -> None:
    made = keys.segment(one)
    assert 0 < len(made) <= keys.SEGMENT_LIMIT and "/" not in made and made not in {".", ".."}
    assert (made == keys.segment(other)) == (one == other)


@given(st.integers(0, 10**12 - 1), st.integers(0, 10**12 - 1))
def test_numbered_keys_sort_as_they_count(one: int, other: int) -> None:
    layout = Layout("p", "u")
    assert (layout.epoch(TaskId("t"), one) < layout.epoch(TaskId("t"), other)) == (one < other)
    assert keys.numbered(layout.epoch(TaskId("t"), one)) == one


def test_no_key_is_a_folder_of_another() -> None:
    layout, task = Layout("p", "u"), TaskId("t/0")
    all_keys = [
        layout.epoch(task, 1),
        layout.rebuilt(task, 1),
        layout.verdict(task, 1),
        layout.damage(task),
        layout.segment(task, 1, "d"),
        layout.floor(task, 1),
        layout.checkpoint(task, 1),
        layout.checkpoint_file(task, 1, "w", "f"),
        layout.pin(task, "h"),
        layout.registration(OperatorName("t"), "h"),
        layout.imported(OperatorName("t")),
        layout.control(1),
        layout.change(1),
        layout.correction(1, task),
        layout.anchor(1),
        layout.probe("h", "n"),
    ]
    assert not any(other.startswith(f"{one}/") for one, other in permutations(all_keys, 2))


# ---- rule 8


def test_who_has_won_goes_on_at_once_and_who_has_lost_stays_behind() -> None:
    assert [rank.hold_ms(r, Last.NONE, 100) for r in range(3)] == [0, 100, 200]
    assert [rank.hold_ms(r, Last.WON, 100) for r in range(3)] == [0, 0, 0]
    assert [rank.hold_ms(r, Last.LOST, 100) for r in range(3)] == [100, 200, 300]


def test_times_that_cannot_work_are_refused_with_their_figures() -> None:
    assert rank.validate(TIMES, 2) is None
    assert "up to 550 ms" in (rank.validate(TIMES, 3) or "")
    assert "failureTimeout 400 ms" in (rank.validate(replace(TIMES, deadline_ms=460, failure_timeout_ms=400), 2) or "")


def runs(seeds: range, shape: Callable[[Scenario], Scenario]) -> None:
    for seed in seeds:
        simulation.run(seed, shape=shape)


def calm(scenario: Scenario) -> Scenario:
    """Three replicas of every task, and nothing goes wrong."""
    return replace(scenario, faults=Faults(until_ms=300), replicas=dict.fromkeys(scenario.replicas, 3), stops_in_the_end=False)


def test_where_nothing_goes_wrong_secondaries_leave_the_store_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with_holds = simulation.run(3, shape=calm).wasted
    monkeypatch.setattr(rank, "hold_ms", lambda *_: 0)
    without = simulation.run(3, shape=calm).wasted
    assert with_holds * 20 < without


def at_defaults(scenario: Scenario) -> Scenario:
    """Three replicas at the times that a topology on a local store has if it names none: the last holds for longer than a period."""
    tasks = {task: replace(one, skips_late=False, skips_errors=False) for task, one in scenario.wiring.tasks.items()}
    times = replace(TIMES, deadline_ms=1_100, poll_ms=5)
    behaviours = {task: replace(one, raises=False) for task, one in scenario.behaviours.items()}
    wiring = replace(scenario.wiring, times=times, tasks=tasks)
    return replace(calm(scenario), wiring=wiring, behaviours=behaviours, faults=Faults(until_ms=20_000))


def test_no_secondary_falls_behind_however_long_it_holds() -> None:
    assert rank.hold_ms(2, Last.LOST, TIMES.hold_ms) > TIMES.period_ms
    races = simulation.run(3, shape=at_defaults).reports
    secondaries = 2 * 3  # of two sources and their join
    assert races["lost"] >= 2 * races["won"] - 3 * secondaries  # whatever one has won, two have lost, but for the last epochs


# ---- rules 1, 2, 4, 7


@given(st.lists(st.binary(max_size=4), max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_count_and_everything_else_does(rows: list[bytes], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    digest = multiset_digest(rows)
    assert multiset_digest(shuffled) == digest
    assert multiset_digest([*rows, b"x", b"x"]) != digest
    assert multiset_digest(rows, "7") not in {digest, multiset_digest(rows, "8")}


def test_lineages_tell_where_one_word_ends() -> None:
    assert lineage("ab", "c") != lineage("a", "bc")


@pytest.mark.parametrize(("epoch", "now_ms", "is_exempt"), [(5, 399, True), (9, 399, True), (4, 399, False), (5, 400, False)])
def test_the_look_at_the_floor_is_left_out_only_for_half_of_retention(epoch: int, now_ms: int, *, is_exempt: bool) -> None:
    assert exempt(Sight(5, 100), epoch, now_ms, 600) is is_exempt
    assert exempt(None, epoch, now_ms, 600) is False


@given(st.integers(0, 10**6), st.integers(0, 50), st.integers(0, 10**5), st.sampled_from([1, 10, 1_000]), st.integers(-200, 200))
def test_the_stores_time_is_always_within_the_bounds(
    true_ms: int, trip_ms: int, passed_ms: int, resolution_ms: int, drift_ppm: int
) -> None:
    written_ms = true_ms - true_ms % resolution_ms
    clock = stamped(written_ms, 1_000, 1_000 + trip_ms, resolution_ms)
    own_ms = 1_000 + trip_ms + passed_ms + passed_ms * drift_ppm // 1_000_000
    assert clock.earliest(own_ms) <= true_ms + trip_ms + passed_ms and clock.latest(own_ms) >= true_ms + passed_ms


def test_a_new_stamp_narrows_what_is_known_and_one_that_contradicts_it_replaces_it() -> None:
    known = StoreClock(0, 1_000, 1_100)
    assert corrected(known, StoreClock(0, 1_050, 1_200)) == StoreClock(0, 1_050, 1_101)  # one more for the rounding
    assert corrected(known, StoreClock(0, 5_000, 5_010)) == StoreClock(0, 5_000, 5_010)


# ---- late output


def gone(scenario: Scenario) -> Scenario:
    """Nobody computes the join, and its epochs may be skipped."""
    plain = at_defaults(scenario)
    join = next(one for one in plain.wiring.tasks.values() if len(one.inputs) > 1)
    wiring = replace(plain.wiring, tasks={**plain.wiring.tasks, join.task: replace(join, skips_late=True)})
    return replace(plain, wiring=wiring, replicas={**plain.replicas, join.task: 0}, faults=Faults(until_ms=6_000))


def test_a_task_that_is_gone_loses_an_epoch_a_period_and_nobody_falls_behind() -> None:
    """Were each deadline counted from the epoch before, its consumers would do one epoch in a deadline, and be later and later."""
    scenario = gone(draw(3))
    times, until_ms = scenario.wiring.times, scenario.faults.until_ms
    assert simulation.run(3, shape=gone).reports["skips"] >= (until_ms - 2 * times.deadline_ms) // times.period_ms
