"""`levee verify` as its user meets it, up to where a topology would be started."""

import json
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from levee.cli.local.ready import Ask, planned_for
from levee.cli.local.streams import wired
from levee.cli.shared import provided
from levee.plans.ending import Refused
from levee.topology.names import NodeName
from levee_chaos.aim import Seen
from levee_chaos.verifying import subject
from levee_chaos.worlds.world import Where
from tests.chaos.seen import row
from tests.cli.stage import BARGAINS, levee


def changed(tmp_path: Path, **spec: object) -> str:
    document = yaml.safe_load(Path(BARGAINS).read_text())
    document["spec"] |= spec
    path = tmp_path / "changed.yaml"
    path.write_text(yaml.safe_dump(document))
    return str(path)


def test_the_list_says_each_fault_what_is_promised_and_what_is_done(capsys: pytest.CaptureFixture[str]) -> None:
    told = levee(capsys, "verify", "-f", BARGAINS, "--list")
    assert told.code == 0
    assert "guaranteed over all configurations, whatever its failure model allows: completeness 0.7364, fidelity 0" in told.out
    lines = [" ".join(line.split()) for line in told.out.splitlines()]
    assert "node:node-2@calm 100.00 % 100.00 % node-2 is gone" in lines
    assert "worst@peak 58.82 % 0.00 % dead for good: 10 replicas; one of each task is left" in lines
    assert sum("@calm" in line for line in lines) == sum("@peak" in line for line in lines) == 11 + 3 + 1


def test_the_list_is_a_document_too_and_the_whole_promise_follows_from_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(levee(capsys, "verify", "-f", BARGAINS, "--list", "-o", "json", "--only", "worst").out)
    promised = {one["configuration"]: one["promised"]["completeness"] for one in found["faults"]}
    assert (0.9 * 311 * promised["calm"] + 0.1 * 2200 * promised["peak"]) / (0.9 * 311 + 0.1 * 2200) == pytest.approx(0.7364, abs=1e-4)


def test_a_plan_that_promises_nothing_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = levee(capsys, "verify", "-f", changed(tmp_path, faultTolerance={"strategy": "none"}))
    assert told.code == 1
    assert "under pessimistic failures this plan guarantees nothing" in told.err
    assert "Fix: ask for something: target: {completeness: 0.7}" in told.err


def test_a_fault_that_is_not_promised_is_refused_with_those_that_are(capsys: pytest.CaptureFixture[str]) -> None:
    told = levee(capsys, "verify", "-f", BARGAINS, "--only", "node:node-4@calm")
    assert told.code == 2
    assert "the plan promises nothing of a fault 'node:node-4@calm'" in told.err
    assert "node:node-1@calm" in told.err


def test_a_mistake_in_the_topology_is_told_as_levee_run_tells_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = levee(capsys, "verify", "-f", changed(tmp_path, suspend=True))
    assert told.code == 1
    assert told.err.startswith("levee verify: it cannot run.\n  spec.suspend: is true")


@pytest.mark.parametrize("words", [(), ("-f", BARGAINS, "--directory", "somewhere")])
def test_either_a_topology_or_a_run_is_named(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    told = levee(capsys, "verify", *words)
    assert told.code == 2
    assert "Name a topology by -f FILE, or a run by --directory DIR." in told.err


def test_where_nothing_runs_there_is_nothing_to_verify(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = levee(capsys, "verify", "--directory", str(tmp_path))
    assert told.code == 2
    assert told.err.startswith("levee verify: no run was found.")


# ---- how it is found


def test_the_distribution_offers_it_to_both_commands() -> None:
    for group in (provided.LEVEE, provided.KUBECTL):
        [point] = [one for one in metadata.entry_points(group=group) if one.name == "verify"]
        assert point.load().name == "verify"


@pytest.mark.parametrize("program", ["levee", "kubectl levee"])
def test_where_it_is_not_installed_its_user_is_told_what_to_install(
    program: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from levee.cli.kube.main import run as kubectl

    monkeypatch.setattr(provided, "entry_points", lambda **_: ())
    if program == "levee":
        told = levee(capsys, "verify", "--help")
        code, err = told.code, told.err
    else:
        code = kubectl(["verify", "clicks"])
        err = capsys.readouterr().err
    assert code == 1
    assert f"{program} verify: it is not installed.\n  levee-chaos: is not installed.\n    Fix: pip install levee-chaos" in err
    assert "verify" in levee(capsys, "--help").out  # it is known all the same


def test_a_command_of_somebody_else_is_found_and_an_unknown_one_is_not(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    point = metadata.EntryPoint("audit", "levee.cli.commands.validate:validate", provided.LEVEE)
    monkeypatch.setattr(provided, "entry_points", lambda **_: (point,))
    assert "Check topologies" in levee(capsys, "audit", "--help").out
    assert "There is no command 'audti'. Did you mean 'audit'?" in levee(capsys, "audti").err


def test_one_that_cannot_be_imported_says_what_is_missing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    point = metadata.EntryPoint("verify", "levee_that_is_not_there:verify", provided.LEVEE)
    monkeypatch.setattr(provided, "entry_points", lambda **_: (point,))
    told = levee(capsys, "verify")
    assert told.code == 1
    assert "cannot be imported: No module named 'levee_that_is_not_there'" in told.err


# ---- a run that goes on


def test_the_functions_of_a_run_that_goes_on_are_not_looked_for_beside_its_files(tmp_path: Path) -> None:
    copied = tmp_path / "levee.yaml"
    copied.write_text((Path(BARGAINS).parent / "one-job" / "levee.yaml").read_text())
    with pytest.raises(Refused) as refused:
        planned_for(Ask(str(copied)))
    assert "there is no module 'job'" in refused.value.text
    assert planned_for(Ask(str(copied)), is_elsewhere=True).topology.name == "one-job"


@pytest.mark.parametrize(
    ("change", "is_in_force"),
    [({}, True), ({"rank": None}, False), ({"node": NodeName("node-3")}, False)],
)
def test_a_plan_is_verified_only_where_it_is_in_force(
    change: dict[str, object], is_in_force: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = planned_for(Ask(str(Path(BARGAINS).parent / "one-job" / "levee.yaml")))
    workers = ready.wanted(wired(ready.resource, "uid")).workers
    made = subject.promised_of(ready, subject.homes_of(workers))
    rows = [replace(row(one, placed.node, "secondary"), rank=0) for placed in workers for one in placed.replicas]
    rows = [replace(one, **change) if one.replica == "averages/0/0" else one for one in rows]  # type: ignore[arg-type]
    world = SimpleNamespace(seen=lambda: Seen("default/one-job", tuple(rows), {}), configuration="c0", topology="default/one-job")
    monkeypatch.setattr(subject, "find", lambda _: world)
    if is_in_force:
        subject.check_in_force(made, Where(), "try again")
    else:
        with pytest.raises(Refused, match="nothing was done"):
            subject.check_in_force(made, Where(), "try again")
