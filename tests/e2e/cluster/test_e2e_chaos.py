"""Ready experiments on a real cluster: one topology after all of them is what an undisturbed run elsewhere is.

Pods are what takes time, so these tests follow each other on one life of it. Whoever runs them may touch two namespaces: the topology's,
which admits nothing privileged, and that of Levee's release, where helper pods are.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from levee_chaos import actions, deadman, inflicting, limits, probes
from levee_chaos.journal import Entry
from levee_chaos.keeping import Keeping
from levee_chaos.refusals import Refused
from levee_chaos.worlds import finding
from levee_chaos.worlds.world import Where
from tests.e2e.cluster.chart import CHART, IMAGES, RELEASE, ROOT, asked, helm
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.trades import Trades, living, undisturbed

pytestmark = [pytest.mark.e2e, pytest.mark.breaks_nodes]

EXPERIMENTS = ROOT / "chaos" / "experiments"
HELPERS = "--selector=app.kubernetes.io/managed-by=levee-chaos"
PATIENCE_S = 300


@dataclass
class Tormented:
    life: Trades
    system: Kube  # the namespace of the release
    folder: Path  # whoever runs experiments is here

    @property
    def where(self) -> dict[str, Any]:
        return {"topology": self.life.name, "namespace": self.life.kube.namespace}

    @property
    def namespaces(self) -> list[str]:
        return [self.life.kube.namespace, self.system.namespace]

    def begin(self, name: str, **variables: str) -> "subprocess.Popen[str]":
        """`for_s=5` is `--var for_s=5`."""
        told = {**self.where, "namespaces": ",".join(self.namespaces), "lag_epochs": "1000", **variables}
        words = [word for variable, value in told.items() for word in ("--var", f"{variable}={value}")]
        chaos = [sys.executable, "-m", "chaostoolkit", "--no-version-check", "--settings", "none.yaml", "--no-log-file", "run"]
        return subprocess.Popen(
            [*chaos, *words, str(EXPERIMENTS / f"{name}.yaml")],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "hack")])},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def survives(self, name: str, **variables: str) -> dict[str, Any]:
        process = self.begin(name, **variables)
        told, _ = process.communicate(timeout=2 * PATIENCE_S)
        journal: dict[str, Any] = json.loads((self.folder / "journal.json").read_text())
        assert (process.returncode, journal["status"], journal["deviated"]) == (0, "completed", False), told
        assert {one["status"] for one in journal["run"]} == {"succeeded"}, told
        assert self.helpers() == []
        return journal

    def helpers(self) -> list[str]:
        return self.system.run("get", "pods", HELPERS, "--output=name").split()

    def is_whole(self) -> bool:
        return finding.find(Where(**self.where)).health().is_whole

    @property
    def keeping(self) -> Keeping:
        return Keeping(finding.find(Where(**self.where)).folder)


@pytest.fixture(scope="module")
def tormented(shared: Kube, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tormented]:
    folder = tmp_path_factory.mktemp("chaos")
    with release(shared) as system, living(shared, folder) as life:
        life.create()
        life.wait(lambda: life.state() == "running" and life.condition("Ready")["status"] == "True", "it runs")
        life.goes_on()
        yield Tormented(life, system, folder)


@contextmanager
def release(kube: Kube) -> Iterator[Kube]:
    """In a namespace of its own, for topologies of the other one."""
    system = Kube(kube.kubeconfig, f"{kube.namespace}-system")
    system.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": system.namespace}})
    try:
        words: list[str | Path] = ["upgrade", "--install", RELEASE, CHART, *IMAGES, "--take-ownership", "--wait", "--timeout=3m"]
        helm(*words, f"--set=watchNamespaces={{{kube.namespace}}}", kube=system)
        yield system
    finally:
        asked("uninstall", RELEASE, "--wait", kube=system)
        system.run("delete", "namespace", system.namespace, "--wait=false", "--ignore-not-found")


@pytest.fixture
def chaos(tormented: Tormented, monkeypatch: pytest.MonkeyPatch) -> Iterator[Tormented]:
    """It is whole, and whatever a test does, no helper is left."""
    monkeypatch.chdir(tormented.folder)
    tormented.life.wait(tormented.is_whole, "every planned replica works")
    with limits.limited(tormented.namespaces):
        yield tormented
    assert tormented.helpers() == []


# ---- by ready experiments, as their users run them


def test_it_survives_a_container_that_is_killed(chaos: Tormented) -> None:
    before = {one.uid for one in chaos.life.watch.there()}
    chaos.survives("crash-of-a-primary", operator="aggregator", by="container")
    assert len(before - {one.uid for one in chaos.life.watch.there()}) == 1


def test_it_survives_a_primary_that_sleeps_and_wakes_up(chaos: Tormented) -> None:
    before = {one.uid for one in chaos.life.watch.there()}
    found = chaos.survives("pause-longer-than-failover", operator="aggregator", for_s="12")
    assert {one.uid for one in chaos.life.watch.there()} <= before, "nobody was born"
    assert found["run"][0]["output"]["fault"] == "pause replica"


def test_it_goes_on_without_an_operator_that_reaches_the_api_server(chaos: Tormented) -> None:
    lease = renewed(chaos)
    process = chaos.begin("operator-cut-off", for_s="20")
    chaos.life.wait(lambda: bool(chaos.helpers()) or process.poll() is not None, "a helper is there")
    chaos.life.wait(lambda: bool(chaos.keeping.lines()[-1].step == "done") or process.poll() is not None, "it is cut off")
    first = renewed(chaos)
    told, _ = process.communicate(timeout=2 * PATIENCE_S)
    assert process.returncode == 0, told
    assert first >= lease
    chaos.life.wait(lambda: renewed(chaos) > first, "it renews its lease again")


def renewed(chaos: Tormented) -> str:
    return str(chaos.system.get("lease", "levee-operator")["spec"]["renewTime"])


def test_it_survives_the_crash_of_the_operator(chaos: Tormented) -> None:
    operators = {one["metadata"]["uid"] for one in chaos.system.get("pods", "--selector=app.kubernetes.io/component=operator")["items"]}
    pods = {one.uid for one in chaos.life.watch.there()}
    chaos.survives("crash-of-the-operator")
    now = {one["metadata"]["uid"] for one in chaos.system.get("pods", "--selector=app.kubernetes.io/component=operator")["items"]}
    assert now.isdisjoint(operators)
    assert {one.uid for one in chaos.life.watch.there()} == pods


def test_it_survives_the_crash_of_a_node(chaos: Tormented) -> None:
    node = node_without_operator(chaos)
    chaos.survives("crash-of-a-node", node=node, role="any", driver="cluster")
    chaos.life.wait(lambda: chaos.life.kube.ready(node), "the node is back")


def node_without_operator(chaos: Tormented) -> str:
    homes = {one["spec"]["nodeName"] for one in chaos.system.get("pods", "--selector=app.kubernetes.io/component=operator")["items"]}
    return min({one.node for one in chaos.life.watch.there()} - homes)


# ---- whoever is gone


def test_when_the_experiment_is_killed_whoever_was_paused_goes_on(chaos: Tormented) -> None:
    process = chaos.begin("pause-longer-than-failover", operator="aggregator", for_s="600")

    def asleep() -> list[Entry]:
        """By this experiment, and seen: others may have done something before."""
        mine = [one for one in chaos.keeping.standing().values() if one.by.pid == process.pid]
        last = chaos.keeping.lines()[-1]
        return [one for one in mine if (last.step, last.name) == ("done", one.name)]

    chaos.life.wait(lambda: asleep() != [] or process.poll() is not None, "it sleeps")
    ended, found = process.poll() is not None, asleep()
    process.kill()
    told, _ = process.communicate()
    assert not ended, told
    [entry] = found
    chaos.life.wait(lambda: not chaos.keeping.standing() and chaos.helpers() == [], "the dead man's process has ended the helper")
    assert chaos.keeping.lines()[-1].name == entry.name


def test_a_helper_ends_its_fault_by_itself_when_everybody_is_gone(chaos: Tormented, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even a dead man's process is there: the machine that ran the experiment is."""
    monkeypatch.setattr(deadman, "ensure", lambda *_: None)
    actions.slow_replica(8, 0.5, operator="aggregator", role="primary", **chaos.where)
    [name] = chaos.helpers()
    chaos.life.wait(lambda: chaos.system.get(name)["status"]["phase"] == "Succeeded", "its time is over")
    assert json.loads(chaos.system.run("logs", name).splitlines()[-1]) == {"undone": True}
    inflicting.undo_all(chaos.keeping)


