"""A worker that has one core, that of its node: `python -m benchmarks.laar.bound ORDER.json`.

Why: a node of the local world has all cores of the machine; what is limited here is what the threads and children of a worker inherit.
Called by: the local world, in place of levee_spark.worker.
"""

import json
import os
import sys
from pathlib import Path

from levee_spark.worker.main import main


def bind(node: str) -> None:
    """Nodes are numbered: node-1, node-2."""
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[int(node.rpartition("-")[2]) % len(cores)]})


if __name__ == "__main__":
    bind(json.loads(Path(sys.argv[-1]).read_text(encoding="utf-8"))["node"])
    sys.exit(main(sys.argv[1:]))
