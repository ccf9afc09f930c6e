"""`kubectl levee`: what people see of a topology on a cluster, and what is said when it cannot be seen."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from levee.cli.kube.group import COMMANDS
from levee.cli.kube.main import run
from levee.topology.load import load
from levee.topology.names import TaskId
from levee.worlds.kubernetes import companions, embedded
from levee_spark.log import ask
from levee_spark.log.requests import PutIfAbsent
from levee_spark.log.values import EpochObject, Kind, Manifest
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from levee_spark.worker.wiring import layout_of
from tests.cli.served_cluster import OWNER, Served, serving, topology
from tests.cli.stage import ROOT, Ended
from tests.serve.plant import PATH, PODS

READY = {"type": "Ready", "status": "True", "reason": "AllReady", "message": "every planned replica works and has done an epoch"}
BAD = {"type": "Healthy", "status": "False", "reason": "TaskFailed", "message": "count/0 at epoch 12: ValueError: no"}
ACCOUNT = {"window": 3600, "promised": 0.7, "achieved": 0.9912, "cost": 0.75, "inputKept": False}
RUNNING = {"state": "running", "since": "2026-01-02T03:00:00Z", "configuration": "always", "conditions": [READY, BAD], "lagEpochs": 4}


@pytest.fixture
def clicks(served: Served) -> Served:
    """Two workers with everything twice, of which the second is behind."""
    told = topology(served.folder / "store")
    served.add_topology(told, replicas={"active": 5, "desired": 6}, plan={"guarantee": 0.9}, account=ACCOUNT, **RUNNING)
    for number, epoch in ((1, 12), (2, 10)):
        replicas: dict[str, dict[str, Any]] = {
            f"{task}/{number - 1}": {"epoch": epoch, "rows_per_s": 10.0} for task in ("market/0", "count/0", "out/0")
        }
        replicas["count/0/0" if number == 1 else "count/0/1"] |= {"last": "won" if number == 1 else "lost"}
        served.add_worker(number, replicas, told)
    served.add_event(1, "Normal", OWNER.uid, "AllReady", "all tasks are ready")
    served.add_event(2, "Warning", OWNER.uid, "WorkerLost", "node-2-0 ended and is started again")
    return served


def levee(capfd: pytest.CaptureFixture[str], *args: str) -> Ended:
    code = run(args)
    told = capfd.readouterr()
    return Ended(int(code), told.out, told.err)


def one_line(ended: Ended) -> str:
    """What people get instead of an answer: one line, and kubectl's exit code."""
    assert (ended.code, ended.out) == (1, "")
    [line] = ended.err.splitlines()
    return line


@pytest.mark.usefixtures("clicks")
def test_status_shows_the_graph_with_replicas_nodes_roles_epochs_and_rates(capfd: pytest.CaptureFixture[str]) -> None:
    shown = levee(capfd, "status", "clicks")
    assert (shown.code, shown.err) == (0, "")
    lines = [" ".join(line.split()) for line in shown.out.splitlines()]
    assert lines[0].startswith("shop/clicks: running for ")
    assert lines[0].endswith("epoch 12, lag 0, 6 of 6 replicas work, configuration always, 10 rows/s")
    assert "Ready True AllReady every planned replica works and has done an epoch" in lines
    assert "Healthy False TaskFailed count/0 at epoch 12: ValueError: no" in lines
    assert "count/0 market/0 0 node-1 primary running 12 0 10" in lines
    assert "1 node-2 secondary running 10 2 10" in lines
    assert lines[-1] == "03:00:02.000 WorkerLost: node-2-0 ended and is started again"


def test_where_nobody_may_ask_workers_the_rest_is_shown_and_it_is_said(clicks: Served, capfd: pytest.CaptureFixture[str]) -> None:
    for pod in clicks.states:
        clicks.refuses[f"{PODS}/{pod}:8080/proxy"] = (
            403,
            "Forbidden",
            'pods "x" is forbidden: User "ann" cannot get resource "pods/proxy"',
        )
    shown = levee(capfd, "status", "clicks")
    assert shown.code == 0
    lines = [" ".join(line.split()) for line in shown.out.splitlines()]
    assert lines[0].endswith("lag 4, 5 active replicas work, configuration always")
    assert "count/0 market/0 0 node-1 unknown ready ? ? ?" in lines
    assert 'roles, epochs and rates of 2 workers are not shown: pods "x" is forbidden: User "ann" cannot get' in shown.out


