"""Ready experiments and our actions, on a topology that runs."""

import os
import signal
import subprocess
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
import yaml
from chaoslib.experiment import ensure_experiment_is_valid

import levee
import levee_chaos
from levee_chaos import actions, limits, probes, triggers
from levee_chaos.journal import Step
from levee_chaos.refusals import Refused
from tests.chaos.toys import CHAOS, EXPERIMENTS, Toy, changed, running_toy, until
from tests.worlds.toy import delivered, expected

READY = sorted(EXPERIMENTS.glob("*.yaml"))
PAUSE, PRIMARY, NODE = "pause-longer-than-failover.yaml", "crash-of-a-primary.yaml", "crash-of-a-node.yaml"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    with running_toy(tmp_path_factory.mktemp("toy")) as toy:
        yield toy
        out = delivered(toy.place)
        assert out == expected(len(out))  # after all that has been done to it


@pytest.fixture
def toy(running: Toy) -> Toy:
    until("the toy is whole again", running.is_whole)
    return running


# ---- without a topology


def test_chaos_validate_finds_nothing_wrong(tmp_path: Path) -> None:
    command = [*CHAOS, "--no-version-check", "--settings", str(tmp_path / "none.yaml"), "--no-log-file", "validate", str(READY[0])]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr + ended.stdout
    assert "looks valid" in ended.stderr + ended.stdout


@pytest.mark.parametrize("experiment", READY, ids=lambda path: path.stem)
def test_a_ready_experiment_is_valid_and_ends_its_faults(experiment: Path) -> None:
    document = yaml.safe_load(experiment.read_text())
    ensure_experiment_is_valid(document)
    assert document["runtime"] == {"rollbacks": {"strategy": "always"}}
    assert [one["provider"]["module"] for one in document["controls"]] == ["levee_chaos.controls"]
    assert document["rollbacks"][-1]["provider"]["func"] == "undo_faults"


def test_chaos_toolkit_discovers_every_action_and_probe_with_its_documentation(tmp_path: Path) -> None:
    found = {one["name"]: one for one in levee_chaos.discover()["activities"]}
    assert set(found) == {*actions.__all__, *triggers.__all__, *probes.__all__}
    assert all(one["doc"] for one in found.values())
    assert {one["name"] for one in found["crash_replica"]["arguments"]} >= {"topology", "operator", "task", "role", "node"}
    command = [
        *CHAOS,
        "--no-version-check",
        "--settings",
        str(tmp_path / "none.yaml"),
        "--no-log-file",
        "discover",
        "--no-install",
        "levee-chaos",
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (tmp_path / "discovery.json").exists(), ended.stderr + ended.stdout


def test_the_extension_has_levees_version() -> None:
    assert levee_chaos.__version__ == levee.__version__ == metadata.version("levee-chaos")


def test_where_nothing_runs_an_experiment_ends_before_it_begins(tmp_path: Path) -> None:
    ended = Toy(tmp_path).experiment(EXPERIMENTS / PRIMARY)
    assert (ended.code, ended.journal["status"]) == (1, "interrupted")
    assert f"nothing has run in '{tmp_path / 'run'}'" in ended.told


# ---- on a topology


def test_a_primary_crashes_and_no_row_is_lost(toy: Toy) -> None:
    before = {one.process for one in toy.table().workers}
    ended = toy.experiment(EXPERIMENTS / PRIMARY, "--var", "operator=total")
    assert (ended.code, ended.journal["status"], ended.journal["deviated"]) == (0, "completed", False), ended.told
    assert [one["status"] for one in ended.journal["run"]] == ["succeeded"] * 3
    assert len(before - {one.process for one in toy.table().workers}) == 1
    assert toy.standing() == []
    assert ended.run("how-long-no-epoch-came")["output"] > 0


def test_a_node_crashes_and_comes_back_in_the_end(toy: Toy) -> None:
    ended = toy.experiment(EXPERIMENTS / NODE, "--var", "node=node-2", "--var", "role=any")
    assert (ended.code, ended.journal["status"]) == (0, "completed"), ended.told
    assert ended.run("undo-what-lasts")["output"] == [ended.run("crash-the-node")["output"]["fault"] + ": " + met(ended, "crash-the-node")]
    until("node-2 is back", lambda: all(one.alive for one in toy.table().nodes))


def test_a_primary_sleeps_for_longer_than_a_failover_and_wakes_up_by_the_timer(toy: Toy) -> None:
    ended = toy.experiment(EXPERIMENTS / PAUSE, "--var", "operator=total", "--var", "for_s:int=15")
    assert (ended.code, ended.journal["status"]) == (0, "completed"), ended.told
    undone = [line for line in toy.keeping.lines() if line.step is Step.UNDONE]
    assert undone[-1].why == "its time is over"
    assert ended.run("undo-what-lasts")["output"] == []  # twice is once


@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("crash-of-a-worker", {"worker": "node-3-0"}),
        ("crash-of-a-zone", {"zone": "zone-2", "role": "any"}),
        ("pause-of-a-node", {"node": "node-1", "role": "any", "for_s": "3"}),
        ("slow-primary", {"operator": "total", "for_s": "3", "share": "0.6"}),
        ("operator-cut-off", {"for_s": "3"}),
        ("crash-of-the-operator", {}),
    ],
)
def test_the_toy_survives(name: str, variables: dict[str, str], toy: Toy) -> None:
    words = [word for variable, value in variables.items() for word in ("--var", f"{variable}={value}")]
    controller = toy.table().controller
    ended = toy.experiment(EXPERIMENTS / f"{name}.yaml", *words)
    assert (ended.code, ended.journal["status"], ended.journal["deviated"]) == (0, "completed", False), ended.told
    assert {one["status"] for one in ended.journal["run"]} == {"succeeded"}
    assert toy.standing() == []
    assert (toy.table().controller == controller) is (name != "crash-of-the-operator")


