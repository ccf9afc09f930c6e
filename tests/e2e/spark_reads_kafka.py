"""Print the rows of a topic, sorted, as Spark reads them.

Why: a session wants its jars before its JVM starts, so this is a process of its own; the JVM is started by hand, because Spark's launcher
asks for a module that the Java of a wheel does not have.
Called by: test_e2e_kafka, as `spark_reads_kafka.py JAVA JARS BOOTSTRAP TOPIC`.
"""

import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyspark
import pyspark.sql

OPENED = ("java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util", "java.util.concurrent")
OPENED_TOO = ("java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs", "sun.security.action", "sun.util.calendar")


def main(java: str, jars: str, bootstrap: str, topic: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        jvm = start_jvm(java, jars, Path(folder) / "gateway")
        try:
            print("\n".join(rows(bootstrap, topic)))
        finally:
            jvm.kill()
            jvm.wait()


def start_jvm(java: str, jars: str, answer: Path) -> subprocess.Popen[bytes]:
    classes = os.pathsep.join([f"{Path(pyspark.__file__).parent}/jars/*", *jars.split(",")])
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in (*OPENED, *OPENED_TOO)]
    command = [java, "-Xmx512m", "-XX:TieredStopAtLevel=1", *opened, "-cp", classes, "org.apache.spark.deploy.SparkSubmit", "pyspark-shell"]
    jvm = subprocess.Popen(command, stdin=subprocess.PIPE, env={**os.environ, "_PYSPARK_DRIVER_CONN_INFO_PATH": str(answer)})
    while not answer.exists():
        assert jvm.poll() is None, "the JVM ended"
        time.sleep(0.05)
    told = answer.read_bytes()
    port, length = struct.unpack(">ii", told[:8])
    os.environ.update(PYSPARK_GATEWAY_PORT=str(port), PYSPARK_GATEWAY_SECRET=told[8 : 8 + length].decode())
    return jvm


def rows(bootstrap: str, topic: str) -> list[str]:
    settings: dict[str, bool | float | int | str | None] = {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
    }
    spark = pyspark.sql.SparkSession.builder.master("local[1]").config(map=settings).getOrCreate()
    options = {"kafka.bootstrap.servers": bootstrap, "subscribe": topic, "kafka.isolation.level": "read_committed"}
    frame = spark.read.format("kafka").options(**options).load().selectExpr("CAST(value AS STRING) AS row")
    return sorted(row["row"] for row in frame.collect())


if __name__ == "__main__":
    main(*sys.argv[1:])
