"""Memory and CPU of a worker with one and with twelve replicas, an epoch a second each.

Called by: __main__ (keys), take.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.streams.processes import cpu_s, members, pss_mib
from benchmarks.streams.rows import Key, Row
from benchmarks.streams.scrape import state_of
from benchmarks.streams.settings import FUNCTIONS, Mode
from benchmarks.streams.stage import OPERATOR, Stage

ROWS, PERIOD_MS = 100, 1000
WARM_EPOCHS = 100  # Spark ends Python processes that it needed at the start only after a minute
WITHIN_S = 400


def keys(mode: Mode) -> Iterator[Key]:
    """Once each: bytes do not vary as milliseconds do."""
    for function in FUNCTIONS:
        for width in mode.densities:
            yield function, width, mode.watched_s, 0


def take(work: Path, function: str, width: int, watched_s: float, repetition: int) -> Row:
    stage = Stage(work, function, ROWS, PERIOD_MS, width)
    stage.open()
    worker = start(stage, work)
    try:
        return {"function": function, "width": width, "repetition": repetition, **watch(stage, worker, work, watched_s)}
    finally:
        worker.kill()


def start(stage: Stage, work: Path) -> "subprocess.Popen[bytes]":
    folder = work / "worker"
    folder.mkdir(parents=True)
    order = {
        "resource": str(stage.resource_file),
        "uid": stage.uid,
        "worker": "bench",
        "node": "node",
        "directory": str(folder),
        "replicas": [f"{OPERATOR}/{index}/0" for index in range(stage.width)],
    }
    (work / "order.json").write_text(json.dumps(order))
    with (work / "worker.log").open("wb") as log:
        command = [sys.executable, "-m", "levee_spark.worker", str(work / "order.json")]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=os.environ)


def watch(stage: Stage, worker: "subprocess.Popen[bytes]", work: Path, watched_s: float) -> Row:
    """Epochs are put a second apart; counted from when all replicas have come to the last of the warm ones."""
    epoch = first = 0
    began_s, cpu_before, from_s = time.monotonic(), 0.0, None
    while from_s is None or time.monotonic() - from_s < watched_s:
        assert worker.poll() is None and time.monotonic() - began_s < WITHIN_S, (work / "worker.log").read_text()[-2000:]
        epoch += 1
        stage.put(epoch)
        time.sleep(max(0.0, began_s + epoch * PERIOD_MS / 1000 - time.monotonic()))
        if from_s is None and epoch >= WARM_EPOCHS and slowest(work) >= epoch - 2:
            from_s, cpu_before, first = time.monotonic(), cpu_s(worker.pid), epoch
    lasted_s = time.monotonic() - from_s
    epochs = epoch - first
    cpu = cpu_s(worker.pid) - cpu_before
    return {
        "pss_mib": pss_mib(members(worker.pid)),
        "cpu_share": cpu / lasted_s / stage.width,
        "cpu_ms": 1000 * cpu / epochs / stage.width,
        "behind": epoch - slowest(work),
    }


def slowest(work: Path) -> int:
    state = state_of(work / "worker")
    return min((one["epoch"] for one in state["replicas"]), default=0) if state else 0
