"""`levee plan --fail`: what is left is the same story in every line."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.stage import BARGAINS, PIPELINE, levee


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


def test_a_failure_beyond_the_promise_is_called_that(capsys: pytest.CaptureFixture[str]) -> None:
    out = levee(capsys, "plan", "-f", PIPELINE, "--fail", "node-1", "--fail", "node-2").out
    told = " ".join(out.split())
    assert "the guarantee does not hold: it covers the loss of every task that has an inactive replica, and more fails here" in told
    assert "The plan reaches its target: completeness 0.6.\nIt does not promise that for the failure above." in out