def test_a_worker_that_cannot_be_reached_hides_nobody_else(clicks: Served, capfd: pytest.CaptureFixture[str]) -> None:
    clicks.refuses[f"{PODS}/clicks-node-1-0-1:8080"] = (503, "ServiceUnavailable", "error trying to reach service: i/o timeout")
    shown = levee(capfd, "status", "clicks").out
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    assert "count/0 market/0 0 node-1 unknown ready ? ? ?" in lines
    assert any(line.startswith("1 node-2 ") and line.endswith("running 10 0 10") for line in lines)
    assert "of 1 worker are not shown: 503 error trying to reach service: i/o timeout" in shown


def test_without_the_right_to_see_nodes_and_events_the_graph_is_shown(clicks: Served, capfd: pytest.CaptureFixture[str]) -> None:
    clicks.refuses["/api/v1/nodes"] = (403, "Forbidden", "nodes is forbidden")
    clicks.refuses["/api/v1/namespaces/shop/events"] = (403, "Forbidden", "events is forbidden")
    shown = levee(capfd, "status", "clicks").out
    assert "primary" in shown
    assert "(whether nodes are ready is not shown: nodes is forbidden)" in shown
    assert "(events are not shown: events is forbidden)" in shown


def test_a_replica_on_a_dead_node_is_shown_where_it_was(clicks: Served, capfd: pytest.CaptureFixture[str]) -> None:
    clicks.add_node(2, ready=False)
    lines = [" ".join(line.split()) for line in levee(capfd, "status", "clicks").out.splitlines()]
    assert "1 node-2 none node lost 10 2 0" in lines


def test_after_a_refused_edit_the_graph_is_that_of_what_runs(clicks: Served, capfd: pytest.CaptureFixture[str]) -> None:
    clicks.things[PATH]["spec"] = clicks.things[PATH]["spec"] | {"operators": [], "sinks": []}
    assert "count/0" in levee(capfd, "status", "clicks").out


@pytest.mark.usefixtures("clicks")
def test_machines_get_the_same_as_json_and_as_yaml(capfd: pytest.CaptureFixture[str]) -> None:
    found = json.loads(levee(capfd, "status", "clicks", "-o", "json").out)
    assert found == yaml.safe_load(levee(capfd, "status", "-o", "yaml", "clicks").out)
    assert (found["apiVersion"], found["kind"], found["topology"], found["state"]) == (
        *("levee.dev/v1alpha1", "TopologyStatus"),
        *("shop/clicks", "running"),
    )
    assert found["ready"] is True
    assert found["nodes"] == {"node-1": True, "node-2": True}
    assert {one["replica"]: one["role"] for one in found["replicas"]}["count/0/0"] == "primary"
    assert found["conditions"][1] == BAD
    assert found["account"] == ACCOUNT
    assert found["notShown"] == []


def test_a_topology_that_does_not_run_says_its_state(served: Served, capfd: pytest.CaptureFixture[str]) -> None:
    served.add_topology(topology(served.folder), state="suspended", since="2026-01-02T03:00:00Z")
    assert levee(capfd, "status", "clicks").out.startswith("shop/clicks: suspended for ")


def test_what_no_operator_has_seen_says_so(served: Served, capfd: pytest.CaptureFixture[str]) -> None:
    served.add_topology(topology(served.folder))
    assert "no operator has looked at it yet" in levee(capfd, "status", "clicks").out


def test_without_a_name_the_only_topology_is_meant_and_of_several_each_has_a_line(
    clicks: Served, capfd: pytest.CaptureFixture[str]
) -> None:
    assert levee(capfd, "status").out.startswith("shop/clicks: running")
    other = clicks.things[PATH] | {"metadata": clicks.things[PATH]["metadata"] | {"name": "views"}, "status": {}}
    clicks.things[PATH.replace("clicks", "views")] = other
    assert levee(capfd, "status").out.splitlines() == [
        "shop/clicks: running; kubectl levee status clicks",
        "shop/views: submitted; kubectl levee status views",
    ]


# ---- what cannot be answered


@pytest.mark.usefixtures("clicks")
def test_a_missing_topology_is_told_with_the_nearest_name(capfd: pytest.CaptureFixture[str]) -> None:
    assert one_line(levee(capfd, "status", "clocks")) == "error: there is no topology 'clocks' in namespace shop; did you mean 'clicks'?"


