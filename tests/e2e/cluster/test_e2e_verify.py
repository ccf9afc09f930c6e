"""`kubectl levee verify`: the plan of a topology on a cluster is held to its word."""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cluster.chart import ROOT
from tests.e2e.cluster.conftest import new_namespace
from tests.e2e.cluster.trades import PLUGIN, Trades, living, resource

pytestmark = [pytest.mark.e2e, pytest.mark.needs_store]

PRIMARY = "primary:aggregator/0@c0"
PATIENCE_S = 900


def patient(*told: Any, **spec: Any) -> Any:
    """Its deadlines are long: a machine that is busy is no finding."""
    found = resource(*told, **spec)
    for operator in found["spec"]["operators"]:
        operator["deadline"] = "30s"
    found["spec"]["faultTolerance"] |= {"failureTimeout": "60s"}
    return found


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trades]:
    with new_namespace() as kube, living(kube, tmp_path_factory.mktemp("verify"), make=patient) as life:
        life.operators.start()
        life.create()
        life.wait(lambda: life.state() == "running" and life.condition("Ready")["status"] == "True", "it runs")
        life.goes_on()
        yield life
        life.delete()
        life.wait(lambda: not life.is_there, "it is gone")


def verify(life: Trades, folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    command = [PLUGIN, "verify", life.name, f"--kubeconfig={life.kube.kubeconfig}", f"--namespace={life.kube.namespace}", *words]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=PATIENCE_S, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )


def test_the_list_says_what_the_plan_in_force_promises_and_nothing_is_done(life: Trades, tmp_path: Path) -> None:
    before = len(life.watch.born())
    told = verify(life, tmp_path, "--list", "-o", "json")
    assert told.returncode == 0, told.stderr
    names = [one["name"] for one in json.loads(told.stdout)["faults"]]
    tasks = {"primary:market/0@c0", "primary:trade-filter/0@c0", PRIMARY}
    assert {*names} >= tasks | {"worst@c0"} | {f"node:{node}@c0" for node in {one.node for one in life.watch.there()}}
    assert len(life.watch.born()) == before


def test_without_a_word_of_consent_nothing_is_done(life: Trades, tmp_path: Path) -> None:
    before = len(life.watch.born())
    assert verify(life, tmp_path, "--only", PRIMARY).returncode != 0  # nobody answers
    assert len(life.watch.born()) == before


def verified(life: Trades, folder: Path, *words: str) -> Any:
    """One fault, and its verdict."""
    told = verify(life, folder, "--yes", "--for=40s", "--before=20s", "-o", "json", *words)
    assert told.stdout, told.stderr
    [found] = json.loads(told.stdout)["faults"]
    assert (told.returncode, found["verdict"]) == (0, "Passed"), f"{told.stderr}\n{found}"
    assert (found["measured"]["epochsLost"], found["measured"]["epochsChanged"]) == ([], [])
    assert "<svg" in (folder / "levee-verify" / "report.html").read_text()
    return found


def test_a_primary_is_killed_and_the_promise_is_kept(life: Trades, tmp_path: Path) -> None:
    before = len(life.watch.born())
    found = verified(life, tmp_path, "--only", PRIMARY)
    assert "aggregator/0" in found["met"]
    assert len(life.watch.born()) > before
