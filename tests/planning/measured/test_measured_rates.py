"""Measured rates become the levels that a source would declare."""

import numpy as np
import pytest

from levee.control import space
from levee.planning.measured.interval import Estimate, estimated
from levee.planning.measured.joint import dependence, together
from levee.planning.measured.levels import SLACK, cut, levels
from levee.topology.names import OperatorName

A, B = OperatorName("a"), OperatorName("b")
NOISE = np.random.default_rng(7)


def around(rate: float, spans: int, noise: float = 0.02) -> list[float]:
    return [float(one) for one in rate * (1 + noise * NOISE.uniform(-1, 1, spans))]


def shown(rates: list[float], exactly: int | None = None) -> list[tuple[int, float]]:
    measured = np.array(rates)
    return [(round(one.rate.value, -1), round(one.probability.value, 2)) for one in levels(measured, cut(measured, exactly))]  # type: ignore[misc]


def test_the_slack_is_the_one_by_which_configurations_cover() -> None:
    assert SLACK == space.SLACK


def test_a_source_that_keeps_to_its_rate_has_one_level_which_is_that_rate() -> None:
    assert shown(around(400, 60)) == [(400, 1.0)]


def test_two_rates_are_two_levels_with_the_share_of_the_time() -> None:
    assert shown(around(400, 48) + around(800, 12)) == [(400, 0.8), (800, 0.2)]


def test_a_ramp_is_cut_into_no_more_levels_than_are_worth_it() -> None:
    found = shown([float(rate) for rate in range(100, 1100, 10)])
    assert 2 <= len(found) <= 4
    assert sum(share for _, share in found) == pytest.approx(1, abs=0.02)


def test_each_level_covers_the_rates_that_are_cut_into_it() -> None:
    measured = np.array(around(100, 30, 0.3) + around(900, 30, 0.3))
    tops = cut(measured)
    for one, top in zip(levels(measured, tops), tops, strict=True):
        assert one.rate.value * (1 + SLACK) >= top * 0.999


def test_so_many_levels_as_are_asked_for() -> None:
    assert len(shown(around(400, 30) + around(500, 30), exactly=2)) == 2


def test_a_source_that_is_silent_at_times_has_no_level_of_nothing() -> None:
    assert all(rate > 0 for rate, _ in shown([0.0] * 20 + around(100, 20)))


def test_without_rows_there_is_no_level() -> None:
    assert cut(np.zeros(10)) == ()


def test_a_rate_that_was_there_in_one_stretch_only_has_no_interval() -> None:
    measured = np.array([100.0] * 57 + [900.0] * 3)
    low, high = levels(measured, cut(measured))
    assert low.rate.low is not None and high.rate.low is None


def test_a_rate_that_comes_again_and_again_has_one() -> None:
    measured = np.array([rate for _ in range(10) for rate in around(100, 4) + around(900, 2)])
    low, high = levels(measured, cut(measured))
    assert low.rate.holds(100) and low.rate.spread < 0.05
    assert high.probability.holds(1 / 3)


def test_the_interval_of_a_mean_holds_the_truth_nineteen_times_of_twenty() -> None:
    held = 0
    for _ in range(200):
        found = estimated(NOISE.normal(10, 2, (60, 1)), lambda rows: (float(rows.mean()),))
        assert found is not None
        held += found[0].holds(10)
    assert 180 <= held <= 199


def test_too_few_rows_tell_a_value_and_no_interval() -> None:
    assert estimated(np.ones((4, 1)), lambda rows: (float(rows.mean()),)) == (Estimate(1.0),)
    assert estimated(np.ones((5, 1)), lambda rows: (float(rows.mean()),)) == (Estimate(1.0, 1.0, 1.0),)


def test_sources_that_rise_together_are_dependent_and_others_are_not() -> None:
    both = np.array([100.0, 900.0] * 30)
    alone = np.array([100.0, 100.0, 900.0, 900.0] * 15)
    tops = {A: (100.0, 900.0), B: (100.0, 900.0)}
    assert dependence(together({A: both, B: both}, tops)) == pytest.approx(0.5)
    assert dependence(together({A: both, B: alone}, tops)) == pytest.approx(0)
    assert [one.places for one in together({A: both, B: both}, tops)] == [(0, 0), (1, 1)]
