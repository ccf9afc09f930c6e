"""Executors: settings of a session whose rows and state are computed by processes of their own.

Why: what is too much for one worker is computed by several, on Kubernetes by pods that Spark's own scheduler asks for; the worker is
their driver. Without a cluster they are processes on this machine (`local-cluster`), so that both take the same way.
Called by: worker.main.
"""

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from levee.topology.executors import Executors
from levee_spark.spark import compiled, gateway, java
from levee_spark.spark.cluster import Cluster
from levee_spark.spark.scratch import folder_of
from levee_spark.spark.settings import MIB, SETTINGS

CONTAINER = "worker"  # in the template: what a user's podTemplate says of workers holds for executors, too
VECTORS = "jdk.incubator.vector"
COMMON: Mapping[str, str] = {
    "spark.hadoop.fs.driver.impl": "dev.levee.spark.DriverFiles",
    "spark.executor.syncLogLevel.enabled": "true",  # they are as quiet as the worker
    "spark.network.timeout": "20s",  # an executor whose node is dead is given up after that; by default, 120 s
    "spark.network.timeoutInterval": "4s",
    "spark.executor.heartbeatInterval": "4s",
}
PODS: Mapping[str, str] = {
    "spark.driver.port": "7078",  # fixed, so that a network policy can name them
    "spark.blockManager.port": "7079",
    "spark.authenticate": "true",  # with a secret of this session: whoever else reaches the port is no executor
    "spark.kubernetes.executor.disableConfigMap": "true",  # else it would ask for rights on those
    "spark.kubernetes.driver.ownPersistentVolumeClaim": "false",  # and on these
    "spark.kubernetes.driver.reusePersistentVolumeClaim": "false",
}


class NoExecutors(Exception):
    """For the user: why there can be none, and what to do."""


def settings_of(executors: Executors, cluster: Cluster | None, place: Path) -> dict[str, str]:
    """`place`: a folder of the worker's."""
    return {**COMMON, **sizes(executors), **(here(executors, place) if cluster is None else on(cluster, place))}


def sizes(executors: Executors) -> dict[str, str]:
    return {
        "spark.executor.instances": str(executors.instances),
        "spark.executor.cores": str(executors.cores),
        "spark.executor.memory": f"{executors.memory}m",
        "spark.testing.memory": str(executors.memory * MIB),  # what executors share out; the worker's own setting is for small heaps
        "spark.sql.shuffle.partitions": str(executors.slots),  # of a state, for as long as it lives
        "spark.default.parallelism": str(executors.slots),
    }


def here(executors: Executors, place: Path) -> dict[str, str]:
    return {
        "spark.executor.extraJavaOptions": f'"-Djava.io.tmpdir={folder_of(place)}"',
        "spark.master": f"local-cluster[{executors.instances},{executors.cores},{executors.memory}]",
        "spark.executor.extraClassPath": str(compiled.jar(gateway.HOME / "jars")),
    }


def on(cluster: Cluster, place: Path) -> dict[str, str]:
    address = {"spark.driver.host": cluster.address, "spark.driver.bindAddress": cluster.address}
    kubernetes = {f"spark.kubernetes.{name}": value for name, value in pods_of(cluster, place).items()}
    return {**PODS, **address, "spark.master": f"k8s://{cluster.server}", **kubernetes}


def pods_of(cluster: Cluster, place: Path) -> dict[str, str]:
    template = place / "executor.json"  # YAML, too
    template.write_text(json.dumps(cluster.template))
    return {
        "namespace": cluster.namespace,
        "driver.pod.name": cluster.pod,
        "container.image": cluster.image,
        "executor.podTemplateFile": str(template),
        "executor.podTemplateContainerName": CONTAINER,
        "executor.podNamePrefix": cluster.pod,
    }


def home_for(cluster: Cluster | None, place: Path) -> Path:
    """Executors on this machine are started by Spark in a folder of its home; pods need none."""
    if cluster is not None:
        return gateway.NO_HOME
    check_java()
    home = place / "spark-home"
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "jars").exists():
        (home / "jars").symlink_to(gateway.HOME / "jars")
    return home


def check_java() -> None:
    """Spark starts executors on this machine by itself, and with this module."""
    found = java.find()
    modules = subprocess.run([found, "--list-modules"], capture_output=True, text=True, check=False, timeout=60).stdout
    if VECTORS not in modules:
        raise NoExecutors(
            f"executors on this machine need a Java with the module {VECTORS}, and {found} has none. "
            "Fix: install a whole Java 17 or newer and set JAVA_HOME, or leave `executors` out for runs on this machine."
        )


def show(session: SparkSession, folders: Sequence[Path]) -> None:
    """What executors may see of the worker's disk: checkpoints, and the rows of the epoch."""
    session.sparkContext.setLogLevel(SETTINGS["spark.log.level"])  # for executors: there was nobody to tell them when it was set
    session._jvm.dev.levee.spark.FileDesk.open("\n".join(map(str, folders)))  # type: ignore[union-attr]  # noqa: SLF001
