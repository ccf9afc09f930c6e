"""How faults by signals are undone: who stands still goes on, and dead nodes come back.

Called by: signals and controller, which write it down; deeds; deadman, which paces those who are slowed.
"""

import contextlib
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from levee.topology.names import NodeName
from levee.worlds.local import processes, revivals
from levee.worlds.local.folder import Folder
from levee.worlds.local.processes import Process
from levee_chaos.journal import Undo

GO_ON, REVIVE = "go on", "revive"


def reviving(folder: Path, nodes: Sequence[NodeName]) -> Undo:
    return Undo("local", REVIVE, {"folder": str(folder), "nodes": list(nodes)})


def going_on(stopped: tuple[Process, ...]) -> Undo:
    """Of all that was stopped, and of what they have started since."""
    return Undo("local", GO_ON, {"processes": [[one.pid, one.started] for one in stopped]})


def go_on(how: Mapping[str, Any]) -> None:
    send(how, signal.SIGCONT)


def stop(what: Undo) -> None:
    """Whoever is slowed, until it is let go on."""
    send(what.how, signal.SIGSTOP)


def revive(how: Mapping[str, Any]) -> None:
    for node in how["nodes"]:
        revivals.ask(Folder(Path(how["folder"])), NodeName(node))


def send(how: Mapping[str, Any], number: signal.Signals) -> None:
    """To each of them, whoever of the others has gone, and to what it has started since."""
    for pid, started in how["processes"]:
        with contextlib.suppress(PermissionError):
            processes.send_family(Process(pid, started), number)
