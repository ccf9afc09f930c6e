"""The sweep's points and gate: what there is to try, what is counted, and who dies when."""

import pytest

from benchmarks.sweep import points
from benchmarks.sweep.gate import Gate
from benchmarks.sweep.points import Kind, parse

COUNTS = {"api": {"create": 3, "edit": 1}, "store": {"create": 2}, "worker": {"edit": 5}}
OPERATOR, NEXT, WORKER = 100, 101, 200


def gate(trial: str | None) -> tuple[Gate, list[int]]:
    killed: list[int] = []
    return Gate(killed.append, None if trial is None else parse(trial), phase="edit"), killed


def write(at: Gate, kind: Kind = Kind.API, pid: int = OPERATOR) -> tuple[bool, bool]:
    """Whether it was carried out, and whether whoever asked for it heard of that."""
    begun = at.begin(kind, "PATCH /it", pid)
    return begun is not None, begun is not None and at.end(begun)


@pytest.mark.parametrize("text", ["api/edit/3/before", "worker/create/12/after+2/before"])
def test_a_point_is_written_as_it_is_read(text: str) -> None:
    assert str(parse(text)) == text


@pytest.mark.parametrize("text", ["", "api/edit/3", "api/edit/x/before", "disk/edit/3/before", "api/edit/3/before+2"])
def test_what_names_no_point_is_told_how_one_is_named(text: str) -> None:
    with pytest.raises(ValueError, match="such as api/edit/3/before"):
        parse(text)


def test_each_write_is_two_points_and_each_point_is_tried_with_one_crash_and_with_two() -> None:
    found = points.points(COUNTS)
    assert len(found) == len(set(found)) == 2 * (3 + 1 + 2 + 5)
    trials = points.trials(found, 1)
    assert {one.point for one in trials if one.second} == {one.point for one in trials if one.second is None} == set(found)
    assert len(trials) == 2 * len(found)


def test_the_operators_points_come_first_and_those_with_one_crash_before_those_with_two() -> None:
    order = [(one.point.kind is Kind.WORKER, one.second is not None) for one in points.trials(points.points(COUNTS), 1)]
    assert order == sorted(order)


def test_a_second_crash_is_the_same_whichever_others_are_tried() -> None:
    found = points.points(COUNTS)
    assert set(points.trials(found[:5], 7)) <= set(points.trials(found, 7))


def test_all_pairs_are_each_point_with_each_second() -> None:
    found = points.points(COUNTS)
    pairs = list(points.exhaustive(found))
    assert len(set(pairs)) == len(pairs) == len(found) * points.SECOND_MAX * 2
    assert {one for one in points.trials(found, 3) if one.second} <= set(pairs)


def test_a_sample_has_of_all_kinds_and_is_the_same_by_its_seed() -> None:
    trials = points.trials(points.points(COUNTS), 1)
    sample = points.sampled(trials, 6, 5)
    assert sample == points.sampled(trials, 6, 5)
    assert {(one.point.kind, one.second is None) for one in sample} == {(kind, alone) for kind in Kind for alone in (True, False)}
    assert {one.point.kind for one in points.sampled(trials, len(Kind), 5)} == set(Kind)
    assert len(points.sampled(trials, 1000, 5)) == len(trials)


def test_writes_are_counted_by_kind_and_phase_and_nobody_dies_undisturbed() -> None:
    at, killed = gate(None)
    for kind in (Kind.API, Kind.API, Kind.STORE):
        assert write(at, kind) == (True, True)
    at.phase = "lose"
    assert write(at) == (True, True)
    assert at.counted() == {"api": {"edit": 2, "lose": 1}, "store": {"edit": 1}}
    assert (killed, at.done) == ([], True)


@pytest.mark.parametrize(("side", "heard"), [("before", (False, False)), ("after", (True, False))])
def test_whoever_writes_the_nth_dies_before_it_or_after_it(side: str, heard: tuple[bool, bool]) -> None:
    at, killed = gate(f"api/edit/2/{side}")
    assert write(at, Kind.STORE) == write(at) == (True, True)
    assert not at.done
    assert write(at) == heard
    assert (killed, at.done) == ([OPERATOR], True)
    assert write(at, pid=NEXT) == (True, True)
    assert killed == [OPERATOR]


def test_the_dead_write_nothing_more_and_are_told_nothing() -> None:
    at, _ = gate("api/edit/2/before")
    under_way = at.begin(Kind.STORE, "create it", OPERATOR)
    write(at)
    assert under_way is not None
    assert write(at) == (False, False)
    assert not at.end(under_way)
    assert write(at, Kind.STORE) == (False, False)
    assert at.counts[Kind.STORE, "edit"] == 1


def test_the_second_crash_counts_what_is_written_after_the_first_by_either_way_and_in_any_phase() -> None:
    at, killed = gate("api/edit/1/after+2/before")
    write(at)
    assert write(at, Kind.WORKER, WORKER) == (True, True)
    at.phase = "lose"
    assert write(at, Kind.STORE, NEXT) == (True, True)
    assert not at.done
    assert write(at, pid=NEXT) == (False, False)
    assert (killed, at.done, len(at.struck)) == ([OPERATOR, NEXT], True, 2)


def test_a_second_crash_of_workers_is_at_a_write_of_workers() -> None:
    at, killed = gate("worker/edit/1/before+1/after")
    write(at, Kind.WORKER, WORKER)
    assert write(at) == (True, True)
    assert write(at, Kind.WORKER, WORKER + 1) == (True, False)
    assert killed == [WORKER, WORKER + 1]
