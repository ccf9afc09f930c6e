"""Progress, the clock and the layout: with time as an argument."""

import io
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from levee.cli.render.layout import COLUMN, arrange
from levee.planning.result import Progress
from levee.plans.clock import Clock
from levee.plans.progress import Reporter


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.at_s = 0.0

    def __call__(self) -> float:
        return self.at_s


def told(live: bool, *, until_s: float, step_s: float) -> str:
    hand, out = Hand(), io.StringIO()
    reporter = Reporter(out, hand, live, lambda: "clicks")
    while hand.at_s < until_s:
        hand.at_s += step_s
        reporter.tell(Progress(2.0, 1.5))
    reporter.clear()
    return out.getvalue()


def test_a_short_search_says_nothing() -> None:
    assert told(live=True, until_s=0.9, step_s=0.1) == told(live=False, until_s=4.5, step_s=0.1) == ""


def test_a_long_search_tells_its_best_its_bound_and_its_gap() -> None:
    assert told(live=False, until_s=11, step_s=1) == (
        "clicks: 5 s, best so far 2 cores, bound 1.5, gap 25.00 %\nclicks: 10 s, best so far 2 cores, bound 1.5, gap 25.00 %\n"
    )


def test_a_terminal_has_one_live_line_that_is_taken_away() -> None:
    written = told(live=True, until_s=3, step_s=1)
    assert "\n" not in written
    assert written.endswith("\r\x1b[K")
    assert written.count("\r\x1b[Kclicks:") == 3


def test_before_any_plan_that_is_said() -> None:
    out, hand = io.StringIO(), Hand()
    hand.at_s = 7
    Reporter(out, hand, live=False, what=lambda: "clicks").tell(None)
    assert out.getvalue() == "clicks: 7 s, no plan yet\n"


def test_a_search_stops_when_its_share_of_the_time_is_over() -> None:
    hand = Hand()
    clock = Clock(hand, limit_s=30)
    hand.at_s = 10
    half = clock.stop(0.5)
    assert (half.remaining_s(), half.asked()) == (10, False)
    hand.at_s = 20
    assert (half.remaining_s(), half.asked()) == (0, True)
    assert not clock.stop().asked()


def test_every_topology_has_the_whole_time() -> None:
    hand = Hand()
    clock = Clock(hand, limit_s=30)
    hand.at_s = 100
    clock.begin()
    assert clock.stop().remaining_s() == 30


def test_an_interruption_stops_every_search() -> None:
    clock = Clock(Hand())
    stop = clock.stop()
    clock.interrupted = True
    assert stop.asked()


def test_a_stream_passes_other_columns_in_a_lane_of_its_own() -> None:
    layout = arrange({"source": [], "a": ["source"], "b": ["a"], "join": ["b", "source"]})
    assert [layout.boxes[name].x for name in ("source", "a", "b", "join")] == [0, COLUMN, 2 * COLUMN, 3 * COLUMN]
    path = layout.paths["source", "join"]
    assert [spot.x for spot in path] == [0, COLUMN, 2 * COLUMN, 3 * COLUMN]
    assert path[1].y != layout.boxes["a"].y


@given(st.integers(1, 12).flatmap(lambda n: st.lists(st.sets(st.integers(0, n)), min_size=n, max_size=n)))
def test_boxes_never_stand_on_each_other_and_streams_go_right(raw: list[set[int]]) -> None:
    parents = {str(n): [str(origin) for origin in sorted(origins) if origin < n] for n, origins in enumerate(raw)}
    layout = arrange(parents)
    assert len(set(layout.boxes.values())) == len(parents)
    for path in layout.paths.values():
        assert all(one.x < two.x for one, two in pairwise(path))
