"""FT-Search's machine code: made once, told when it is made, and ready for every search afterwards."""

from random import Random
from typing import Any

import numba
import pytest

from levee.planning.completeness import ftsearch_kernel, ftsearch_warm
from levee.planning.completeness.ftsearch import solve
from levee.planning.completeness.ftsearch_compile import told_of_compiling
from levee.planning.generate.applications import application
from levee.planning.problem import Goal


def test_compiling_is_told_once_and_only_when_it_happens() -> None:
    twice: Any = numba.njit(lambda number: 2 * number)
    said: list[str] = []
    for value in (1, 2.0, 3):  # Code is made for whole numbers, then for others; the third finds it made.
        with told_of_compiling(lambda: said.append("compiling")):
            assert twice(value) == 2 * value
    assert said == ["compiling", "compiling"]


@pytest.mark.parametrize("threads", [1, 2])
def test_after_the_warm_up_no_search_compiles(threads: int) -> None:
    ftsearch_warm.warm_up(lambda _: None)
    made = list(ftsearch_kernel.search.signatures)  # type: ignore[attr-defined]
    said: list[str] = []
    with told_of_compiling(lambda: said.append("compiling")):
        solve(application(Random(16), hosts=2, tasks=8), Goal(0.7), threads=threads)
        solve(application(Random(1), hosts=1, tasks=2), Goal(0.7), threads=threads)
    assert list(ftsearch_kernel.search.signatures) == made  # type: ignore[attr-defined]
    assert said == []
