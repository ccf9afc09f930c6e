"""The output of an undisturbed run: the same topology on this machine, faster, once for all that is compared with it.

Called by: __main__, which has it made; replicas, plain.
"""

import json
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from benchmarks.chaos.settings import OPTIONS
from benchmarks.cluster.trades import NAME, trades
from benchmarks.cluster.waiting import Unfinished, await_true, say

FAST_MS, RUN_WITHIN_S = 100, 1800.0
COLUMNS, DIGITS = ("key", "symbol", "total_cents", "total_volume"), 12
NUMBERED = re.compile(r"-(\d+)\.")  # part-00000-000000000012.snappy.parquet


@dataclass
class Golden:
    folder: Path  # of its files
    known: dict[int, list[str]] = field(default_factory=dict)

    @cached_property
    def files(self) -> dict[int, Path]:
        return files(self.folder)

    @property
    def epochs(self) -> int:
        return max(self.files, default=0)

    def rows(self, epoch: int) -> list[str]:
        if epoch not in self.known:
            self.known[epoch] = rows(self.files[epoch]) if epoch in self.files else []
        return self.known[epoch]


def files(folder: Path) -> dict[int, Path]:
    """By epoch."""
    found = ((NUMBERED.search(path.name), path) for path in folder.glob("*.parquet")) if folder.is_dir() else ()
    return {int(match[1]): path for match, path in found if match}


def rows(file: Path) -> list[str]:
    """In the order of their keys, as texts."""
    found = pq.ParquetFile(file).read(list(COLUMNS)).to_pylist()
    return sorted(" ".join([f"{row['key']:0{DIGITS}}", *(f"{row[name]}" for name in COLUMNS[1:])]) for row in found)


def place(data: Path, epochs: int) -> Path:
    return data / f"golden-{epochs}" / "out"


def make(data: Path, epochs: int) -> None:
    """Kept: it follows from the source's seed."""
    whole = place(data, epochs).parent
    if not (whole / "whole").exists():
        say(f"an undisturbed run of {epochs} epochs on this machine, to compare with")
        shutil.rmtree(whole, ignore_errors=True)
        run(whole, epochs)
        (whole / "whole").touch()


def run(whole: Path, epochs: int) -> None:
    whole.mkdir(parents=True)
    (whole / "topology.json").write_text(json.dumps(topology(whole.absolute(), epochs)), encoding="utf-8")
    words = ["run", "-f", str(whole / "topology.json"), "--nodes", "1", "--anyway", "--plain", "--directory", str(whole / "run")]
    with subprocess.Popen([str(Path(sys.executable).parent / "levee"), *words], stdout=subprocess.DEVNULL) as process:
        try:
            await_true(lambda: is_over(process, whole, epochs), RUN_WITHIN_S, "the undisturbed run has come to its end")
        finally:
            process.send_signal(signal.SIGINT)
    if max(files(whole / "out"), default=0) < epochs:
        raise Unfinished(f"the undisturbed run has ended with {process.returncode}")


def is_over(process: "subprocess.Popen[bytes]", whole: Path, epochs: int) -> bool:
    """On a busy machine its source is far ahead of it, and what follows its last row is empty."""
    return process.poll() is not None or max(files(whole / "out"), default=0) >= epochs


def topology(whole: Path, epochs: int) -> dict[str, Any]:
    """The same rows in each epoch, and epochs sooner."""
    told = trades("none", "bench", "file:///", [NAME] * 3, OPTIONS | {"epochs": f"{epochs}"})
    told["spec"]["sinks"][0]["spark"]["options"]["path"] = str(whole / "out")
    told["spec"] |= {"store": {"uri": (whole / "store").as_uri()}, "epoch": {"period": f"{FAST_MS}ms"}, "placement": {}}
    return told