def test_an_action_whose_target_does_not_exist_fails_and_the_experiment_ends_there(toy: Toy) -> None:
    before, lines = {one.process for one in toy.table().workers}, toy.keeping.lines()
    ended = toy.experiment(EXPERIMENTS / PRIMARY, "--var", "operator=totla")
    assert (ended.code, ended.journal["status"]) == (1, "interrupted")
    assert "there is no operator 'totla' in tests/toy" in ended.told
    assert "use 'total'" in ended.told
    assert {one.process for one in toy.table().workers} == before
    assert toy.keeping.lines() == lines
    assert "it-recovers" not in [one["activity"]["name"] for one in ended.journal["run"]]


def test_where_the_steady_state_does_not_hold_before_nothing_is_done_and_that_is_a_failure(toy: Toy) -> None:
    def strict(document: dict[str, Any]) -> None:
        document["steady-state-hypothesis"]["probes"][1]["provider"]["arguments"]["epochs"] = 0

    lines = toy.keeping.lines()
    ended = toy.ended(toy.begin(changed(PRIMARY, toy.place, strict)))
    assert (ended.code, ended.journal["status"], ended.journal["run"]) == (1, "failed", []), ended.told
    assert toy.keeping.lines() == lines


def test_a_probe_of_the_method_that_fails_is_a_deviation(toy: Toy) -> None:
    def impatient(document: dict[str, Any]) -> None:
        document["method"] = document["method"][1:2]
        document["method"][0]["provider"]["arguments"] |= {"timeout_s": 0, "epochs": 0}

    ended = toy.experiment(changed(PRIMARY, toy.place, impatient))
    assert (ended.code, ended.journal["status"], ended.journal["deviated"]) == (1, "failed", True), ended.told


# ---- whatever becomes of the experiment


def paused(toy: Toy, experiment: Path) -> "subprocess.Popen[str]":
    process = toy.begin(experiment, "--var", "operator=total", "--var", "for_s:int=3600")
    until("a replica sleeps", lambda: bool(toy.standing()) or process.poll() is not None)
    if process.poll() is not None:
        ended = toy.ended(process)
        assert ended.was_too_early, ended.told
        return paused(toy, experiment)
    [entry] = toy.standing()
    until("it stands still", lambda: toy.is_any_stopped(entry))
    return process


def test_when_the_experiment_is_killed_the_dead_man_lets_everybody_go_on(toy: Toy) -> None:
    process = paused(toy, EXPERIMENTS / PAUSE)
    [entry] = toy.standing()
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    until("it goes on", lambda: not toy.standing() and not toy.is_any_stopped(entry))
    assert toy.keeping.lines()[-1].why == "the experiment's process is gone"
    until("the dead man is gone", lambda: not toy.keeping.lock_of_deadman(process.pid).exists())


