"""A class archive for Spark's JVM: made once for each Java and set of jars, then mapped by every JVM instead of loading classes anew.

Why: loading and verifying Spark's classes is most of what a starting worker does; several workers on one machine do it all at once.
Where there is none, or it does not fit (another Java, other jars), a JVM starts as it does without.
Called by: session (flags); worker.prepare, which makes it.
"""

import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from pyspark.sql import SparkSession

from levee_spark.spark import compiled, gateway, java
from levee_spark.spark.compiled import folder

DUMPS_WITHIN_S = 300.0
KEPT = 4  # archives of other environments on this machine, each as large as Spark's jars
QUIET = "-Xlog:cds*=off"  # where the archive does not fit, the JVM would say so in every worker's log


class NotMade(Exception):
    """This Java makes no archives; nothing is lost but time."""


def flags() -> list[str]:
    """For a JVM that may use the archive; none while there is none."""
    files = [base_of(java.find()), archive()]
    there = [str(file) for file in files if file is not None and file.exists()]
    return [f"-XX:SharedArchiveFile={os.pathsep.join(there)}", QUIET] if archive().exists() else []


def archive() -> Path:
    return folder() / f"{identity()}.jsa"


def identity() -> str:
    """Of the Java and the jars, wherever they are: the JVM checks them, too, but only by refusing."""
    files = [library(java.find()), *gateway.jars()]
    seen = [(file.name, (stat := file.stat()).st_size, int(stat.st_mtime)) for file in files]
    return blake2b(repr((seen, compiled.identity())).encode(), digest_size=8).hexdigest()


def library(program: Path) -> Path:
    return program.resolve().parent.parent / "lib" / "server" / "libjvm.so"


def base_of(program: Path) -> Path | None:
    """The archive of Java's own classes, which ours stands on: most bring it along (None), small runtimes do not."""
    return None if library(program).with_name("classes.jsa").exists() else folder() / f"{identity()}-base.jsa"


def make(wanted: Sequence[str], settings: Mapping[str, str], train: Callable[[SparkSession], None], log: Path) -> Path:
    """Start a JVM, let it do what workers do, and keep what it has loaded; `wanted`: the flags of the workers' JVMs."""
    from levee_spark.spark.session import adopt  # noqa: PLC0415  (it asks for the flags of an archive)

    folder().mkdir(parents=True, exist_ok=True)
    base = made_base(java.find())
    partial = folder() / f"{os.getpid()}.partial"
    on = [f"-XX:SharedArchiveFile={base}"] if base else []
    jvm = gateway.start([*wanted, *on, f"-XX:ArchiveClassesAtExit={partial}"], settings, log)
    try:
        train(adopt(jvm, settings))
        assert jvm.process.stdin is not None
        jvm.process.stdin.close()  # it ends by itself, and writes the archive
        jvm.process.wait(DUMPS_WITHIN_S)
    except subprocess.TimeoutExpired:
        raise NotMade(f"{java.find()} has not written it within {DUMPS_WITHIN_S:.0f} s; workers start later without it") from None
    finally:
        jvm.process.kill()
    if not partial.exists():
        raise NotMade(f"{java.find()} has written no archive; see {log}")
    forget_old(folder())
    return partial.rename(archive())


def forget_old(folder: Path) -> None:
    """Of environments that are gone, most likely. Whoever has one mapped keeps it."""
    found = sorted(folder.glob("*.jsa"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in found[KEPT:]:
        file.unlink(missing_ok=True)


def made_base(program: Path) -> Path | None:
    base = base_of(program)
    if base is not None and not base.exists():
        partial = base.with_suffix(f".{os.getpid()}")
        words = [str(program), "-Xshare:dump", f"-XX:SharedArchiveFile={partial}"]
        subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        if not partial.exists():
            raise NotMade(f"{program} makes no archive of its own classes")
        partial.rename(base)
    return base
