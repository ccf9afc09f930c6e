"""Numbers on the command line: what is read, what is printed, and that what is printed can be read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levee.cli.frontier.knee import knee
from levee.plans import amounts
from levee.topology.graph import Target


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("0.7", Target(completeness=0.7)),
        ("70%", Target(completeness=0.7)),
        ("1/4", Target(completeness=0.25)),
        ("completeness=0.7", Target(completeness=0.7)),
        ("completeness=0.7,penalty=10m", Target(completeness=0.7, penalty=600)),
        ("0.7,reserve=3%", Target(completeness=0.7, reserve=0.03)),
        ("fidelity = 0.9", Target(fidelity=0.9)),
        ("budget=6", Target(budget=6)),
    ],
)
def test_a_target_is_written_in_one_word(text: str, target: Target) -> None:
    assert amounts.target(text) == target


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "-1",
        "budget=1.5",
        "budget=-1",
        "0.7,0.8,fidelity=1",
        "1/0",
        "penalty=3",
        "reserve=0.1",
        "0.9,reserve=0.2",
        "0.9,reserve=1",
        "nan",
        "inf",
    ],
)
def test_what_is_no_target_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        amounts.target(text)


@pytest.mark.parametrize(("text", "seconds"), [("30s", 30), ("500ms", 0.5), ("2m", 120), ("1m30s", 90), ("30", 30), ("0.5", 0.5)])
def test_a_duration_has_a_unit_or_counts_seconds(text: str, seconds: float) -> None:
    assert amounts.seconds(text) == seconds


@given(st.floats(0, 1))
def test_a_printed_share_is_never_more_than_the_true_one(value: float) -> None:
    printed = amounts.share(amounts.floor4(value))
    assert printed <= value + 1e-6
    assert printed >= value - 1.01e-4


@pytest.mark.parametrize(("value", "printed"), [(2 / 3, "0.6666"), (0.7, "0.7"), (1.0, "1"), (0.0, "0"), (0.99999, "0.9999")])
def test_shares_are_cut_off_after_four_digits(value: float, printed: str) -> None:
    assert amounts.floor4(value) == printed


@pytest.mark.parametrize(("value", "printed"), [(0.8, "80 %"), (1.6, "160 %"), (0.9999, "99.9 %"), (1.0, "100 %"), (0.012, "1.2 %")])
def test_nearly_all_is_not_all(value: float, printed: str) -> None:
    assert amounts.percent(value) == printed


@pytest.mark.parametrize(("value", "printed"), [(2 / 3, "2/3"), (0.5, None), (0.7, None), (0.12345, None), (1.0, None)])
def test_only_a_simple_fraction_is_shown_as_one(value: float, printed: str | None) -> None:
    assert amounts.fraction(value) == printed


def test_the_knee_is_where_the_curve_bends() -> None:
    assert knee([(0, 0), (1, 0.8), (2, 0.9), (10, 1)]) == 1


@pytest.mark.parametrize("points", [[], [(0, 0)], [(0, 0), (1, 1), (2, 2)], [(0, 0), (0, 1), (0, 2)], [(0, 0), (1, 0), (2, 0)]])
def test_a_straight_line_has_no_knee(points: list[tuple[float, float]]) -> None:
    assert knee(points) is None


@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1)), min_size=3, max_size=20, unique_by=lambda p: p[0]))
def test_the_knee_lies_above_the_chord_wherever_the_axes_begin(raw: list[tuple[float, float]]) -> None:
    points = list(zip(sorted(x for x, _ in raw), sorted(y for _, y in raw), strict=True))
    at = knee(points)
    if at is not None:
        (x0, y0), (x, y), (x1, y1) = points[0], points[at], points[-1]
        assert 0 < at < len(points) - 1
        assert (y - y0) / (y1 - y0) > (x - x0) / (x1 - x0)
