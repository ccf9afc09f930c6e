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
    """By everybody who does not give way, on average, for so long. Load averages remember the last minutes; this does not."""
    before = free_ticks()
    time.sleep(seconds)
    free_s = (free_ticks() - before) / os.sysconf("SC_CLK_TCK")
    return max(0.0, (os.cpu_count() or 1) - free_s / seconds)


def free_ticks() -> int:
    """Of all cores since boot: idle, waiting for disks, or lent to processes that are nice and give way to a measurement."""
    _user, nice, _system, idle, disks = Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:6]
    return int(nice) + int(idle) + int(disks)
