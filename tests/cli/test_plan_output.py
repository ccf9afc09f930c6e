"""`levee plan`: what it prints for the pipeline of LAAR's Figure 1, to the letter, and in every format."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from levee.cli.plan_run import Tools
from levee.planning.case import Case, Found
from levee.planning.result import Result, Status, Stop
from levee.planning.strategies import STRATEGIES
from levee.topology.graph import FailureModel
from tests.cli.stage import BARGAINS, PIPELINE, levee

GOLDEN = Path(__file__).parent / "golden"

CASES = {
    "pipeline": (0, ()),
    "pipeline-too-much": (1, ("--target", "0.7")),
    "pipeline-static": (1, ("--strategy", "static")),
    "pipeline-too-small": (1, ("--nodes", "node-1=0.5,node-2=0.5")),
    "pipeline-penalty": (0, ("--target", "0.9", "--penalty", "10m")),
    "pipeline-fail": (0, ("--fail", "node-2", "--node-failure-probability", "0.01")),
    "pipeline-budget": (1, ("--target", "budget=3")),
    "pipeline-frontier": (0, ("--frontier",)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_pipeline_is_answered_to_the_letter(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """To write the files anew: LEVEE_WRITE_GOLDEN=1 pytest tests/cli, and read the difference."""
    code, args = CASES[name]
    ended = levee(capsys, "plan", "-f", PIPELINE, *args)
    path = GOLDEN / f"{name}.txt"
    if "LEVEE_WRITE_GOLDEN" in os.environ:
        path.write_text(ended.out)
    assert ended.out == path.read_text()
    assert (ended.code, ended.err) == (code, "")


def test_static_replication_overloads_the_pipeline_to_160_percent(capsys: pytest.CaptureFixture[str]) -> None:
    assert "would load node-1 to 160 % in high" in levee(capsys, "plan", "-f", PIPELINE).out


def test_the_most_that_can_be_had_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    refused = levee(capsys, "plan", "-f", PIPELINE, "--target", "0.7").out
    assert "2/3 is the most" in refused
    asked = refused.split("--target ")[1].split(")")[0]
    assert levee(capsys, "plan", "-f", PIPELINE, "--target", asked).code == 0


def shape(value: Any) -> Any:
    """The keys of a document, and what kind of value stands there."""
    match value:
        case dict():
            return {key: shape(each) for key, each in value.items()}
        case list():
            return [shape(value[0])] if value else []
        case _:
            return type(value).__name__


def test_json_and_yaml_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    from_json = json.loads(levee(capsys, "plan", "-f", PIPELINE, "-o", "json").out)
    assert yaml.safe_load(levee(capsys, "plan", "-f", PIPELINE, "-o", "yaml").out) == from_json


def test_the_document_has_the_same_shape_with_and_without_a_plan(capsys: pytest.CaptureFixture[str]) -> None:
    met = json.loads(levee(capsys, "plan", "-f", PIPELINE, "-o", "json").out)
    missed = json.loads(levee(capsys, "plan", "-f", PIPELINE, "-o", "json", "--target", "0.7").out)
    assert met["verdict"]["met"]
    assert not missed["verdict"]["met"]
    met["verdict"]["reasons"] = missed["verdict"]["reasons"]
    assert shape(met) == shape(missed)


def test_the_document_holds_every_number_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    plan = json.loads(levee(capsys, "plan", "-f", PIPELINE, "-o", "json").out)
    assert plan["guarantee"]["completeness"] == pytest.approx(2 / 3)
    assert plan["guarantee"]["fidelity"] == pytest.approx(2 / 3)
    assert (plan["price"]["cores"], plan["price"]["cpuHoursPerWindow"]) == (1.6, 1.6)
    assert plan["search"]["status"] == "optimal"
    static = plan["compared"][1]
    assert static["overloads"][0] == {"configuration": "high", "node": "node-1", "loadShare": 1.6}
    high = plan["configurations"][1]
    active = sorted(copy["task"] for node in high["nodes"] for copy in node["active"])
    assert active == ["pe1/0", "pe2/0"]  # Figure 2b or its mirror: one of each.
    assert all(node["loadCores"] == 0.8 for node in high["nodes"])


def test_several_topologies_are_a_list(capsys: pytest.CaptureFixture[str]) -> None:
    listed = json.loads(levee(capsys, "plan", "-f", PIPELINE, "-f", BARGAINS, "-o", "json").out)
    assert (listed["kind"], [item["topology"] for item in listed["items"]]) == ("PlanList", ["pipeline", "bargain-discovery"])


@pytest.mark.parametrize("extra", [(), ("--frontier",)])
def test_a_drawing_is_the_same_every_time(extra: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    drawn = []
    for name in ("one.svg", "two.svg"):
        path = tmp_path / name
        assert levee(capsys, "plan", "-f", PIPELINE, "-o", "svg", "--output-file", str(path), *extra).code == 0
        drawn.append(path.read_bytes())
    assert drawn[0] == drawn[1]
    assert drawn[0].startswith(b"<?xml")


def test_a_drawing_shows_what_a_failure_takes_away(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "plan.svg"
    args = ("plan", "-f", PIPELINE, "-o", "svg", "--output-file", str(path))
    assert levee(capsys, *args).code == 0
    whole = path.read_text()
    assert levee(capsys, *args, "--fail", "node-2").code == 0
    failed = path.read_text()
    assert "if node-2 fails, completeness 0.6666 and fidelity 0.6666 are left" in failed
    assert "node-2 fails" not in whole
    assert (whole.count("fill: #fbe3e3"), failed.count("fill: #fbe3e3")) == (0, 1)  # pe1/0 in high
    assert levee(capsys, *args, "--fail", "readings").code == 0
    assert path.read_text().count("fill: #fbe3e3") == 2  # readings/0 in both


def test_a_png_is_a_png(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "plan.png"
    assert levee(capsys, "plan", "-f", PIPELINE, "-o", "png", "--output-file", str(path)).code == 0
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_cost_under_other_failures_is_marked_where_it_is_not_proven(capsys: pytest.CaptureFixture[str]) -> None:
    """The planner finds nothing under node failures: the level's own plan still bounds the cost."""

    def solve(case: Case, stop: Stop) -> Found:
        if case.goal.failures is FailureModel.PESSIMISTIC:
            return STRATEGIES["completeness"].solve(case, stop)
        return Found(Result(None, None, None, Status.UNKNOWN))

    tools = Tools(now=lambda: 0.0, strategies={**STRATEGIES, "completeness": replace(STRATEGIES["completeness"], solve=solve)})
    out = levee(capsys, "plan", "-f", PIPELINE, "--frontier", tools=tools).out
    top = next(line for line in out.splitlines() if line.strip().startswith("0.6666"))
    assert top.split()[-2:] == ["~1.6", "~1.6"]
    assert "~: not proven to be the least" in out


def test_the_cheapest_level_is_given_to_the_search_under_other_failures(capsys: pytest.CaptureFixture[str]) -> None:
    starts = []

    def solve(case: Case, stop: Stop) -> Found:
        if case.goal.failures is not FailureModel.PESSIMISTIC:
            starts.append(case.start)
        return STRATEGIES["completeness"].solve(case, stop)

    tools = Tools(now=lambda: 0.0, strategies={**STRATEGIES, "completeness": replace(STRATEGIES["completeness"], solve=solve)})
    assert levee(capsys, "plan", "-f", PIPELINE, "--frontier", tools=tools).code == 0
    assert starts
    assert all(start is not None for start in starts)


def test_a_narrow_reader_loses_nothing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    out = levee(capsys, "plan", "-f", BARGAINS).out
    assert max(map(len, out.splitlines())) <= 72
    for task in ("trade-filter/0", "quote-filter/1", "bargain-index/1"):
        assert task in out


def test_a_pipe_gets_no_colours(capsys: pytest.CaptureFixture[str]) -> None:
    assert "\x1b" not in levee(capsys, "plan", "-f", PIPELINE, "--strategy", "static").out
