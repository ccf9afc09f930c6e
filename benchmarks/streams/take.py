"""One measurement, in this process: `python -m benchmarks.streams.take MODULE KEY WORK RESULT`.

Called by: runner.
"""

import importlib
import json
import os
import sys
from pathlib import Path


def main(module: str, key: str, work: str, result: str) -> None:
    row = importlib.import_module(module).take(Path(work), *json.loads(key))
    Path(result).write_text(json.dumps(row))
    sys.stdout.flush()
    os._exit(0)  # Spark's threads would take their time


if __name__ == "__main__":
    main(*sys.argv[1:])
