"""What happens in the simulated world is what LAAR's formulas and the rules of control say."""

from random import Random

import pytest

from levee.planning.completeness import baselines
from levee.planning.completeness.model import Model, scenarios
from levee.planning.generate.applications import application
from levee.planning.problem import Plan, Problem
from levee.topology.graph import FailureModel, Late
from levee.worlds.simulated.casting import wanted_of
from levee.worlds.simulated.faults import Fault, Kind, worst
from levee.worlds.simulated.pace import Pace
from levee.worlds.simulated.play import Played
from levee.worlds.simulated.rows import shares
from tests.worlds.simulated.stage import HIGH, LOW, adaptive, pipeline, play, static

PROBLEM = pipeline()


def test_static_replication_saturates_at_the_peak_and_drops_rows() -> None:
    """Figure 3: 160 % of the cores are asked for."""
    found = play(PROBLEM, static(PROBLEM))
    assert found.of[HIGH].lost > 200
    assert found.of[HIGH].cores == pytest.approx(2.0, abs=0.05)
    assert found.of[HIGH].delivered / found.of[HIGH].seconds == pytest.approx(5.0, abs=0.4)  # of 8: a core for two tasks


def test_adaptive_replication_follows_the_peak_without_a_loss() -> None:
    found = play(PROBLEM, adaptive(PROBLEM))
    assert found.switches == 2
    assert found.whole.lost == 0
    assert [found.of[name].completeness for name in (LOW, HIGH)] == pytest.approx([1.0, 1.0])


def test_a_peak_and_its_end_are_answered_within_the_window_of_rates() -> None:
    found = play(PROBLEM, adaptive(PROBLEM))
    switched = [one.at_s for one in found.happenings if one.event.subject == "RatesChanged"]
    assert switched == [pytest.approx(100, abs=5), pytest.approx(200, abs=6)]


def test_a_configuration_costs_what_its_active_replicas_cost() -> None:
    found = play(PROBLEM, adaptive(PROBLEM))
    late_s = found.in_force_s[HIGH] - 100  # the peak is over, and one replica of each still does
    assert found.of[LOW].cpu_s == pytest.approx(1.6 * (200 - late_s) + 0.8 * late_s, rel=0.02)
    assert found.of[HIGH].cpu_s == pytest.approx(1.6 * 100, rel=0.02)


def test_when_a_node_crashes_the_secondaries_go_on_and_nothing_is_lost() -> None:
    found = play(PROBLEM, adaptive(PROBLEM), [Fault(Kind.NODE, "node-1", 20_000, 16_000)])
    assert found.failovers == 2
    assert found.whole.lost == 0


def test_what_was_active_alone_on_a_crashed_node_is_taken_over_by_its_standby() -> None:
    found = play(PROBLEM, adaptive(PROBLEM), [Fault(Kind.NODE, "node-1", 120_000, 16_000)])
    assert 0 < found.of[HIGH].idle_task_s < 10
    assert found.of[HIGH].completeness < 1
    assert found.whole.completeness > 0.9  # until node-1 is back, node-2 has too much to do


def test_the_pessimistic_model_is_what_happens_when_nobody_notices() -> None:
    """LAAR, section 4.4: the survivor of each task is the inactive one."""
    plan = adaptive(PROBLEM)
    found = play(PROBLEM, plan, worst(wanted_of(PROBLEM, plan), unseen=True))
    assert found.of[HIGH].completeness < 0.05  # but for the moment until it is seen
    assert found.of[LOW].completeness > 0.6


def test_a_controller_that_sees_the_failures_does_better_than_the_pessimistic_model() -> None:
    plan = adaptive(PROBLEM)
    found = play(PROBLEM, plan, worst(wanted_of(PROBLEM, plan)))
    assert found.of[HIGH].completeness > 0.95


@pytest.mark.parametrize("seed", range(6))
def test_a_plans_promise_is_kept_in_its_worst_case(seed: int) -> None:
    """For the configuration that is in force: it outlasts a peak by the seconds that it takes to see it end."""
    problem = application(Random(seed), hosts=3, tasks=8)
    plan = baselines.greedy(problem)
    found = play(problem, plan, worst(wanted_of(problem, plan), unseen=True))
    assert found.whole.processed >= 0.98 * promised_rows(problem, plan, found)


