"""Start Spark's JVM, without shell scripts, and tell PySpark where it listens.

Why: Spark's launcher starts two more JVMs and a shell first, needs a full JDK, and takes the heap's size from its own settings.
Called by: session.
"""

import os
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyspark

from levee_spark.spark import compiled, java

STARTS_WITHIN_S = 120.0
HOME = Path(pyspark.__file__).parent
# In Spark's home its Python workers would find pyspark as a zip file, and compile it anew each: 0.9 instead of 0.3 CPU seconds.
NO_HOME = HOME / "none"
# Spark reads the class files of its closures in every epoch, and a class is looked for in one jar after another.
READ_OFTEN = ("spark-sql_", "spark-core_", "spark-catalyst_", "scala-library")
SCALA = "2.13"  # Spark's own scripts say so to whoever starts executors on this machine


class JvmDidNotStart(Exception):
    """With the last lines that it wrote."""


@dataclass(frozen=True)
class Jvm:
    process: "subprocess.Popen[bytes]"
    port: int
    secret: str

    def stop(self) -> None:
        """It ends by itself when its standard input does, even if this process is killed."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        try:
            self.process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start(flags: Sequence[str], settings: Mapping[str, str], log: Path | None = None, home: Path = NO_HOME) -> Jvm:
    with tempfile.TemporaryDirectory(prefix="levee-jvm-") as folder:
        told = Path(folder, "gateway")
        process = launch(command(flags, settings), told, log, home)
        try:
            port, secret = wait_for(told, process, log)
        except JvmDidNotStart:
            process.kill()
            raise
    return Jvm(process, port, secret)


def command(flags: Sequence[str], settings: Mapping[str, str]) -> list[str]:
    given = [word for name, value in settings.items() for word in ("--conf", f"{name}={value}")]
    return [str(java.find()), *flags, "org.apache.spark.deploy.SparkSubmit", *given, "pyspark-shell"]


def classes() -> str:
    return os.pathsep.join(map(str, [*jars(), compiled.jar(HOME / "jars")]))


def jars() -> list[Path]:
    """One by one: a class archive fits only jars in the same order, and `*` takes them as the file system has them."""
    return sorted((HOME / "jars").glob("*.jar"), key=lambda jar: (not jar.name.startswith(READ_OFTEN), jar.name))


def launch(words: list[str], told: Path, log: Path | None, home: Path) -> "subprocess.Popen[bytes]":
    environment = environment_of(told, home)
    if log is None:
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, env=environment)
    with log.open("ab") as file:
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=file, stderr=file, env=environment)


def environment_of(told: Path, home: Path) -> dict[str, str]:
    return {
        **os.environ,
        "CLASSPATH": classes(),
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(told),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_HOME": str(home),
        "SPARK_SCALA_VERSION": SCALA,
    }


def wait_for(told: Path, process: "subprocess.Popen[bytes]", log: Path | None) -> tuple[int, str]:
    until = time.monotonic() + STARTS_WITHIN_S
    while not told.exists():
        if process.poll() is not None or time.monotonic() > until:
            why = f"ended with {process.returncode}" if process.poll() is not None else f"said nothing for {STARTS_WITHIN_S:.0f} s"
            raise JvmDidNotStart(f"Spark's JVM {why}.{last_lines(log)}")
        time.sleep(0.02)
    return read(told.read_bytes())


def read(data: bytes) -> tuple[int, str]:
    """Port, length of the secret, secret."""
    port, length = struct.unpack("!ii", data[:8])
    return port, data[8 : 8 + length].decode()


def last_lines(log: Path | None) -> str:
    if log is None or not log.exists():
        return ""
    lines = log.read_text(errors="replace").splitlines()[-5:]
    return f" The end of {log}:\n" + "\n".join(f"  {line}" for line in lines)
