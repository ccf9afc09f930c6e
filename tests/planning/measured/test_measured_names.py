"""Measured levels keep the names that people know them by."""

from collections.abc import Sequence

import pytest

from levee.planning.measured.interval import Estimate
from levee.plans.measured_names import joint_names, level_names
from levee.topology.wanted import Joint


def rates(*values: float) -> list[Estimate]:
    return [Estimate(one, 0.99 * one, 1.01 * one) for one in values]


@pytest.mark.parametrize(
    ("declared", "measured", "names"),
    [
        ([("calm", 30.0), ("peak", 60.0)], [31.0, 45.0, 58.0], ["calm", "mid", "peak"]),
        ([("calm", 30.0), ("peak", 60.0)], [59.0], ["peak"]),
        ([("calm", 30.0), ("peak", 60.0)], [500.0], [None]),
        ([(None, 30.0)], [30.0, 60.0], ["low", "high"]),
        ([], [30.0, 60.0, 90.0, 120.0], ["level-1", "level-2", "level-3", "level-4"]),
        ([("low", 30.0), ("high", 60.0)], [10.0, 30.0, 60.0], ["level-1", "low", "high"]),
        ([("level-1", 60.0), ("low", 90.0)], [30.0, 60.0, 90.0], ["level-1-2", "level-1", "low"]),
        ([("calm", 30.0), ("quiet", 31.0)], [31.0, 60.0], ["quiet", "high"]),
    ],
)
def test_a_level_that_is_declared_keeps_its_name_and_others_say_where_they_stand(
    declared: Sequence[tuple[str | None, float]], measured: Sequence[float], names: Sequence[str | None]
) -> None:
    assert level_names(rates(*measured), declared) == names


def test_an_interval_that_holds_the_declared_rate_is_enough() -> None:
    assert level_names([Estimate(50.0, 20.0, 80.0)], [("calm", 30.0)]) == ["calm"]
    assert level_names([Estimate(50.0)], [("calm", 30.0)]) == [None]


def test_a_row_of_the_joint_table_keeps_its_name_where_all_of_its_rates_match() -> None:
    declared = [
        Joint(name="night", probability=0.5, rates={"web": 10.0, "app": 1.0}),
        Joint(name="day", probability=0.5, rates={"web": 100.0, "app": 10.0}),
    ]
    rows = [rates(10.0, 1.0), rates(10.0, 10.0), rates(99.0, 10.0)]
    assert joint_names(rows, ["web", "app"], declared) == ["night", "together-2", "day"]