def promised_rows(problem: Problem, plan: Plan, found: Played) -> float:
    """By the pessimistic model, for the rates of the trace and the activation in force."""
    model, (low, high) = Model(problem), plan.active
    alive = scenarios(problem, FailureModel.PESSIMISTIC, plan.placement)["pessimistic"]
    straight, crossed = model.processed((low, high), alive).sum(axis=1), model.processed((high, low), alive).sum(axis=1)
    late_s = found.in_force_s[HIGH] - found.of[HIGH].seconds
    return float((200 - late_s) * straight[0] + late_s * crossed[0] + 100 * straight[1])


def test_what_a_switch_takes_is_told() -> None:
    """With the next epoch a record is read, and two seconds later who was switched on computes."""
    told = [one.event.text for one in play(PROBLEM, adaptive(PROBLEM)).happenings if one.event.subject == "Switched"]
    assert told[0].startswith("configuration high (record ")
    assert told[0].endswith("in force after 0.2 s")
    assert told[1].startswith("configuration low (record ")
    assert told[1].endswith("; caught up after 2.5 s")


def of_pe1(found: Played) -> list[tuple[int, str]]:
    """What is told of the worker of its first replica, and of who leads: by the second."""
    worker = next(one.worker for one in wanted_of(PROBLEM, static(PROBLEM)).workers if "pe1/0/0" in one.replicas)
    told = [one for one in found.happenings if worker in f"{one.event.subject} {one.event.text}" or one.event.subject == "SurvivorsLead"]
    return [(round(one.at_s), one.event.text.partition(" and ")[0]) for one in told]


def silent(kind: Kind, for_ms: int | None) -> tuple[Played, str]:
    wanted = wanted_of(PROBLEM, static(PROBLEM))
    worker = next(one.worker for one in wanted.workers if "pe1/0/0" in one.replicas)
    return play(PROBLEM, static(PROBLEM), [Fault(kind, worker, 10_000, for_ms)]), worker


def test_a_worker_that_cannot_be_asked_goes_on_and_another_leads_after_a_while() -> None:
    found = silent(Kind.SILENT, 30_000)[0]
    assert of_pe1(found) == [(10, "does not answer (attempt 1)"), (15, "others lead pe1/0"), (40, "is ready (attempt 1)")]
    assert found.of[LOW].lost < 1e-6


def test_a_worker_that_hangs_is_ended_after_a_minute_and_started_again() -> None:
    found, worker = silent(Kind.HANGS, None)
    texts = [text for _, text in of_pe1(found)]
    assert texts[:2] == ["does not answer (attempt 1)", "others lead pe1/0"]
    assert f"{worker} does not answer" in texts[2]
    assert texts[-1] == "is ready (attempt 2)"


def test_below_a_stream_that_waits_nothing_is_in_time() -> None:
    dead = [Fault(Kind.UNSEEN, f"pe1/0/{n}") for n in (0, 1)]
    assert play(PROBLEM, static(PROBLEM), dead).whole.processed == 0
    waiting = pipeline(Late.WAIT)
    assert play(waiting, static(waiting), dead).whole.processed == 0


def test_the_same_seed_is_the_same_run_and_another_is_another() -> None:
    def samples(seed: int) -> list[float]:
        return [one.counted.cpu_s for one in play(PROBLEM, adaptive(PROBLEM), seed=seed, pace=Pace()).samples]

    assert samples(3) == samples(3)
    assert samples(3) != samples(4)


def test_nothing_is_counted_twice() -> None:
    """What was due was processed, lost on its way, or would have come of what was lost."""
    found = play(PROBLEM, static(PROBLEM)).whole
    assert found.processed + found.lost <= found.due + 1e-6
    assert found.cpu_s <= 2 * 305


@pytest.mark.parametrize(
    ("works", "room", "done"),
    [((1.0, 2.0), 4.0, (1.0, 2.0)), ((3.0, 3.0), 4.0, (2.0, 2.0)), ((1.0, 5.0), 4.0, (1.0, 3.0)), ((0.0, 5.0), 4.0, (0.0, 4.0))],
)
def test_cores_are_shared_in_equal_parts_and_what_one_leaves_goes_to_the_others(
    works: tuple[float, ...], room: float, done: tuple[float, ...]
) -> None:
    assert [work * share for work, share in zip(works, shares(works, room), strict=True)] == pytest.approx(done)


def test_a_plan_of_one_replica_each_can_be_simulated() -> None:
    lone = Plan(((frozenset({0}), frozenset({0})),) * 2, PROBLEM.placement)
    assert play(PROBLEM, lone).whole.processed > 0
