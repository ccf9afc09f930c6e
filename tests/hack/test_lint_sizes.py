from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lint_sizes import GOALS, Size, complaints, measure, p90

LONG = "def long() -> None:\n" + '    """Its docstring\n    does not count."""\n' + "    pass\n" * 20


def function(lines: int) -> Size:
    return Size(lines, f"module.py:1 f{lines}")


@given(st.lists(st.integers(1, 500), min_size=1))
def test_nine_of_ten_are_no_larger_than_the_percentile_and_no_smaller_one_would_do(lines: list[int]) -> None:
    found = p90([Size(line, "here") for line in lines])
    assert sum(line <= found for line in lines) >= 0.9 * len(lines)
    assert sum(line < found for line in lines) < 0.9 * len(lines)


def test_a_function_is_measured_without_its_docstring(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text(LONG)
    assert [size.lines for size in measure(tmp_path)["function"]] == [21]


def test_growing_beyond_the_record_names_the_largest() -> None:
    said = list(complaints("operator", {"function": [function(12), function(40), function(13)]}, {"function": 12}))
    assert "at most 12 lines, now it is 40" in said[0]
    assert said[1] == "  module.py:1 f40: 40 lines"


@pytest.mark.parametrize("recorded", [GOALS["function"], 3, 0])
def test_nothing_is_asked_for_below_the_goals(recorded: int) -> None:
    assert not list(complaints("operator", {"function": [function(GOALS["function"])]}, {"function": recorded}))
