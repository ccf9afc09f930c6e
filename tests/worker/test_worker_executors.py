"""What a worker with executors asks for, what an executor's pod runs, and how large outputs are cut."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from levee.topology.executors import Executors
from levee_spark.lane.rows import decode
from levee_spark.spark import executor, executors
from levee_spark.spark.cluster import Cluster
from levee_spark.worker import operating, order
from levee_spark.worker.main import executors_of
from levee_spark.worker.order import BadOrder
from tests.worker.topologies import resource

WANTED = Executors.model_validate({"instances": 3, "cores": 2, "memory": "2g"})
CLUSTER = Cluster("https://server", "shop", "clicks-vwap-0-0-1", "10.0.0.7", "levee/worker:1", {"kind": "Pod"})
ORDER = {"resource": "/r", "uid": "u", "worker": "w", "node": "n", "directory": "/d", "replicas": ["keyed/0/0"]}
TOLD = {
    "SPARK_DRIVER_URL": "spark://there",
    "SPARK_EXECUTOR_ID": "3",
    "SPARK_EXECUTOR_CORES": "2",
    "SPARK_EXECUTOR_MEMORY": "2048m",
    "SPARK_APPLICATION_ID": "app",
    "SPARK_EXECUTOR_POD_IP": "10.0.0.9",
    "SPARK_EXECUTOR_POD_NAME": "exec-3",
    "SPARK_RESOURCE_PROFILE_ID": "0",
}


def test_in_a_cluster_spark_asks_its_api_server_and_owns_its_executors(tmp_path: Path) -> None:
    found = executors.settings_of(WANTED, CLUSTER, tmp_path)
    assert found["spark.master"] == "k8s://https://server"
    assert found["spark.kubernetes.driver.pod.name"] == "clicks-vwap-0-0-1"
    assert (found["spark.executor.instances"], found["spark.executor.cores"], found["spark.executor.memory"]) == ("3", "2", "2048m")
    assert json.loads(Path(found["spark.kubernetes.executor.podTemplateFile"]).read_text()) == {"kind": "Pod"}


def test_an_order_may_name_a_cluster() -> None:
    told = ORDER | {"cluster": {name: getattr(CLUSTER, name) for name in Cluster.__slots__}}
    assert order.parse(json.dumps(told), "order").cluster == CLUSTER
    assert order.parse(json.dumps(ORDER), "order").cluster is None
    with pytest.raises(BadOrder):
        order.parse(json.dumps(ORDER | {"cluster": {"server": "https://server"}}), "order")


def test_only_a_worker_with_an_operator_that_has_executors_starts_any() -> None:
    plain = resource()
    heavy = plain.model_copy(
        update={"spec": plain.spec.model_copy(update={"operators": [with_executors(one) for one in plain.spec.operators]})}
    )
    keyed, other = order.parse(json.dumps(ORDER), ""), order.parse(json.dumps(ORDER | {"replicas": ["same/0/0"]}), "")
    assert [executors_of(heavy, keyed), executors_of(heavy, other), executors_of(plain, keyed)] == [WANTED, None, None]


def with_executors(operator: object) -> object:
    return operator.model_copy(update={"executors": WANTED}) if operator.name == "keyed" else operator  # type: ignore[attr-defined]


def test_an_executors_pod_runs_sparks_backend_with_what_the_driver_tells_it() -> None:
    given = {"SPARK_JAVA_OPT_10": "-Dten=1", "SPARK_JAVA_OPT_9": "-Dnine=1", "SPARK_JAVA_OPT_0": "--add-modules=jdk.incubator.vector"}
    words = executor.command(TOLD | given)
    assert words[words.index("--driver-url") + 1] == "spark://there"
    assert words[words.index("--podName") + 1] == "exec-3"
    assert "-Xmx2048m" in words
    assert [word for word in words if word in given.values()] == ["-Dnine=1", "-Dten=1"]


def test_a_large_output_is_cut_into_segments_that_together_are_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"value": pa.array(range(1000), pa.int64())})
    monkeypatch.setattr(operating, "SEGMENT_BYTES", table.nbytes // 3)
    parts = operating.segments_of(table)
    assert len({name for name, _ in parts}) == len(parts) == 4
    assert pa.concat_tables([decode(data) for _, data in parts]) == table


def test_a_small_output_is_one_object() -> None:
    assert operating.segments_of(pa.table({"value": [1]})) == ()
