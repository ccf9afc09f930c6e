"""Levee's classes for Spark's JVM: compiled once by Janino, the compiler that Spark brings along, and kept in a jar.

Why: lanes read and write inside the JVM (see docs/decisions/0012), and users have neither a Java compiler nor a build of ours to download:
the sources are part of the package.
Called by: gateway (class path), archive (which has these classes, too).
"""

import atexit
import os
import shutil
import subprocess
import tempfile
import zipfile
from functools import cache
from hashlib import blake2b
from pathlib import Path

import pyspark
from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

from levee_spark.spark import java

SOURCES = Path(__file__).parent.parent / "jvm"
TARGET = 17  # the oldest Java that Spark runs on
FLAGS = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"]
ALWAYS = (1980, 1, 1, 0, 0, 0)  # the same jar whoever makes it: a class archive stays valid
WHEN_S = 1_767_225_600  # as old as all files of our images are (hack/images/tree.py): the archive fits there, too


def folder() -> Path:
    """~/.cache/levee/java; LEVEE_CACHE stands for ~/.cache/levee."""
    chosen = os.environ.get("LEVEE_CACHE")
    return (Path(chosen) if chosen else Path.home() / ".cache" / "levee") / "java"


def identity() -> str:
    parts = [pyspark.__version__.encode(), *(file.read_bytes() for file in sources())]
    return blake2b(b"\0".join(parts), digest_size=8).hexdigest()


def sources() -> list[Path]:
    return sorted(SOURCES.glob("*.java"))


def jar(jars: Path) -> Path:
    """Compiled now if it is not there; where the cache cannot be written, for this process alone. `jars`: Spark's."""
    kept = folder() / f"levee-{identity()}.jar"
    if kept.exists():
        return kept
    try:
        folder().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder(), prefix="partial-") as place:
            return compiled(jars, Path(place)).replace(kept)  # whole or not at all, however many workers do it at once
    except OSError:
        return own(jars)


@cache
def own(jars: Path) -> Path:
    place = tempfile.mkdtemp(prefix="levee-jar-")  # nobody else can put a jar there
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return compiled(jars, Path(place))


def compiled(jars: Path, place: Path) -> Path:
    """Spark's own classes are read as the JVM has them, so that nothing of ours can differ from what runs."""
    classes = place / "classes"
    classes.mkdir()
    [bridge] = jars.glob("py4j-*.jar")
    port, secret, process = launch_gateway(
        jarpath=str(bridge),
        classpath=f"{jars}/*",
        javaopts=FLAGS,
        java_path=str(java.find()),
        enable_auth=True,
        die_on_exit=True,
        return_proc=True,
    )
    try:
        run(JavaGateway(gateway_parameters=GatewayParameters(port=port, auth_token=secret)), classes)
    finally:
        end(process)
    return packed(classes, place / "levee.jar")


def run(gateway: JavaGateway, classes: Path) -> None:
    java_lang, janino, file = gateway.jvm.java.lang, gateway.jvm.org.codehaus.janino, gateway.jvm.java.io.File
    compiler = janino.CompilerFactory().newCompiler()
    compiler.setIClassLoader(janino.ClassLoaderIClassLoader(java_lang.ClassLoader.getSystemClassLoader()))
    compiler.setDestinationDirectory(file(str(classes)), False)
    compiler.setTargetVersion(TARGET)
    compiler.setDebugLines(True)
    compiler.setDebugSource(True)
    found = sources()
    files = gateway.new_array(file, len(found))
    for index, source in enumerate(found):
        files[index] = file(str(source))
    compiler.compile(files)
    gateway.close()


def end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
    process.wait()


def packed(classes: Path, made: Path) -> Path:
    with zipfile.ZipFile(made, "w") as archive:
        for file in sorted(classes.rglob("*.class")):
            archive.writestr(zipfile.ZipInfo(str(file.relative_to(classes)), ALWAYS), file.read_bytes())
    os.utime(made, (WHEN_S, WHEN_S))
    return made
