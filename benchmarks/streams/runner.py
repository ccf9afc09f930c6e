"""Measure one thing after another, each in a process of its own, and keep what was found as it comes.

Why: PySpark knows one JVM a process, a warm JVM favours whoever comes second, and a crashed measurement must not take others with it.
An interrupted run goes on where it ended.
Called by: __main__.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.streams import machine
from benchmarks.streams.rows import Key, Row
from benchmarks.streams.settings import CORES_USED_MAX

TIMEOUT_S = 900
LOOK_S = 3.0
SAMPLE_S = 2.0


@dataclass(frozen=True, slots=True)
class Bench:
    folder: Path  # of the results
    work: Path  # for what measurements write; emptied after each
    patience_s: float
    package: str = field(default="benchmarks.streams", kw_only=True)  # where the module of each part is

    def measure(self, part: str, keys: Iterable[Key]) -> list[Row]:
        """All rows of a part that there are; what is known is not measured again, what fails is told and left out."""
        wanted = [json.dumps(key) for key in keys]
        path = self.folder / f"{part}.jsonl"
        known = read(path)
        todo = [key for key in wanted if key not in known]
        print(f"{part}: {len(wanted)} measurements, {len(wanted) - len(todo)} known", file=sys.stderr, flush=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        for key, row in self.take_all(part, todo):
            known[key] = row
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([key, row]) + "\n")
        return [known[key] for key in wanted if key in known]

    def known(self, part: str) -> list[Row]:
        return list(read(self.folder / f"{part}.jsonl").values())

    def take_all(self, part: str, todo: list[str]) -> Iterator[tuple[str, Row]]:
        for done, key in enumerate(todo, start=1):
            busy = self.settled()
            began_s = time.monotonic()
            row = self.take(part, key)
            took_s = time.monotonic() - began_s
            told = "failed, see above" if row is None else f"{took_s:.0f} s"
            print(f"{part} {done} of {len(todo)}: {key}: others use {busy:.2f} cores, {told}", file=sys.stderr, flush=True)
            if row is not None:
                yield key, {**row, "cores_used": busy, "busy": busy > CORES_USED_MAX, "took_s": took_s}

    def settled(self) -> float:
        """The cores that others use right before the measurement."""
        until = time.monotonic() + self.patience_s
        while (used := machine.cores_used(SAMPLE_S)) > CORES_USED_MAX and time.monotonic() < until:
            time.sleep(LOOK_S)
        return used

    def take(self, part: str, key: str) -> Row | None:
        subprocess.run(["rm", "-rf", str(self.work)], check=True)
        self.work.mkdir(parents=True)
        found = self.work / "row.json"
        words = [sys.executable, "-m", "benchmarks.streams.take", f"{self.package}.{part}", key, str(self.work), str(found)]
        process = subprocess.Popen(words, stdout=sys.stderr, start_new_session=True)
        try:
            process.wait(TIMEOUT_S)
            row: Row | None = json.loads(found.read_text()) if process.returncode == 0 else None
        except subprocess.TimeoutExpired:
            row = None
        finally:
            end(process)
            subprocess.run(["rm", "-rf", str(self.work)], check=False)
        return row


def end(process: "subprocess.Popen[bytes]") -> None:
    """And whatever it has left in its session's group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def read(path: Path) -> dict[str, Row]:
    """A line that was torn by an interruption is measured again."""
    rows: dict[str, Row] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            key, row = json.loads(line)
        except json.JSONDecodeError:
            continue
        rows[key] = row
    return rows
