"""What differs between two graphs, and whose state can follow."""

import pytest

from levee.topology import drawing
from levee.topology.drawing import Difference, Drawing, Part, Reading
from levee.topology.names import OperatorName, TaskId
from levee.topology.partitioning import partitioning

S, F, G, OUT = map(OperatorName, ("s", "f", "g", "out"))


def of(f: int = 1, g: int = 1, *, sources: dict[OperatorName, int] | None = None, by: tuple[str, ...] = (), more: bool = False) -> Drawing:
    widths = sources or {S: 1}

    def reading(origin: OperatorName, producers: int, consumers: int, columns: tuple[str, ...] = ()) -> Reading:
        wiring = partitioning(producers, consumers, keyed=bool(columns))
        assert wiring is not None
        return Reading(origin, wiring.value, columns)

    inputs = (reading(S, widths[S], f, by), *((reading(OperatorName("t"), 1, f, by),) if more else ()))
    return Drawing(widths, {F: Part(f, inputs), G: Part(g, (reading(F, f, g),))}, {OUT: G})


def between(before: Drawing, after: Drawing) -> Difference:
    return drawing.difference(before, after)


def test_what_is_added_and_what_is_removed_are_tasks() -> None:
    wider, more = of(2, by=("key",)), of(sources={S: 1, OperatorName("t"): 1}, more=True)
    assert between(of(by=("key",)), wider).added == {TaskId("f/1")}
    assert between(wider, of(by=("key",))).removed == {TaskId("f/1")}
    assert between(of(), more).added == {TaskId("t/0")}
    assert between(of(), of()).added == between(of(), of()).removed == frozenset()


def test_whoever_reads_something_else_is_touched_and_so_is_whoever_reads_other_tasks() -> None:
    assert between(of(), of(sources={S: 1, OperatorName("t"): 1}, more=True)).touched == {F}
    assert between(of(by=("key",)), of(2, by=("key",))).touched == {F, G}
    assert between(of(), of()).touched == frozenset()


@pytest.mark.parametrize(
    ("before", "after", "scattered"),
    [
        (of(), of(sources={S: 1, OperatorName("t"): 1}, more=True), set()),  # one task has all rows before and after
        (of(1, by=("key",)), of(2, by=("key",)), {F}),  # and g has one task
        (of(2, 2, by=("key",)), of(2, 2, by=("other",)), {F, G}),  # g reads one to one what f shares otherwise
        (of(2, 2, by=("key",)), of(4, 2, by=("key",)), {F, G}),
        (of(2, 1, by=("key",)), of(2, 1, by=("key",)), set()),
    ],
)
def test_a_state_can_follow_only_where_the_rows_of_a_key_stay_with_a_task(before: Drawing, after: Drawing, scattered: set[str]) -> None:
    assert between(before, after).scattered == scattered


def test_a_source_in_another_number_and_a_name_of_another_kind_are_seen() -> None:
    assert between(of(), of(sources={S: 2})).resized == {S}
    turned = Drawing({S: 1, G: 1}, {F: of().operators[F]}, {OUT: G})
    assert between(of(), turned).turned == {G}


def test_a_text_of_an_early_version_is_no_drawing() -> None:
    assert drawing.read("0123456789abcdef") is None
    assert drawing.touched("0123456789abcdef", "0123456789abcdef") == frozenset()
