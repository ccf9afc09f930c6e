"""`levee plan --fail`: what is left is the same story in every line."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.stage import BARGAINS, PIPELINE, TRAFFIC, levee


def plan(capsys: pytest.CaptureFixture[str], file: Path, *args: str) -> dict[str, Any]:
    document = json.loads(levee(capsys, "plan", "-f", str(file), "-o", "json", *args).out)
    assert isinstance(document, dict)
    return document


def with_late(late: str, tmp_path: Path) -> Path:
    topology = yaml.safe_load(Path(BARGAINS).read_text())
    for operator in topology["spec"]["operators"]:
        if operator["name"] == "bargain-index":
            operator["late"] = late
    path = tmp_path / f"{late}.yaml"
    path.write_text(yaml.safe_dump(topology))
    return path


def delivered(failure: dict[str, Any]) -> float:
    (share,) = (loss["keptShare"] for loss in failure["losses"] if (loss["kind"], loss["configuration"]) == ("sink", "average"))
    assert isinstance(share, float)
    return share


@pytest.mark.parametrize("late", ["wait", "skip"])
def test_fidelity_after_a_failure_is_what_the_sink_gets_in_time(late: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    failure = plan(capsys, with_late(late, tmp_path), "--fail", "bargain-index/0")["failure"]
    assert (delivered(failure) > 0) == (late == "skip")
    assert failure["fidelity"] == pytest.approx(delivered(failure), abs=0.02)


@pytest.mark.parametrize("zone", ["east", "west", "north"])
def test_no_single_zone_takes_more_than_the_guarantee_allows(zone: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = plan(capsys, Path(BARGAINS), "--fail", zone)
    failure = found["failure"]
    assert failure["guaranteeHolds"]
    assert failure["fidelity"] >= found["guarantee"]["fidelity"] - 1e-9
    assert (failure["fidelity"] > 0) == (delivered(failure) > 0)


def test_a_source_that_fails_for_good_takes_all_below_it_and_is_outside_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    failure = plan(capsys, Path(PIPELINE), "--fail", "readings")["failure"]
    assert {loss["afterRowsPerS"] for loss in failure["losses"]} == {0.0}
    assert (failure["completeness"], failure["fidelity"], failure["guaranteeHolds"]) == (0, 0, False)
    assert failure["outsideModel"] == failure["tasksLost"]["low"] == ["readings/0"]
    told = " ".join(levee(capsys, "plan", "-f", PIPELINE, "--fail", "readings").out.split())
    assert "outside the failure model: it always leaves readings/0 an ingestor, and here all are gone for good" in told


@pytest.mark.parametrize("late", ["wait", "skip"])
def test_what_other_sources_bring_goes_on_unless_the_lost_one_waits(late: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    topology = yaml.safe_load(Path(TRAFFIC).read_text())
    topology["spec"]["sources"][1]["late"] = late
    path = tmp_path / "traffic.yaml"
    path.write_text(yaml.safe_dump(topology))
    losses = plan(capsys, path, "--strategy", "static", "--target", "1", "--fail", "reports")["failure"]["losses"]
    kept = {loss["name"]: loss["keptShare"] for loss in losses if loss["configuration"] == "average"}
    assert (kept["speeds"], kept["incidents"]) == (1, 0)
    assert (kept["jams"] > 0.9, kept["alerts"] > 0.4) == ((late == "skip"),) * 2


def test_one_task_of_a_source_takes_its_share(capsys: pytest.CaptureFixture[str]) -> None:
    failure = plan(capsys, Path(TRAFFIC), "--strategy", "static", "--target", "1", "--fail", "reports/1")["failure"]
    kept = {loss["name"]: loss["keptShare"] for loss in failure["losses"]}
    assert (kept["speeds"], kept["incidents"]) == (1, 0.75)
    assert failure["outsideModel"] == ["reports/1"]


def test_under_a_budget_a_source_without_a_replica_is_within_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    bare, full = ("--strategy", "none", "--target", "budget=0"), ("--strategy", "static", "--target", "budget=3")
    failure = plan(capsys, Path(PIPELINE), *bare, "--fail", "readings")["failure"]
    assert (failure["outsideModel"], failure["guaranteeHolds"]) == ([], True)  # Nothing was promised.
    assert plan(capsys, Path(PIPELINE), *full, "--fail", "readings")["failure"]["outsideModel"] == ["readings/0"]


def test_an_operator_is_all_of_its_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    whole = plan(capsys, Path(BARGAINS), "--fail", "vwap")["failure"]
    each = plan(capsys, Path(BARGAINS), "--fail", "vwap/0", "--fail", "vwap/1")["failure"]
    assert whole | {"failed": []} == each | {"failed": []}


def test_a_failure_beyond_the_promise_is_called_that(capsys: pytest.CaptureFixture[str]) -> None:
    out = levee(capsys, "plan", "-f", PIPELINE, "--fail", "node-1", "--fail", "node-2").out
    told = " ".join(out.split())
    assert "the guarantee does not hold: it covers the loss of every task that has an inactive replica, and more fails here" in told
    assert "The plan reaches its target: completeness 0.6.\nIt does not promise that for the failure above." in out
