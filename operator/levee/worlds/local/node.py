"""A node of the local world: a process group, led by a keeper.

Why: everything in it can be killed at once, as when a machine loses its power.
Called by: the local world.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from levee.control.names import Instant
from levee.topology.names import NodeName
from levee.worlds.local import keeper, processes
from levee.worlds.local.processes import Process


@dataclass(slots=True)
class LocalNode:
    node: NodeName
    popen: subprocess.Popen[bytes]
    process: Process
    since: Instant
    alive: bool = True

    def observe(self, now: Instant) -> bool:
        if self.alive and self.popen.poll() is not None:
            self.alive, self.since = False, now
        return self.alive

    def start(self, command: Sequence[str], log: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """In the node's group; OSError where the node is gone."""
        with log.open("ab") as out:
            return subprocess.Popen(  # noqa: S603
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=dict(environment),
                process_group=self.process.pid,
            )

    def signal(self, number: signal.Signals) -> None:
        processes.send(self.process, number, to_group=True)


def start_node(node: NodeName, lock: Path, now: Instant) -> LocalNode:
    command = [sys.executable, "-I", "-S", keeper.__file__, str(lock)]
    popen = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, process_group=0)  # noqa: S603
    process = processes.identify(popen.pid)
    if process is None:
        raise OSError(f"{node} ended as soon as it was started ({os.fspath(keeper.__file__)})")
    return LocalNode(node, popen, process, now)
