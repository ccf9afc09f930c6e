"""One measurement, in this process: `python -m benchmarks.lifecycle.take PART KEY WORK RESULT`.

Called by: runner.
"""

import importlib
import json
import os
import sys
from pathlib import Path

KUBECONFIG = Path(__file__).parents[2] / "build" / "cluster" / "kubeconfig"
PARTS = {"jobs": "benchmarks.lifecycle.jobs", "turn": "benchmarks.lifecycle.turn"}


def main(part: str, key: str, work: str, result: str) -> None:
    os.environ["KUBECONFIG"] = str(KUBECONFIG)  # the client reads it when it is imported
    row = importlib.import_module(PARTS[part]).take(Path(work), *json.loads(key))
    Path(result).write_text(json.dumps(row), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
