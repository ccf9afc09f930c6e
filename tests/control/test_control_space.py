"""The configuration that is nearest to the rates, by an R-tree and by looking at all."""

from collections.abc import Mapping
from math import dist

from hypothesis import given
from hypothesis import strategies as st

from levee.control.space import SLACK, Space, covers
from levee.topology.graph import Configuration
from levee.topology.names import ConfigurationName, OperatorName

NAMES = tuple(map(OperatorName, ("web", "app", "market", "orders")))  # not in the order of the alphabet


def space(*points: tuple[float, ...]) -> Space:
    rates = (dict(zip(NAMES, point, strict=False)) for point in points)
    return Space(tuple(Configuration(ConfigurationName(f"c{place}"), 1.0, one) for place, one in enumerate(rates)))


def at(*rates: float) -> Mapping[OperatorName, float]:
    return dict(zip(NAMES, rates, strict=False))


def name(found: Configuration | None) -> str | None:
    return found.name if found else None


def by_definition(of: Space, rates: Mapping[OperatorName, float], slack: float) -> Configuration | None:
    def order(one: Configuration) -> tuple[float, float]:
        return dist([one.rows_per_s[source] for source in rates], list(rates.values())), sum(one.rows_per_s.values())

    return min((one for one in of.configurations if covers(one.rows_per_s, rates, slack)), key=order, default=None)


def test_one_source_alone_has_a_nearest_configuration() -> None:
    levels = space((200.0,), (100.0,), (400.0,))
    assert [name(levels.nearest(at(rate))) for rate in (0.0, 100.0, 100.1, 400.0, 400.1)] == ["c1", "c1", "c0", "c2", None]


def test_a_configuration_counts_only_if_no_rate_is_above_it() -> None:
    assert name(space((100.0, 300.0), (300.0, 100.0), (900.0, 900.0)).nearest(at(110.0, 110.0))) == "c2"


def test_what_is_nearest_is_measured_over_all_sources_together() -> None:
    assert name(space((60.0, 60.0), (0.0, 110.0)).nearest(at(0.0, 0.0))) == "c0"  # though it has more rows


def test_of_two_that_are_equally_near_the_one_with_fewer_rows_holds_then_the_first() -> None:
    assert name(space((3.0, 4.0), (5.0, 0.0)).nearest(at(0.0, 0.0))) == "c1"
    assert name(space((3.0, 4.0), (4.0, 3.0)).nearest(at(0.0, 0.0))) == "c0"


def test_a_rate_may_be_a_little_above_what_is_declared() -> None:
    levels = space((100.0,), (200.0,))
    assert [name(levels.nearest(at(rate), SLACK)) for rate in (100.0, 110.0, 110.1, 220.1)] == ["c0", "c0", "c1", None]


def test_above_every_configuration_the_one_with_most_rows_is_the_highest() -> None:
    assert space((100.0, 100.0), (300.0, 200.0), (200.0, 300.0)).highest(at(999.0, 999.0)).name == "c1"


def test_where_none_covers_the_rates_the_highest_leaves_the_fewest_rows_uncovered() -> None:
    assert space((800.0, 50.0), (400.0, 400.0)).highest(at(410.0, 300.0)).name == "c1"


rates = st.one_of(st.sampled_from((0.0, 0.1, 0.3, 1.0, 100.0, 110.0, 121.0)), st.floats(0.0, 1e9), st.integers(0, 20).map(float))


@given(
    st.integers(1, 4).flatmap(lambda d: st.tuples(st.lists(st.tuples(*[rates] * d), min_size=1, max_size=60), st.tuples(*[rates] * d))),
    st.sampled_from((0.0, SLACK)),
)
def test_the_tree_finds_what_a_look_at_all_of_them_finds(drawn: tuple[list[tuple[float, ...]], tuple[float, ...]], slack: float) -> None:
    points, measured = drawn
    of = space(*points)
    assert of.nearest(at(*measured), slack) == by_definition(of, at(*measured), slack)


@given(st.lists(rates, min_size=1, max_size=40), st.integers(0, 39))
def test_what_is_measured_exactly_as_declared_is_covered(levels: list[float], place: int) -> None:
    of = space(*((level,) for level in levels))
    found = of.nearest(at(levels[place % len(levels)]))
    assert found is not None
    assert found.rows_per_s[NAMES[0]] == levels[place % len(levels)]


def test_among_thousands_it_is_the_same_one() -> None:
    levels = (10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 1_280.0)
    of = space(*((a, b, c, d) for a in levels for b in levels for c in levels for d in levels))
    for measured in ((0.0, 0.0, 0.0, 0.0), (641.0, 1.0, 1.0, 39.9), (1_280.0, 1_280.0, 1_280.0, 1_280.0), (1_281.0, 0.0, 0.0, 0.0)):
        assert of.nearest(at(*measured)) == by_definition(of, at(*measured), 0.0)
