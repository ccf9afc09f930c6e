"""Measure one thing after another, each in a process of its own, and keep what was found as it comes: the streams bench's way.

Why: besides, what did not come to its end is kept with its reason, so that the page can say so, and is tried again by the next run; and who
is interrupted leaves nothing on the cluster.
Called by: __main__.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cluster.rows import Key, Row
from benchmarks.lifecycle.take import WHY
from benchmarks.streams.runner import Bench, end, read

TIMEOUT_S = 3600.0
CLEAN_WITHIN_S = 900.0  # to remove ten thousand pods


@dataclass(frozen=True, slots=True)
class LifecycleBench(Bench):
    logs: Path  # of measurements that failed

    def of(self, part: str, keys: Iterable[Key]) -> list[Row]:
        """What is known of those; of other settings nothing."""
        known = read(self.path(part))
        return [known[text] for key in keys if (text := json.dumps(key)) in known]

    def unfinished(self, part: str, keys: Iterable[Key]) -> list[Row]:
        """Those that were tried in vain, and why the last time."""
        known, failed = read(self.path(part)), read(self.path(f"{part}-unfinished"))
        return [failed[text] for key in keys if (text := json.dumps(key)) in failed and text not in known]

    def forget(self, part: str) -> None:
        for name in (part, f"{part}-unfinished"):
            self.path(name).unlink(missing_ok=True)

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.jsonl"

    def take(self, part: str, key: str) -> Row | None:
        work = self.work / "now"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        result = work / "row.json"
        words = [sys.executable, "-m", "benchmarks.lifecycle.take", part, key, str(work), str(result)]
        process = subprocess.Popen(words, stdout=sys.stderr, start_new_session=True)
        late = False
        try:
            process.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            late = True
        finally:
            cleaned(process)
        if process.returncode == 0 and not late:
            row: Row = json.loads(result.read_text(encoding="utf-8"))
            return row
        self.note(part, key, f"not within {TIMEOUT_S:.0f} s" if late else reason(result.with_suffix(WHY), process.returncode))
        shutil.copytree(work, self.logs / f"{part}-{process.pid}")
        return None

    def note(self, part: str, key: str, why: str) -> None:
        print(f"{part} {key}: {why}", file=sys.stderr, flush=True)
        with self.path(f"{part}-unfinished").open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, {"part": part, "key": json.loads(key), "why": why}]) + "\n")


def reason(told: Path, code: int) -> str:
    return told.read_text(encoding="utf-8") if told.exists() else f"it ended with {code}"


def cleaned(process: "subprocess.Popen[bytes]") -> None:
    """It is asked to remove what it has made, before it is killed; a second Ctrl-C does not wait for that."""
    if process.poll() is None:
        print("removing what this measurement has made on the cluster; Ctrl-C again leaves it there", file=sys.stderr, flush=True)
        process.terminate()
        with suppress(subprocess.TimeoutExpired, KeyboardInterrupt):
            process.wait(CLEAN_WITHIN_S)
    end(process)
