"""What every test on the cluster relies on: nodes are nodes, images are there, and faults are what they are called."""

import pytest

from tests.e2e.cluster.kube import Kube, condition, pod

pytestmark = pytest.mark.e2e
on_our_nodes = pytest.mark.own_cluster(because="it counts on the nodes of the test cluster: several, open to all pods, in zones")

WARM = """
from pathlib import Path
from levee_spark.spark.session import open_session
from levee_spark.spark.settings import Size
from levee_spark.worker.warm import warm_up
session, jvm = open_session(Size(), {}, Path("/tmp/log"))
warm_up(session, Path("/tmp"), Path("/tmp"))
print("Spark", session.version)
"""
REACH = """
import errno, socket, urllib.request
print("api", socket.gethostbyname("kubernetes.default.svc.cluster.local"), urllib.request.urlopen("http://10.40.0.2:7070/health").status)
with socket.socket() as outside:
    outside.settimeout(2)
    print("outside", errno.errorcode[outside.connect_ex(("192.0.2.1", 80))])
"""
ASK = """
import time, urllib.request
for attempt in range(60):
    try:
        print(urllib.request.urlopen("http://web", timeout=2).status)
        break
    except OSError:
        time.sleep(1)
"""
SERVE = "import http.server; http.server.test(http.server.SimpleHTTPRequestHandler, port=8080)"


def python(text: str) -> list[str]:
    return ["python3", "-c", text]


@on_our_nodes
def test_every_node_is_ready_and_in_a_zone(kube: Kube) -> None:
    found = kube.get("nodes")["items"]
    assert all(condition(item, "Ready") for item in found)
    assert all("topology.kubernetes.io/zone" in item["metadata"]["labels"] for item in found)


@on_our_nodes
def test_a_pod_runs_on_each_node_and_is_heard(kube: Kube) -> None:
    nodes = kube.nodes()
    for node in nodes:
        kube.create(pod(f"on-{node}", ["hostname"], node=node))
    assert [kube.finished(f"on-{node}").split() for node in nodes] == [[f"on-{node}"] for node in nodes]


def test_the_workers_image_runs_spark_as_nobody_special_on_a_file_system_that_it_cannot_write(kube: Kube) -> None:
    kube.create(pod("spark", python(WARM)))
    assert "Spark 4." in kube.finished("spark")


def test_the_operators_image_brings_what_an_operator_imports(kube: Kube) -> None:
    kube.create(
        pod("operator", python("import kopf, kubernetes, levee.planning, obstore, os; print('uid', os.getuid())"), image="operator")
    )
    assert kube.finished("operator").split() == ["uid", "10001"]


@pytest.mark.own_cluster(because="it knows the addresses of the test cluster")
def test_a_pod_reaches_the_api_server_and_the_store_and_nothing_outside(kube: Kube) -> None:
    kube.create(pod("reach", python(REACH)))
    assert kube.finished("reach").splitlines() == ["api 10.43.0.1 200", "outside ENETUNREACH"]


@on_our_nodes
def test_a_service_leads_to_a_pod_on_another_node(kube: Kube) -> None:
    first, *_, last = kube.nodes()
    kube.create(pod("server", python(SERVE), node=first))
    ports = [{"port": 80, "targetPort": 8080}]
    kube.create(
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"selector": {"app": "server"}, "ports": ports}}
    )
    kube.create(pod("client", python(ASK), node=last))
    assert kube.finished("client").split() == ["200"]
