"""The LAAR bench: what it draws, what it says of what it has measured, and the topologies that it runs."""

import ast
from pathlib import Path
from random import Random

import pytest

from benchmarks.laar import pipeline, report
from benchmarks.laar.applications import drawn, plans, read, written
from benchmarks.laar.live_case import Case
from benchmarks.laar.live_topology import module_of, text_of
from benchmarks.laar.measures import against_nr, violations
from benchmarks.laar.peaks import parts_of
from benchmarks.laar.planned import Drawn, counted
from benchmarks.laar.settings import CASES, GOALS, QUICK, VARIANTS
from benchmarks.laar.simulated import faults, taken
from benchmarks.laar.verdicts import verdicts
from benchmarks.planning.store import Row
from levee.planning.completeness import baselines
from levee.topology.load import load_bytes
from levee.worlds.simulated.casting import wanted_of

OF_ONE = {"cpu_s": 100.0, "dropped": 3.0, "due": 1_000.0, "processed": 500.0, "peak_per_s": 8.0}
NOTHING = Drawn((), 0, 0)
TIMES = {"up_ms": 900.0, "down_ms": None, "resync_ms": 2_000.0}


def row(**changes: dict[str, float]) -> Row:
    """By variant, what is otherwise in its best and worst case."""
    of = {name: {case: {**OF_ONE, **TIMES, **changes.get(name.replace(".", ""), {})} for case in CASES} for name in VARIANTS}
    of["NR"]["best"] = {**OF_ONE, **TIMES, "processed": 1_000.0}
    return {"index": 0, "rates": [4.0, 8.0], "of": of}


def test_an_application_depends_on_its_index_alone() -> None:
    assert drawn(1, 7) == drawn(1, 7)
    assert drawn(1, 7) != drawn(1, 8)
    assert {len(drawn(1, index).tasks) for index in range(5)} == {24}


def test_a_plan_is_read_as_it_was_written() -> None:
    problem = drawn(1, 7)
    for plan in (baselines.static(problem), baselines.none(problem), baselines.greedy(problem)):
        assert read(written(plan.active)) == plan.active


def test_what_is_not_replicated_has_one_replica_of_each_in_both_configurations() -> None:
    problem = drawn(1, 7)
    half = written(baselines.greedy(problem).active)
    found = plans(problem, dict.fromkeys(GOALS, half))
    assert list(found) == list(VARIANTS)
    low, high = found["NR"].active
    assert low == high
    assert {len(one) for one in low} == {1}


def test_the_host_that_crashes_does_so_at_the_peak_and_is_the_same_for_all_variants() -> None:
    problem = drawn(1, 7)
    hit = [faults("crash", wanted_of(problem, plan(problem)), Random(5)) for plan in (baselines.static, baselines.none)]
    assert hit[0] == hit[1]
    [(at_ms, for_ms)] = [(one.at_ms, one.for_ms or 0) for one in hit[0]]
    assert 100_000 <= at_ms < at_ms + for_ms <= 200_000


def test_a_row_says_how_soon_the_configurations_were_in_force() -> None:
    problem = pipeline.drawn()
    found = taken(problem, pipeline.plan_of(problem, "adaptive"), "best", 1, 1)
    assert 0 < found["up_ms"] < found["down_ms"] < 20_000
    assert 1_000 <= found["resync_ms"] <= 4_000


def test_a_violation_is_a_share_of_what_was_promised() -> None:
    found = violations([row(L6={"processed": 630.0}, L7={"processed": 630.0})], "worst")
    assert found == {"L.5": [0.0], "L.6": [0.0], "L.7": [pytest.approx(0.1)]}
    assert against_nr([row()], "processed", "worst")["L.5"] == [0.5]


def test_what_was_drawn_in_vain_is_counted() -> None:
    whole, without = dict.fromkeys(GOALS, "2/2"), {**dict.fromkeys(GOALS, "2/2"), "L.7": None}
    rows = [{"index": index, "plans": plans} for index, plans in enumerate(({}, whole, without, whole, {}, whole))]
    assert counted(rows, 2) == Drawn([(1, whole), (3, whole)], 1, 1)
    assert counted(rows[:3], 2).chosen == [(1, whole)]


def test_verdicts_say_what_was_missed() -> None:
    text = verdicts([row(L5={"peak_per_s": 6.0}, SR={"cpu_s": 190.0})])
    assert "least 0.750, below it in 1 of 3" in text
    assert text.count("**missed**") == 3  # the peak, promises of 0.6 and 0.7, costs that are equal


def test_a_page_is_written_from_whatever_there_is(tmp_path: Path) -> None:
    page = tmp_path / "laar.md"
    report.write(QUICK, report.Rows([], [], [], NOTHING), page)
    assert "has yet to be run" in page.read_text()
    figure_3 = [pipeline.simulated(variant, 10.0) for variant in pipeline.VARIANTS]
    report.write(QUICK, report.Rows([row(), row()], figure_3, [], NOTHING), page)
    pictures = {picture.name for picture in (tmp_path / "laar").iterdir()}
    assert pictures == {"figure-3-simulated.svg", *(f"figure-{number}.svg" for number in (9, 10, 11, 12))}
    assert all(f"laar/{name}" in page.read_text() for name in pictures)


def test_parts_of_a_run_leave_out_how_it_settles() -> None:
    at_s = list(range(1, 31))
    rates = [9.0 if at < 2 or 10 <= at < 12 else 4.0 if at < 10 or at > 20 else 8.0 for at in at_s]
    halves, cores = [rate / 2 for rate in rates], {"a": [0.5] * 30, "b": [1.0] * 30}
    found = parts_of({"at_s": at_s, "offered_per_s": rates, "delivered_per_s": halves, "cores": cores})
    assert (found.low.offered, found.high.offered, found.high.gain, found.low.cores) == (4.0, 8.0, 0.5, 1.5)


# ---- live


PIPELINES = [Case("pipeline", 1, 0, variant, 60.0) for variant in pipeline.VARIANTS]


@pytest.mark.parametrize("case", [*PIPELINES, Case("application", 1, 3, "L.5", 60.0)], ids=str)
def test_a_live_topology_is_one_that_levee_takes(case: Case, tmp_path: Path) -> None:
    [loaded] = load_bytes(text_of(case, tmp_path).encode(), origin="bench")
    assert not loaded.complaints
    assert loaded.topology is not None
    problem = case.problem()
    assert [one.name for one in loaded.topology.operators] == [task.operator for task in problem.tasks]
    functions = {node.name for node in ast.parse(module_of(problem)).body if isinstance(node, ast.FunctionDef)}
    assert len(functions) == len(problem.tasks)