@pytest.mark.usefixtures("clicks")
def test_in_an_empty_namespace_it_is_said_how_to_find_another(capfd: pytest.CaptureFixture[str]) -> None:
    wanted = "error: there is no topology 'clicks' in namespace default, nor any other; name its namespace by -n (kubectl get ftt "
    wanted += "--all-namespaces)."
    assert one_line(levee(capfd, "status", "clicks", "-n", "default")) == wanted
    assert one_line(levee(capfd, "-n", "default", "tail", "clicks", "count")) == wanted, "flags may stand before the command"
    assert one_line(levee(capfd, "status", "clicks", "--context", "elsewhere")) == wanted, "a context has a namespace"
    assert "there is no topology in namespace default; name its" in one_line(levee(capfd, "status", "-n", "default"))


def test_a_cluster_without_levee_says_so(served: Served, capfd: pytest.CaptureFixture[str]) -> None:
    served.without_definition = True
    assert "this cluster has no FaultTolerantTopology; install Levee first" in one_line(levee(capfd, "status", "clicks"))


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ((401, "Unauthorized", "Unauthorized"), "the API server does not know who you are; log in again, and see kubectl auth whoami"),
        ((403, "Forbidden", 'User "ann" cannot get ftt.'), 'User "ann" cannot get ftt; ask for a role that allows it'),
        ((503, "", "etcd is away"), "does not answer: 503 etcd is away; see kubectl cluster-info"),
        ((422, "Invalid", "spec is odd"), "the API server refuses (422): spec is odd"),
    ],
)
def test_whoever_is_refused_gets_one_line(
    served: Served, capfd: pytest.CaptureFixture[str], refusal: tuple[int, str, str], words: str
) -> None:
    served.refuses["/apis"] = refusal
    for command in (("status", "clicks"), ("tail", "clicks", "count"), ("plan", "clicks"), ("events", "clicks"), ("suspend", "clicks")):
        assert words in one_line(levee(capfd, *command))


def test_an_api_server_that_is_down_is_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with serving(Served(tmp_path)) as gone:
        pass
    line = one_line(levee(capfd, "status", "clicks", "--kubeconfig", str(gone.kubeconfig)))
    assert line.startswith("error: the API server at http://127.0.0.1:")
    assert line.endswith("does not answer: [Errno 111] Connection refused; see kubectl cluster-info.")


@pytest.mark.parametrize("text", ["", "- 1", "{", "clusters: 3", "kind: Config", "contexts: [1]"])
def test_a_kubeconfig_that_is_none_is_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str], text: str) -> None:
    (tmp_path / "config").write_text(text)
    assert "; see kubectl config " in one_line(levee(capfd, "status", "clicks", "--kubeconfig", str(tmp_path / "config")))


