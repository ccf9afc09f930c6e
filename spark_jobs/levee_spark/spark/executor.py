"""What runs in the pod of an executor: Spark's backend, with the flags, classes and Java of a worker.

Why: Spark's images bring a shell script for it; ours have neither that nor a Java that can do all it asks for.
Called by: the command of executors' pods (levee.worlds.kubernetes.executors), with the variables that Spark puts there.
"""

import os
import re
from collections.abc import Mapping

from levee_spark.spark import gateway, java
from levee_spark.spark.executors import VECTORS
from levee_spark.spark.settings import OPENED

BACKEND = "org.apache.spark.scheduler.cluster.k8s.KubernetesExecutorBackend"
OPTION = re.compile(r"SPARK_JAVA_OPT_(\d+)\Z")
TOLD = {
    "--driver-url": "SPARK_DRIVER_URL",
    "--executor-id": "SPARK_EXECUTOR_ID",
    "--cores": "SPARK_EXECUTOR_CORES",
    "--app-id": "SPARK_APPLICATION_ID",
    "--hostname": "SPARK_EXECUTOR_POD_IP",
    "--resourceProfileId": "SPARK_RESOURCE_PROFILE_ID",
    "--podName": "SPARK_EXECUTOR_POD_NAME",
}


def command(environment: Mapping[str, str]) -> list[str]:
    told = [word for flag, name in TOLD.items() for word in (flag, environment[name])]
    opened = [f"--add-opens={module}=ALL-UNNAMED" for module in OPENED]
    heap = f"-Xmx{environment['SPARK_EXECUTOR_MEMORY']}"
    return [str(java.find()), heap, *opened, *options(environment), BACKEND, *told]


def options(environment: Mapping[str, str]) -> list[str]:
    """In their order; without a module that small runtimes lack, and that nothing of Spark's insists on."""
    numbered = sorted((int(found[1]), value) for name, value in environment.items() if (found := OPTION.match(name)))
    return [value for _, value in numbered if VECTORS not in value]


def main() -> None:
    words = command(os.environ)
    os.execve(words[0], words, {**os.environ, "CLASSPATH": gateway.classes(), "SPARK_HOME": str(gateway.NO_HOME)})  # noqa: S606  (no shell is wanted)


if __name__ == "__main__":
    main()
