"""The page of the lifecycle bench: our figures beside the paper's, and what was wanted beside what is reached."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks.lifecycle import report, verdicts
from benchmarks.lifecycle.settings import FULL, QUICK

RECOVERY = {"leads_s": 2.5, "recover_s": 3.0, "cpu_s": 2.0, "writes": 0, "own_writes": 0, "pods_changed": 0}
COMMON = {"busy": False, "took_s": 120.0}
ROW = COMMON | {
    "nodes": 30,
    "topologies": 30,
    "tasks": 930,
    "pods": 1350,
    "start_s": 40.0,
    "recover_s": 3.0,
    "memory_mib": 250.0,
    "memory_after_mib": 260.0,
    "idle_cores": 0.2,
    "idle_writes": 0,
    "event_s": 0.3,
    "recoveries": [RECOVERY, RECOVERY | {"writes": 2, "recover_s": 3.5}],
}
IMPORTING = ROW | {"nodes": 90, "topologies": 104, "tasks": 737}
SMALL = ROW | {"nodes": 10, "topologies": 1, "tasks": 31, "start_s": 5.0, "recover_s": 2.0}
TURN = COMMON | {"tasks": 1000, "pods": 1091, "quiet_ms": 60.0, "event_ms": 130.0, "whole_ms": 60.0, "writes": 0, "busy": True}
TRIAL = {"gap_ms": 1100.0, "pod_s": 20.0, "undisturbed_ms": [990.0, 1010.0], "replayed": 4}
ACTIVE = COMMON | {"strategy": "static", "replicas": 2, "start_s": 60.0, "trials": [TRIAL, TRIAL | {"gap_ms": 1300.0}]}
RESTARTED = ACTIVE | {"strategy": "none", "replicas": 1, "trials": [TRIAL | {"gap_ms": 24_000.0}]}
NOTHING: dict[str, list[dict[str, Any]]] = {"jobs": [], "turn": [], "failover": []}


def page(tmp_path: Path, unfinished: list[dict[str, Any]] | None = None, **parts: list[dict[str, Any]]) -> str:
    report.write(FULL, NOTHING | parts, unfinished or [], tmp_path / "lifecycle.md")
    return (tmp_path / "lifecycle.md").read_text()


def test_the_page_sets_our_figures_beside_the_papers_and_says_what_is_left_out(tmp_path: Path) -> None:
    text = page(tmp_path, jobs=[ROW, IMPORTING, SMALL], turn=[TURN])
    assert "| 30 | 30 | 930 | 1350 | 40.0 | 3.0 | 3.5 | 0.07 | 4 | 26.3 | 15.1 | 0.57 |" in text
    assert "| 90 | 104 | 737 | 1350 | 40.0 | 3.0 | 3.5 | 0.07 | 6 (RWS) | 27.0 | 15.4 | 0.57 |" in text
    assert "| 930 | 0 | 2 | 0 | 2.5 | 2.0 | 260 | 0.20 | 0 | 0.30 |" in text
    assert "Not measured in this run: the paper's tests 2, 3, 5." in text
    assert "half of the 104 topologies import" in text
    assert "From 31 to 930 tasks the time to recover grows 1.5 times here and 2.0 times in the paper" in text
    assert "1 of 4 are" in text
    assert "Measuring took 8 minutes" in text


def test_a_row_that_the_paper_has_not_stands_for_itself(tmp_path: Path) -> None:
    assert "| 1000 | 323 | 10013 | 1350 | 40.0 | 3.0 | 3.5 | 0.07 | - | - | - | - |" in page(
        tmp_path, jobs=[ROW | {"nodes": 1000, "topologies": 323, "tasks": 10_013}]
    )


def test_a_page_of_nothing_is_a_page_and_says_that_nothing_was_measured(tmp_path: Path) -> None:
    report.write(QUICK, NOTHING, [], tmp_path / "lifecycle.md")
    text = (tmp_path / "lifecycle.md").read_text()
    assert "To start" not in text
    assert text.count("not measured |") == 9
    assert "reached |" not in text


def test_what_did_not_come_to_its_end_is_told_with_its_reason(tmp_path: Path) -> None:
    why = "all topologies run: not within 1500 s | 211 of 323 ran by then"
    text = page(tmp_path, [{"part": "jobs", "key": [1000, 323, 3, False], "why": why}], jobs=[ROW])
    assert "| jobs | 1000, 323, 3, False | all topologies run: not within 1500 s / 211 of 323 ran by then |" in text
    assert "| to recover, 10,000 tasks | below 5 s | - | not measured |" in text


def test_each_thing_that_was_wanted_is_reached_or_missed_by_what_was_measured(tmp_path: Path) -> None:
    slow = ROW | {"nodes": 90, "start_s": 20.0, "recoveries": [RECOVERY | {"recover_s": 6.0, "own_writes": 1}]}
    text = page(tmp_path, jobs=[ROW, slow])
    assert "| recover / start, 930 tasks on 30 nodes | at most 0.1 | 0.075 | reached |" in text
    assert "| recover / start, 930 tasks on 90 nodes | at most 0.1 | 0.150 | **missed** |" in text
    assert "| to recover, up to 930 tasks | below 5 s | 6.0 s in the slowest of 3 crashes | **missed** |" in text
    assert "| writes of the operator while nothing happens | 0 | 0 at most | reached |" in text
    assert "| writes of the operator in a recovery and after it | 0 | 1 at most | **missed** |" in text
    assert "| memory of the operator | at most 1024 MiB | 260 MiB, 930 tasks | reached |" in text


@pytest.mark.parametrize(("event_ms", "word"), [(150.0, "reached"), (300.0, "**missed**")])
def test_an_event_is_judged_by_the_largest_topology_against_the_smallest(event_ms: float, word: str) -> None:
    rows = [TURN | {"tasks": 10_000, "event_ms": event_ms}, TURN | {"tasks": 100, "event_ms": 100.0}]
    [(*cells, said)] = [one.cells() for one in verdicts.events(rows)]
    assert said == word
    assert cells[2] == f"{event_ms / 100:.2f} times (100.0 ms, {event_ms:.1f} ms), 100 times as many tasks"


def test_a_small_topology_that_is_looked_at_as_a_whole_does_not_make_a_large_one_look_cheap() -> None:
    rows = [
        TURN | {"tasks": 100, "pods": 101, "event_ms": 10.0},
        TURN | {"tasks": 300, "pods": 321, "event_ms": 1.0},
        TURN | {"tasks": 10_000, "pods": 10_991, "event_ms": 3.0},
    ]
    assert [(one.what, one.met) for one in verdicts.events(rows)] == [
        ("an event, 100 to 10,000 tasks", True),
        ("an event, 300 to 10,000 tasks", False),
    ]


def test_the_memory_that_is_wanted_is_what_the_chart_allows() -> None:
    values = yaml.safe_load((Path(__file__).parents[2] / "helm" / "levee" / "values.yaml").read_text())
    assert values["resources"]["limits"]["memory"] == f"{verdicts.MEMORY_MIB_MAX // 1024}Gi"


def test_ways_of_coming_back_stand_side_by_side(tmp_path: Path) -> None:
    text = page(tmp_path, failover=[RESTARTED, ACTIVE])
    assert "|  | undisturbed | active replica | restart from a checkpoint | pod alone |" in text
    assert "| how often | 6 | 2 | 1 | 3 |" in text
    assert "| gap, p50, ms | 1000 | 1200 | 24000 | 20000 |" in text
    assert "| gap, longest, epochs | 1.0 | 1.3 | 24.0 | 20.0 |" in text
    assert "| epochs computed again, p50 | - | - | 4 | - |" in text
    assert "is 0.05 of that with a restart" in text


def test_one_way_alone_is_not_compared(tmp_path: Path) -> None:
    assert "Only one of the two ways was measured" in page(tmp_path, failover=[ACTIVE])