def test_no_kubeconfig_and_an_unknown_context_are_one_line(
    served: Served, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "there is no kubeconfig at /nowhere; name one by" in one_line(levee(capfd, "status", "x", "--kubeconfig", "/nowhere"))
    assert "has no context 'nowhere'; see kubectl config get-contexts" in one_line(levee(capfd, "status", "x", "--context", "nowhere"))
    monkeypatch.delenv("KUBECONFIG")
    monkeypatch.setenv("HOME", str(served.folder))
    assert "there is no kubeconfig at ~/.kube/config" in one_line(levee(capfd, "status", "x"))


@pytest.mark.parametrize("words", [("stauts",), ("status", "--nope"), ("tail", "clicks"), ("status", "x", "-o", "xml")])
def test_wrong_usage_ends_as_kubectl_does(capfd: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    ended = levee(capfd, *words)
    assert ended.code == 1
    assert ended.err.startswith("Usage: kubectl levee")


# ---- the other commands


def test_events_of_the_topology_and_of_its_pods_are_one_story(clicks: Served, capfd: pytest.CaptureFixture[str]) -> None:
    clicks.add_event(0, "Normal", "uid-of-node-1", "Scheduled", "assigned to node-1")
    clicks.add_event(3, "Warning", "uid-of-node-2", "BackOff", "pulling image", count=4)
    clicks.add_event(4, "Warning", "uid-of-somebody", "BackOff", "not ours")
    lines = [line.split() for line in levee(capfd, "events", "clicks").out.splitlines()]
    assert [line[-4:] and line[2 if "(x4)" not in line else 3] for line in lines[1:]] == ["Scheduled", "AllReady", "WorkerLost", "BackOff"]
    assert "(x4)" in lines[-1] and "pod/node-2" in lines[-1]
    warned = levee(capfd, "events", "clicks", "--warnings").out
    assert "WorkerLost" in warned and "AllReady" not in warned


def test_no_events_are_told_as_such(served: Served, capfd: pytest.CaptureFixture[str]) -> None:
    served.add_topology(topology(served.folder))
    ended = levee(capfd, "events", "clicks")
    assert (ended.code, ended.out, ended.err) == (0, "", "No events of shop/clicks are left.\n")


@pytest.mark.parametrize(
    ("verb", "spec", "done"),
    [
        ("suspend", {"suspend": True}, "suspended"),
        ("resume", {"suspend": False}, "resumed"),
        ("restart", {"restartNonce": 1}, "restarted"),
    ],
)
def test_a_wish_is_a_field_of_the_resource_as_it_was_read(
    clicks: Served, capfd: pytest.CaptureFixture[str], verb: str, spec: Any, done: str
) -> None:
    assert levee(capfd, verb, "clicks").out == f"faulttoleranttopology.levee.dev/clicks {done}\n"
    assert clicks.patched == [{"metadata": {"resourceVersion": "7"}, "spec": spec}]


def test_plan_is_for_the_nodes_that_the_cluster_has_now(clicks: Served, capfd: pytest.CaptureFixture[str]) -> None:
    clicks.add_node(3)
    clicks.add_node(4, ready=False)
    ended = levee(capfd, "plan", "clicks")
    assert (ended.code, ended.err) == (0, "")
    assert "1 task x 2 replicas on 3 nodes" in ended.out or "on 3 nodes" in ended.out
    assert "nodes     of the cluster" in ended.out
    assert "node-4" not in ended.out
    assert "The plan reaches its target: completeness 0.9." in ended.out
    assert json.loads(levee(capfd, "plan", "clicks", "-o", "json").out)["kind"] == "Plan"


def test_plan_repeats_what_the_operator_says_of_the_charts_store(clicks: Served, capfd: pytest.CaptureFixture[str]) -> None:
    planned = {"type": "Planned", "status": "True", "reason": "PlanFound", "message": f"a guarantee of 0.900 by ftsearch; {embedded.SAYS}"}
    clicks.things[PATH]["status"]["conditions"].append(planned)
    assert f"Note: {embedded.SAYS}." in levee(capfd, "plan", "clicks").out.splitlines()
    ended = levee(capfd, "plan", "clicks", "-o", "json")
    assert json.loads(ended.out)["kind"] == "Plan"
    assert embedded.SAYS in ended.err


def test_plan_says_what_is_wrong_as_levee_validate_does(clicks: Served, capfd: pytest.CaptureFixture[str]) -> None:
    clicks.things[PATH]["spec"]["sinks"][0]["from"] = "cuont"
    ended = levee(capfd, "plan", "clicks")
    assert (ended.code, ended.out) == (1, "")
    assert "spec.sinks[0]: reads stream 'cuont', which nothing emits." in ended.err
    assert "Fix: use 'count'" in ended.err


def test_plan_without_a_node_is_one_line(clicks: Served, capfd: pytest.CaptureFixture[str]) -> None:
    clicks.things[PATH]["spec"]["placement"] = {"nodeSelector": {"disk": "fast"}}
    assert "no node of the cluster is ready, not cordoned, and has the labels" in one_line(levee(capfd, "plan", "clicks"))


# ---- tail


@pytest.fixture
def streamed(clicks: Served) -> Served:
    """Three epochs of `count` in a folder that the worker's pod can reach."""
    import pyarrow as pa

    told = topology(clicks.folder / "store")
    file = clicks.folder / "topology.yaml"
    file.write_text(companions.text(OWNER, told))
    clicks.order = {"resource": str(file), "uid": OWNER.uid}
    [loaded] = load(file.read_text(), origin=str(file))
    assert loaded.resource is not None
    layout = layout_of(loaded.resource, OWNER.uid)
    driver = StoreDriver(open_store((clicks.folder / "store").as_uri()))
    for epoch in (1, 2, 3):
        sink = pa.BufferOutputStream()
        table = pa.table({"value": [epoch], "word": ["für"]})
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        made = EpochObject(Manifest(epoch, Kind.FINAL, 1, "digest", "lineage", 1, "writer"), sink.getvalue().to_pybytes())
        drive(ask.persistently(PutIfAbsent(layout.epoch(TaskId("count/0"), epoch), made)), driver)
    driver.close()
    return clicks


@pytest.mark.usefixtures("streamed")
def test_tail_reads_a_stream_through_a_worker(capfd: pytest.CaptureFixture[str]) -> None:
    ended = levee(capfd, "tail", "clicks", "count", "--tail", "2")
    assert (ended.code, ended.err) == (0, "")
    assert [json.loads(line) for line in ended.out.splitlines()] == [
        {"_epoch": epoch, "_task": "count/0", "value": epoch, "word": "für"} for epoch in (2, 3)
    ]


@pytest.mark.usefixtures("streamed")
def test_a_stream_that_nobody_emits_is_refused_in_the_worker_with_the_nearest_name(capfd: pytest.CaptureFixture[str]) -> None:
    ended = levee(capfd, "tail", "clicks", "cuont")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "kubectl levee tail: there is no such stream.\n  STREAM: nothing emits 'cuont'.\n    Fix: use 'count'.\n"


def test_without_the_right_to_exec_tail_is_one_line(streamed: Served, capfd: pytest.CaptureFixture[str]) -> None:
    streamed.refuses[f"{PODS}/clicks-node-1-0-1/exec"] = (403, "Forbidden", 'User "ann" cannot create resource "pods/exec"')
    wanted = 'error: User "ann" cannot create resource "pods/exec"; ask for a role that allows it.'
    assert one_line(levee(capfd, "tail", "clicks", "count")) == wanted


def test_where_no_worker_runs_and_the_store_is_elsewhere_it_is_said(served: Served, capfd: pytest.CaptureFixture[str]) -> None:
    served.add_topology(topology(served.folder), state="suspended")
    wanted = "error: no worker of shop/clicks runs, and its store is not here; resume or mend it."
    assert one_line(levee(capfd, "tail", "clicks", "count")) == wanted


def test_where_no_worker_runs_the_store_is_opened_from_here_and_its_secret_is_never_shown(
    served: Served, capfd: pytest.CaptureFixture[str]
) -> None:
    told = topology(served.folder)
    told["spec"]["store"] = {"uri": "s3://levee/clicks", "secret": "levee-store"}
    served.add_topology(told, state="suspended")
    line = one_line(levee(capfd, "tail", "clicks", "count"))
    assert "the Secret 'levee-store' that spec.store.secret names is not in namespace shop" in line
    keys = {"AWS_ACCESS_KEY_ID": "a2V5", "AWS_SECRET_ACCESS_KEY": "aHVzaA==", "AWS_ENDPOINT_URL": "aHR0cDovLzEyNy4wLjAuMTox"}
    served.things["/api/v1/namespaces/shop/secrets/levee-store"] = {"data": keys | {"AWS_REGION": "dXM="}}
    ended = levee(capfd, "tail", "clicks", "count")
    assert ended.code == 1
    assert ended.err.startswith("kubectl levee tail: the store cannot be used.")
    assert "hush" not in ended.err + ended.out and "aHVzaA" not in ended.err


def test_the_example_for_a_cluster_is_valid_and_names_the_secret_beside_it(capfd: pytest.CaptureFixture[str]) -> None:
    from levee.cli.main import run as levee_run

    folder = ROOT / "examples" / "kubernetes"
    assert levee_run(["validate", "-f", str(folder / "trades.yaml")]) == 0
    assert "valid" in capfd.readouterr().out
    told, secret = (yaml.safe_load((folder / name).read_text()) for name in ("trades.yaml", "store.yaml"))
    assert told["spec"]["store"]["secret"] == secret["metadata"]["name"]


def test_every_command_is_in_the_page_and_in_the_help(capfd: pytest.CaptureFixture[str]) -> None:
    page, shown = (ROOT / "docs" / "operate.md").read_text(), levee(capfd, "--help").out
    for name in COMMANDS:
        assert f"kubectl levee {name}" in page or f"`{name}`" in page
        assert f"\n  {name} " in shown
        assert levee(capfd, name, "--help").code == 0


def test_a_laptop_needs_neither_spark_nor_a_store_to_look(clicks: Served) -> None:
    without = (
        "import sys; sys.modules.update(dict.fromkeys(('obstore', 'pyarrow', 'pyspark'))); from levee.cli.kube.main import main; main()"
    )
    for words in (("status", "clicks"), ("tail", "clicks", "--help")):
        done = subprocess.run([sys.executable, "-c", without, *words], capture_output=True, text=True, check=False, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
    clicks.things = {path: thing for path, thing in clicks.things.items() if not path.startswith(PODS)}
    clicks.things[PATH]["spec"]["store"] = {"uri": "s3://levee/clicks"}
    done = subprocess.run(
        [sys.executable, "-c", without, "tail", "clicks", "count"], capture_output=True, text=True, check=False, timeout=120
    )
    wanted = "error: no worker runs, and to read the store from here obstore is missing; pip install 'levee[spark]'.\n"
    assert (done.returncode, done.stderr) == (1, wanted)
