"""Run an installer's command and say what went wrong.

Why: the output of a compiler or a resolver is worth reading only when it failed, and then it is all there is.
Called by: golang, ivy.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from servers.trouble import ServerTrouble

LINES_SHOWN = 15


def run(command: Sequence[str | Path], *, extra: Mapping[str, str] | None = None) -> str:
    """Its standard output. Politely: an hour of tests on the same machine matters more than our build."""
    done = subprocess.run(["nice", "-n", "10", *command], env={**os.environ, **(extra or {})}, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ServerTrouble(f"`{' '.join(map(str, command))}` failed:\n{last_lines(done.stdout + done.stderr)}")
    return done.stdout


def last_lines(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.rstrip().splitlines()[-LINES_SHOWN:])