def test_after_ctrl_c_what_was_paused_goes_on(toy: Toy) -> None:
    process = paused(toy, EXPERIMENTS / PAUSE)
    [entry] = toy.standing()
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does it
    ended = toy.ended(process)
    assert (ended.code, ended.journal["status"]) == (1, "interrupted"), ended.told
    assert not toy.is_any_stopped(entry)
    assert toy.standing() == []


def test_an_experiment_is_aborted_when_the_steady_state_is_lost_for_too_long(toy: Toy) -> None:
    def short(document: dict[str, Any]) -> None:
        document["controls"][0]["provider"]["arguments"] |= {"lost_for_s": 1, "every_s": 0.2}

    ended = toy.ended(paused(toy, changed(PAUSE, toy.place, short)))
    assert (ended.code, ended.journal["status"]) == (1, "interrupted"), ended.told
    assert "aborting: the steady state is lost" in ended.told
    assert toy.standing() == []
    told = [line for line in toy.keeping.stream.read_text().splitlines() if '"aborts"' in line]
    assert "ready: False" in told[-1]


# ---- actions by themselves


def test_who_is_slowed_stands_still_and_goes_on_until_it_is_undone(toy: Toy) -> None:
    directory = str(toy.directory)
    found = actions.slow_replica(3600, 0.5, operator="double", role="secondary", directory=directory)
    [entry] = toy.standing()
    until("it goes on", lambda: not toy.is_any_stopped(entry))
    until("it stands still again", lambda: toy.is_any_stopped(entry))
    again = actions.slow_replica(3600, 0.5, replica=str(found["met"]).split()[4], directory=directory)
    assert (again["name"], again["stoodAlready"]) == (found["name"], True)
    assert len(actions.undo_faults(directory=directory)) == 1
    assert not toy.is_any_stopped(entry)
    assert actions.undo_faults(directory=directory) == []


def test_what_cannot_be_done_is_refused_with_what_to_write_instead(toy: Toy) -> None:
    directory = str(toy.directory)
    with pytest.raises(Refused, match="'boss' is none"):
        actions.crash_replica(operator="total", role="boss", directory=directory)
    with pytest.raises(Refused, match="0 s is no time"):
        actions.pause_replica(0, operator="total", directory=directory)
    with pytest.raises(Refused, match="there is no Java in"):
        actions.crash_replica(operator="total", by="jvm", directory=directory)
    with pytest.raises(Refused, match="'gently' is none"):
        actions.crash_replica(operator="total", by="gently", directory=directory)
    with pytest.raises(Refused, match="there is no zone 'zone-9'"):
        actions.crash_zone(zone="zone-9", directory=directory)
    with limits.limited(["shop"]), pytest.raises(Refused, match="tests/toy is in none of those that are named: shop"):
        actions.crash_replica(operator="total", directory=directory)
    with pytest.raises(Refused, match="use pause_replica"):
        actions.slow_replica(5, 1.0, operator="total", directory=directory)
    with pytest.raises(Refused, match="there is no node 'node-9'"):
        actions.crash_node(node="node-9", directory=directory)
    with pytest.raises(Refused, match="'clicks' does not run here, tests/toy does"):
        actions.crash_node(topology="clicks", node="node-1", directory=directory)
    assert toy.standing() == []


def test_output_is_held_against_a_golden_run_file_by_file(toy: Toy, tmp_path: Path) -> None:
    out = toy.directory / "out"
    for epoch, total in enumerate(expected(10), 1):
        (tmp_path / f"{epoch:06d}.json").write_text(f"[{total}]")
    assert probes.output_equals_golden(str(out), str(tmp_path))
    (tmp_path / "000007.json").write_text("[0]")
    with pytest.raises(Refused, match="epoch 7: 1 row, and 1 row in the golden run; only here"):
        probes.output_equals_golden(str(out), str(tmp_path))
    with pytest.raises(Refused, match="nowhere is no folder"):
        probes.output_equals_golden(str(out), "nowhere")


def met(ended: Any, name: str) -> str:
    return str(ended.run(name)["output"]["met"])
