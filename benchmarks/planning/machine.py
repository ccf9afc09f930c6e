"""What a bench ran on: stated with every figure.

Called by: report.
"""

import os
import platform
from importlib.metadata import version
from pathlib import Path

from benchmarks.planning.store import PACKAGES


def describe() -> str:
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return f"{os.cpu_count()} cores of {_cpu()}, {memory_gib:.0f} GiB; Python {platform.python_version()}, {packages}"


def _cpu() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
