"""One measurement, in this process: `python -m benchmarks.lifecycle.take PART KEY WORK RESULT`.

Called by: runner.
"""

import importlib
import json
import sys
from pathlib import Path

PARTS = {"jobs": "benchmarks.lifecycle.jobs", "turn": "benchmarks.lifecycle.turn"}


def main(part: str, key: str, work: str, result: str) -> None:
    row = importlib.import_module(PARTS[part]).take(Path(work), *json.loads(key))
    Path(result).write_text(json.dumps(row), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
