"""What a run of this bench stood on: stated with every figure.

Called by: report, runner.
"""

import os
import subprocess
import time
from importlib.metadata import version
from pathlib import Path

from benchmarks.planning import machine
from levee_spark.spark import archive, java

PACKAGES = ("pyspark", "pyarrow", "obstore", "pandas")


def describe() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    classes = "a class archive" if archive.archive().exists() else "no class archive"
    return f"{machine.describe()}, {packages}; {java_version()}, {classes}"


def java_version() -> str:
    said = subprocess.run([java.find(), "-version"], capture_output=True, text=True, check=False)
    return next(iter((said.stderr + said.stdout).splitlines()), "no Java")


def cores_used(seconds: float) -> float:
    """By everybody, on average, for so long. Load averages remember the last minutes; this does not."""
    before = idle_ticks()
    time.sleep(seconds)
    idle_s = (idle_ticks() - before) / os.sysconf("SC_CLK_TCK")
    return max(0.0, (os.cpu_count() or 1) - idle_s / seconds)


def idle_ticks() -> int:
    """Of all cores since boot; waiting for disks counts as idle."""
    fields = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()
    return int(fields[4]) + int(fields[5])
