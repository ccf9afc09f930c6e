"""The parent of one server: ends it, and removes its folder, when whoever asked for it is gone.

Why: a test run may be killed with SIGKILL, and no server or folder may outlive it. The end of our standard input says so,
whatever the cause; should we be killed ourselves, the kernel kills the server.
Called by: process, as a program of its own: `keeper.py FOLDER COMMAND...`. A line on standard input asks for a fresh start;
each start is answered by the process id on standard output.
"""

import ctypes
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

PR_SET_PDEATHSIG = 1


def main(folder: str, command: Sequence[str]) -> None:
    try:
        keep(folder, command)
    except OSError as error:
        sys.exit(str(error))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def keep(folder: str, command: Sequence[str]) -> None:
    server = begin(folder, command)
    for _ in sys.stdin:
        end(server)
        server = begin(folder, command)
    end(server)


def begin(folder: str, command: Sequence[str]) -> subprocess.Popen[bytes]:
    with (Path(folder) / "log").open("ab") as log:
        server = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            preexec_fn=die_with_parent,  # noqa: PLW1509 - we have one thread
        )
    print(server.pid, flush=True)
    return server


def die_with_parent() -> None:
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def end(server: subprocess.Popen[bytes]) -> None:
    server.kill()  # nothing of it is wanted any more, so there is nothing to shut down with care
    server.wait()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