# ---- refused


def test_what_is_not_allowed_is_refused_and_nothing_is_done(chaos: Tormented) -> None:
    pods = {one.uid for one in chaos.life.watch.there()}

    def refused(fix: str, namespaces: Sequence[str] = chaos.namespaces, **words: Any) -> None:
        with limits.limited(namespaces), pytest.raises(Refused, match=fix):
            actions.pause_replica(30, **(chaos.where | {"operator": "aggregator"} | words))

    refused("none is named, and on a cluster at least one must be", namespaces=[])
    refused("is in none of those that are named", namespaces=["kube-system"])
    refused("violates PodSecurity", namespaces=chaos.namespaces[:1])
    refused("use 'aggregator'", operator="agregator")
    assert {one.uid for one in chaos.life.watch.there()} == pods


# ---- and in the end


def test_after_all_that_its_output_is_that_of_an_undisturbed_run(chaos: Tormented) -> None:
    """Two more ways to die first, at once: a Java, and a pod."""
    actions.crash_replica(operator="aggregator", role="primary", by="jvm", **chaos.where)
    actions.crash_replica(operator="market", role="primary", by="pod", **chaos.where)
    probes.recovered(PATIENCE_S, 1000, **chaos.where)
    assert probes.lifecycle_state(**chaos.where) == "running"
    (last,) = {max(chaos.life.last_epochs().values())}
    golden = chaos.folder / "golden"
    golden.mkdir()
    for name, rows in undisturbed(last).items():
        pq.write_table(rows, golden / name)
    assert probes.output_equals_golden(f"{chaos.life.prefix}/out", str(golden), **chaos.where)
    assert chaos.life.status()["attempts"] == 0
