"""End everything that a run has started, and what a crashed one has left behind.

Called by: `run`, at its end and before its beginning.
"""

import shutil
import signal
import time
from collections.abc import Iterable
from pathlib import Path

from levee.worlds.local import processes
from levee.worlds.local.node import LocalNode
from levee.worlds.local.processes import Process
from levee.worlds.local.table import RunTable
from levee.worlds.local.worker import LocalWorker
from levee_spark.spark import scratch

GRACE_S = 8.0
LOOK_S = 0.05


def end_all(workers: Iterable[LocalWorker], nodes: Iterable[LocalNode]) -> None:
    """Ask the workers to end, wait for a moment, then insist; the nodes last."""
    living = [worker for worker in workers if worker.popen is not None and worker.popen.poll() is None]
    relatives = {one for worker in living if worker.process for one in processes.family(worker.process)}
    for worker in living:
        if worker.process is not None:
            processes.send(worker.process, signal.SIGTERM)
            processes.send_family(worker.process, signal.SIGCONT)  # who is paused hears nothing
    until_s = time.monotonic() + GRACE_S
    while time.monotonic() < until_s and any(worker.popen is not None and worker.popen.poll() is None for worker in living):
        time.sleep(LOOK_S)
    kill_all(relatives, [node.process for node in nodes])
    for popen in [*(worker.popen for worker in living), *(node.popen for node in nodes)]:
        if popen is not None:
            popen.wait()


def end_leftovers(table: RunTable) -> int:
    """How many processes a crashed run has left; they are ended, and the streams lose nothing by it."""
    workers = [entry.process for entry in table.workers if entry.process]
    relatives = {one for worker in workers for one in processes.family(worker)}
    keepers = [entry.process for entry in table.nodes if entry.process]
    kill_all(relatives, keepers)
    until_s = time.monotonic() + GRACE_S
    while time.monotonic() < until_s and any(processes.lives(one) for one in (*relatives, *keepers)):
        time.sleep(LOOK_S)
    return len(relatives) + len(keepers)


def clear_scratch(directories: Iterable[Path]) -> None:
    """What incarnations that were killed could not remove themselves: temporary files, and whatever lies in memory."""
    for directory in directories:
        shutil.rmtree(scratch.folder_of(directory), ignore_errors=True)
    scratch.sweep()


def kill_all(relatives: Iterable[Process], keepers: Iterable[Process]) -> None:
    for keeper in keepers:
        processes.send(keeper, signal.SIGKILL, to_group=True)
    for one in relatives:
        processes.send(one, signal.SIGKILL)
