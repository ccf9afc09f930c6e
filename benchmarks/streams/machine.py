"""What a run of this bench stood on: stated with every figure.

Called by: report.
"""

import subprocess
from importlib.metadata import version

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
