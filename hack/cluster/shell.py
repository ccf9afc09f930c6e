"""Run a command of the machine, and say what it said when it failed.

Why: `ip` and `openssl` are asked dozens of times, and their one line of complaint is what people need.
Called by: network, certificates, node.
"""

import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeAlias

from servers.trouble import ServerTrouble

Command: TypeAlias = Sequence[str | Path]


def run(command: Command) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ServerTrouble(f"`{' '.join(map(str, command))}` failed: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def run_all(commands: Iterable[Command]) -> None:
    for command in commands:
        run(command)


def attempt(command: Command) -> bool:
    """For what may be gone already."""
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
