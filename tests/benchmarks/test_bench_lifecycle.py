"""The lifecycle bench: what it starts, what answers for pods that nothing runs in, and how it waits and cleans up."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cluster import namespace, operators, waiting
from benchmarks.cluster.namespace import Namespace
from benchmarks.lifecycle import exports, resources, runner, rws, standin, writes
from benchmarks.lifecycle.__main__ import KEYS
from benchmarks.lifecycle.runner import LifecycleBench
from benchmarks.lifecycle.settings import FULL, IMPORTING, LARGE, PUBLISHED, QUICK, Size
from benchmarks.lifecycle.states import State, States
from benchmarks.lifecycle.take import PARTS
from benchmarks.lifecycle.turn import Stage
from levee.topology.load import load_bytes
from levee.topology.names import OperatorName
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.api import Unreachable
from levee_spark.log import control, exporter
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Done, PutIfAbsent
from levee_spark.log.values import Imported, Live, Shape
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from servers import s3


def tasks_of(told: object) -> int:
    [loaded] = load_bytes(json.dumps(told).encode(), origin="bench")
    assert loaded.topology is not None, loaded.complaints
    found = loaded.topology
    widths = [*(one.parallelism for one in found.sources), *(one.parallelism for one in found.operators)]
    return sum(widths) + len(found.sinks)


def test_a_job_has_the_tasks_of_the_papers() -> None:
    told = resources.job("job", "shop", "s3://bucket/x")
    assert tasks_of(told) == resources.tasks_of([told]) == resources.TASKS == 31
    assert len(told["spec"]["sinks"]) == 13
    assert len(told["spec"]["sources"]) == 1


@pytest.mark.parametrize("tasks", [100, 1000, 10_000])
def test_a_wide_topology_has_about_as_many_tasks_as_are_asked_for(tasks: int) -> None:
    assert tasks_of(resources.wide("wide", "shop", "s3://bucket/x", tasks)) == pytest.approx(tasks, rel=0.1)


def test_every_row_of_the_papers_is_measured_and_the_largest_comes_last() -> None:
    sizes = {(one.nodes, len(made(one)), resources.tasks_of(made(one))) for one in FULL.rows}
    assert {(one.nodes, one.tasks) for one in PUBLISHED} < {(nodes, tasks) for nodes, _, tasks in sizes}
    assert (90, 104, 737) in sizes
    assert FULL.rows[-1] is LARGE
    assert LARGE.nodes == 1000
    assert resources.tasks_of(made(LARGE)) >= 10_000
    assert {(one.nodes, one.topologies) for one in QUICK.rows} < {(one.nodes, one.topologies) for one in FULL.rows}


def made(size: Size) -> list[dict[str, Any]]:
    return rws.rws("shop", "s3://b/x") if size.imports else resources.jobs(size.topologies, "shop", "s3://b/x")


def test_keys_are_json_and_each_part_can_be_taken() -> None:
    for part, keys in KEYS.items():
        assert json.loads(json.dumps(keys(FULL))) == [list(key) for key in keys(FULL)]
        assert part in PARTS


def test_half_of_the_topologies_of_row_6_import_streams_that_others_emit_and_some_of_these_are_shared() -> None:
    told = {one["metadata"]["name"]: one for one in made(IMPORTING)}
    imported = [source["import"] for one in told.values() for source in one["spec"]["sources"] if "import" in source]
    importers = {name for name, one in told.items() if any("import" in source for source in one["spec"]["sources"])}
    assert len(told) == rws.TOPOLOGIES
    assert len(importers) == rws.TOPOLOGIES // 2
    assert sum(tasks_of(one) for one in told.values()) == rws.TASKS
    for one in imported:
        assert one["topology"] not in importers
        assert one["stream"] in {operator["name"] for operator in told[one["topology"]]["spec"]["operators"]}
    assert max(Counter(one["topology"] for one in imported).values()) == 4


def test_an_importer_may_begin_once_its_exporter_runs_and_the_bench_has_put_one_epoch(tmp_path: Path) -> None:
    driver = StoreDriver(open_store(tmp_path.as_uri(), durable=False), looks_ahead=False)
    layout = Layout("shop/rws-000", "u1")
    graph = json.dumps({"sources": {"source": 1}, "operators": {"stage0": [1]}})
    assert isinstance(driver.answer(PutIfAbsent(layout.control(1), control.first(Shape(graph=graph), Live(), "test"))), Done)
    wanted = Imported(OperatorName("import0"), "shop/rws-000", "u1", OperatorName(rws.EXPORTED))
    own = Layout("shop/rws-001", "u2")
    assert isinstance(drive(exporter.mapped(own, wanted), driver), exporter.Waiting)
    helped = exports.Exports(driver, "shop", exports.streams_in(made(IMPORTING)))
    assert len(helped.streams) == rws.TOPOLOGIES // 2
    helped.begin([State("rws-000", "u1", "running"), State("rws-001", "u2", "running")])
    assert drive(exporter.mapped(own, wanted), driver) == wanted
    assert helped.begun == {"rws-000", "rws-001"}


def test_a_watch_tells_which_topologies_run() -> None:
    states = States()
    states.listed([thing("a", "running"), thing("b", "mapping")], 1)
    states.changed(thing("b", "running"))
    states.changed(thing("c"))
    states.gone(thing("a"))
    assert [one.name for one in states.running()] == ["b"]


def thing(name: str, state: str = "") -> dict[str, Any]:
    return {"metadata": {"name": name, "uid": f"u-{name}"}} | ({"status": {"state": state}} if state else {})


def test_pods_of_a_job_stand_on_simulated_nodes_only() -> None:
    spec = resources.job("job", "shop", "s3://bucket/x")["spec"]
    assert spec["placement"]["nodeSelector"] == {"levee.dev/simulated": "true"}
    assert spec["podTemplate"]["spec"]["tolerations"][0]["key"] == "levee.dev/simulated"


def test_the_store_is_that_of_the_test_cluster() -> None:
    assert (namespace.STORE["AWS_ACCESS_KEY_ID"], namespace.STORE["AWS_SECRET_ACCESS_KEY"], namespace.BUCKET) == (
        s3.ACCESS_KEY,
        s3.SECRET_KEY,
        s3.BUCKET,
    )


def test_whoever_has_a_pods_address_answers_for_its_replicas() -> None:
    pods = standin.Pods()
    pods.changed({"metadata": {"annotations": {names.REPLICAS: "count/0/0,count/1/0"}}, "status": {"podIP": "10.42.0.7"}})
    head, _, body = standin.answer(pods, "10.42.0.7").partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK")
    told = json.loads(body)["replicas"]
    assert [(one["replica"], one["status"]) for one in told] == [("count/0/0", "running"), ("count/1/0", "running")]
    assert standin.answer(pods, "10.42.0.8").startswith(b"HTTP/1.1 503")


def test_a_pod_that_is_gone_is_answered_for_no_more() -> None:
    pods = standin.Pods()
    thing = {"metadata": {"annotations": {names.REPLICAS: "count/0/0"}}, "status": {"podIP": "10.42.0.7"}}
    pods.changed(thing)
    pods.gone(thing)
    assert pods.state("10.42.0.7") is None


def test_writes_to_what_is_ours_are_counted_and_heartbeats_are_not() -> None:
    text = (
        "# HELP apiserver_request_total x\n"
        'apiserver_request_total{code="200",resource="pods",subresource="",verb="POST"} 3\n'
        'apiserver_request_total{code="200",resource="pods",subresource="",verb="LIST"} 50\n'
        'apiserver_request_total{code="200",resource="leases",subresource="",verb="PUT"} 700\n'
        'apiserver_request_total{code="200",resource="faulttoleranttopologies",subresource="status",verb="PATCH"} 4\n'
        'apiserver_request_duration{verb="POST"} 9\n'
    )
    assert writes.count(text) == 7


def test_the_operators_own_writes_are_those_that_were_carried_out_and_not_its_lease() -> None:
    said = [("POST", "201"), ("PATCH", "200"), ("PUT", "200"), ("POST", "409"), ("GET", "200")]
    assert [operators.is_change({"verb": verb, "answer": answer}) for verb, answer in said] == [True, True, False, False, False]


def test_a_turn_that_finds_nothing_new_writes_nothing(tmp_path: Path) -> None:
    stage = Stage.make(tmp_path, 30)
    stage.until_running()
    stage.turn()
    before = stage.api.writes
    for _ in range(3):
        stage.turn()
    assert stage.api.writes == before
    stage.lose_a_pod()
    assert stage.settled()
    stage.close()


# ---- to wait, and to clean up


def test_what_does_not_come_about_is_told_with_how_far_it_came() -> None:
    with pytest.raises(waiting.Unfinished, match="all run: not within 0 s; 3 of 7 do"):
        waiting.await_true(lambda: False, 0.0, "all run", lambda: "3 of 7 do", look_s=0.0)


def test_an_api_server_that_does_not_answer_is_asked_again() -> None:
    asked: list[str] = []

    def holds() -> bool:
        asked.append("")
        if len(asked) == 1:
            raise Unreachable("busy")
        return True

    waiting.await_true(holds, 10.0, "it answers", look_s=0.0)


def test_a_machine_without_memory_is_given_up_before_it_breaks_down(monkeypatch: pytest.MonkeyPatch) -> None:
    waiting.need_memory()
    monkeypatch.setattr(waiting, "memory_left_mib", lambda: 100.0)
    with pytest.raises(waiting.Unfinished, match="only 100 MiB of memory left"):
        waiting.need_memory()


class FullApi:
    """A namespace with topologies and more pods than one request deletes."""

    def __init__(self) -> None:
        self.pods, self.topologies, self.there = 3, ["a", "b"], True
        self.freed: list[str] = []

    def get(self, path: str, **_: str) -> Any:
        if path.endswith("faulttoleranttopologies"):
            return {"items": [thing(name) for name in self.topologies]}
        return {} if self.there else None

    def patch(self, path: str, body: Any) -> None:
        assert body == {"metadata": {"finalizers": None}}
        self.freed.append(path.rpartition("/")[2])

    def ask(self, verb: str, path: str, body: Any = None, **_: Any) -> Any:
        if verb == "GET":
            return {"items": [thing(f"pod-{number}") for number in range(self.pods)], "metadata": {}}
        if path.endswith("/pods"):
            self.pods -= 1
            if self.pods:
                raise Unreachable("504")
            return {}
        if path.endswith("faulttoleranttopologies"):
            assert set(self.topologies) <= set(self.freed)
            self.topologies = []
        else:
            self.there = False
        return {}


def test_a_namespace_is_removed_though_its_pods_are_too_many_for_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(namespace, "SLOW_LOOK_S", 0.0)
    api = FullApi()
    Namespace(api, "bench-1").remove()  # type: ignore[arg-type]  # as far as it is asked
    assert (api.pods, api.topologies, api.there) == (0, [], False)


SLOW = "import signal, sys, time, pathlib; signal.signal(signal.SIGTERM, lambda *_: (pathlib.Path(sys.argv[1]).touch(), sys.exit())); "


def test_a_measurement_that_is_interrupted_removes_what_it_has_made_before_it_is_killed(tmp_path: Path) -> None:
    words = [sys.executable, "-c", SLOW + "print(flush=True); time.sleep(60)", str(tmp_path / "removed")]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    process.stdout.readline()
    runner.cleaned(process)
    process.stdout.close()
    assert (tmp_path / "removed").exists()
    assert process.returncode == 0


def test_what_did_not_come_to_its_end_is_kept_with_its_reason_until_it_does(tmp_path: Path) -> None:
    bench = LifecycleBench(tmp_path / "data", tmp_path / "work", 0, tmp_path / "failed")
    (tmp_path / "data").mkdir()
    key = (5,)
    assert bench.take("turn", json.dumps(key)) is None
    [told] = bench.unfinished("turn", [key, (5, 6)])
    assert (told["part"], told["key"]) == ("turn", [5])
    assert told["why"].startswith("TypeError: take() missing")
    bench.path("turn").write_text(json.dumps([json.dumps(key), {"tasks": 1}]) + "\n", encoding="utf-8")
    assert bench.unfinished("turn", [key]) == []
    assert bench.of("turn", [key, (5, 6)]) == [{"tasks": 1}]
    bench.forget("turn")
    assert bench.of("turn", [key]) == []
