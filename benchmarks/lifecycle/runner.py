"""Measure one thing after another, each in a process of its own, and keep what was found as it comes: the streams bench's way.

Called by: __main__.
"""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.lifecycle.rows import Row
from benchmarks.streams.runner import Bench, end

TIMEOUT_S = 5400.0


@dataclass(frozen=True, slots=True)
class LifecycleBench(Bench):
    logs: Path  # of measurements that failed

    def take(self, part: str, key: str) -> Row | None:
        work = self.work / "now"
        subprocess.run(["rm", "-rf", str(work)], check=True)
        work.mkdir(parents=True)
        words = [sys.executable, "-m", "benchmarks.lifecycle.take", part, key, str(work), str(work / "row.json")]
        process = subprocess.Popen(words, stdout=sys.stderr, start_new_session=True)
        try:
            process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            print(f"{part} {key}: not within {TIMEOUT_S:.0f} s", file=sys.stderr)
        finally:
            end(process)
        if process.returncode != 0:
            self.logs.mkdir(parents=True, exist_ok=True)
            subprocess.run(["cp", "-r", str(work), str(self.logs / f"{part}-{process.pid}")], check=True)
            return None
        row: Row = json.loads((work / "row.json").read_text(encoding="utf-8"))
        return row
