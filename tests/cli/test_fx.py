"""FaultExperiments on the command line: checked beside their topology, and shown as what Chaos Toolkit runs."""

import json
from pathlib import Path

import pytest
import yaml

from levee.cli.main import run
from tests.experiments.texts import CRASH, changed, step
from tests.topology.shop import CLICKS

ROOT = Path(__file__).parents[2]


def put(place: Path, *trees: object) -> str:
    file = place / "all.yaml"
    file.write_text(yaml.safe_dump_all(trees))
    return str(file)


def test_an_experiment_is_valid_beside_its_topology_or_without_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", put(tmp_path, CRASH)]) == 0
    assert capsys.readouterr().out == "shop/crash: valid (1 step on shop/clicks)\n"
    assert run(["validate", "-o", "json", put(tmp_path, CRASH)]) == 0
    assert [one["valid"] for one in json.loads(capsys.readouterr().out)] == [True]


def test_what_its_topology_does_not_have_is_a_mistake_where_both_are_given(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = changed(topology="bargain-discovery", steps=[step(operator="vwab")]) | {"metadata": {"name": "crash"}}
    assert run(["validate", put(tmp_path, wrong)]) == 0, "nobody knows its topology"
    capsys.readouterr()
    assert run(["validate", put(tmp_path, wrong), str(ROOT / "examples" / "bargain-discovery.yaml")]) == 1
    said = capsys.readouterr().err
    assert "FaultExperiment default/crash" in said
    assert "spec.steps[0].arguments.operator: the topology has no operator 'vwab'.\n    Fix: use 'vwap'." in said


def test_two_experiments_of_one_name_are_a_mistake_and_one_beside_a_topology_of_its_name_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["validate", put(tmp_path, CRASH, CRASH)]) == 1
    assert "'shop/crash' is already the name of the resource in" in capsys.readouterr().err
    named = {**CRASH, "metadata": {"name": "clicks", "namespace": "shop"}}
    run(["validate", put(tmp_path, named, CLICKS)])
    assert "already the name" not in capsys.readouterr().err


def test_the_examples_fit_the_topology_that_they_name() -> None:
    assert run(["validate", "-f", str(ROOT / "examples" / "experiments"), "-f", str(ROOT / "examples" / "bargain-discovery.yaml")]) == 0


def test_an_experiment_is_shown_as_what_chaos_toolkit_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fx", "render", "-f", put(tmp_path, CRASH)]) == 0
    here = yaml.safe_load(capsys.readouterr().out)
    assert here["configuration"] == {"directory": "", "topology": "clicks", "namespace": ""}
    assert run(["fx", "render", "--on-cluster", "--helpers", "chaos", "-f", put(tmp_path, CRASH)]) == 0
    there = yaml.safe_load(capsys.readouterr().out)
    assert there["configuration"]["namespace"] == "shop"
    assert there["controls"][0]["provider"]["arguments"]["namespaces"] == ["shop", "chaos"]


def test_what_is_no_experiment_is_not_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fx", "render", "-f", put(tmp_path, changed(steps=[step()]))]) == 1
    assert "crash_replica names nobody to hit" in capsys.readouterr().err
    assert run(["fx", "render", "-f", str(ROOT / "examples" / "bargain-discovery.yaml")]) == 1
    assert "There is no FaultExperiment in" in capsys.readouterr().err


def test_who_plans_topologies_says_that_an_experiment_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "-f", put(tmp_path, CRASH)]) == 1
    assert "kind: is 'FaultExperiment', but only FaultTolerantTopology is understood here" in capsys.readouterr().err
