"""The lifecycle bench: what it starts, what answers for pods that nothing runs in, and the page."""

import json
from pathlib import Path

import pytest

from benchmarks.lifecycle import jobs, operators, report, resources, standin
from benchmarks.lifecycle.settings import FULL, IMPORTING, LARGE, PUBLISHED, QUICK
from benchmarks.lifecycle.turn import Stage
from levee.topology.load import load_bytes
from levee.worlds.kubernetes import names
from servers import s3

RECOVERY = {"leads_s": 2.5, "recover_s": 3.0, "cpu_s": 2.0, "writes": 0, "own_writes": 0, "pods_changed": 0}
ROW = {
    "nodes": 30,
    "topologies": 30,
    "tasks": 930,
    "pods": 1350,
    "start_s": 40.0,
    "recover_s": 3.0,
    "memory_mib": 250.0,
    "idle_cores": 0.2,
    "event_s": 0.3,
    "recoveries": [RECOVERY, RECOVERY | {"writes": 2}],
    "busy": False,
}
TURN = {"tasks": 1000, "pods": 1091, "quiet_ms": 60.0, "event_ms": 130.0, "whole_ms": 60.0, "writes": 0, "busy": True}


def tasks_of(told: object) -> int:
    [loaded] = load_bytes(json.dumps(told).encode(), origin="bench")
    assert loaded.topology is not None, loaded.complaints
    found = loaded.topology
    widths = [*(one.parallelism for one in found.sources), *(one.parallelism for one in found.operators)]
    return sum(widths) + len(found.sinks)


def test_a_job_has_the_tasks_of_the_papers() -> None:
    told = resources.job("job", "shop", "s3://bucket/x")
    assert tasks_of(told) == resources.TASKS == 31
    assert len(told["spec"]["sinks"]) == 13
    assert len(told["spec"]["sources"]) == 1


@pytest.mark.parametrize("tasks", [100, 1000, 10_000])
def test_a_wide_topology_has_about_as_many_tasks_as_are_asked_for(tasks: int) -> None:
    assert tasks_of(resources.wide("wide", "shop", "s3://bucket/x", tasks)) == pytest.approx(tasks, rel=0.1)


def test_every_row_of_the_papers_is_measured_but_the_one_that_imports() -> None:
    sizes = {(nodes, topologies * resources.TASKS) for nodes, topologies in FULL.rows}
    assert {(one.nodes, one.tasks) for one in PUBLISHED if one is not IMPORTING} < sizes
    assert LARGE[0] == 1000
    assert LARGE[1] * resources.TASKS >= 10_000
    assert set(QUICK.rows) < set(FULL.rows)


def test_pods_of_a_job_stand_on_simulated_nodes_only() -> None:
    spec = resources.job("job", "shop", "s3://bucket/x")["spec"]
    assert spec["placement"]["nodeSelector"] == {"levee.dev/simulated": "true"}
    assert spec["podTemplate"]["spec"]["tolerations"][0]["key"] == "levee.dev/simulated"


def test_the_store_is_that_of_the_test_cluster() -> None:
    assert (jobs.STORE["AWS_ACCESS_KEY_ID"], jobs.STORE["AWS_SECRET_ACCESS_KEY"], jobs.BUCKET) == (s3.ACCESS_KEY, s3.SECRET_KEY, s3.BUCKET)


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
    found = operators.samples(text, "apiserver_request_total")
    assert sum(one.value for one in found if jobs.is_write(one.labels)) == 7


def test_the_page_sets_our_figures_beside_the_papers_and_says_what_is_left_out(tmp_path: Path) -> None:
    page = tmp_path / "lifecycle.md"
    report.write(FULL, {"jobs": [ROW], "turn": [TURN]}, page)
    text = page.read_text()
    assert "| 30 | 30 | 930 | 1350 | 40.0 | 3.0 | 0.07 | 26.3 | 15.1 | 0.57 |" in text
    assert "| 930 | 0 | 2 | 0 | 2.5 | 2.0 | 250 | 0.20 | 0.30 |" in text
    assert "tests 1, 2, 3, 5" in text
    assert "104 topologies with 737 tasks" in text
    assert "1 of 2 are" in text


def test_a_page_of_nothing_is_a_page(tmp_path: Path) -> None:
    page = tmp_path / "lifecycle.md"
    report.write(QUICK, {"jobs": [], "turn": []}, page)
    assert "To start" not in page.read_text()


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
