"""The process that is a node: its group is the node, and the node lives as long as it does.

Why: a node must be able to crash as a whole, so it is a process group, and a group needs a leader that outlives its workers. And when
`levee run` itself is killed, somebody must end what it has started: whoever runs holds a lock, and the kernel lets go of it with them.
Called by: `node`, as a program of its own, without Levee's modules: it is small, and it must not fail.
"""

import contextlib
import fcntl
import os
import signal
import sys
import time
from pathlib import Path

LOOK_S = 0.5
GRACE_S = 3.0


def main(lock: str) -> None:
    with Path(lock).open() as file:
        while is_held(file.fileno()):
            time.sleep(LOOK_S)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # meant for the others
    os.killpg(0, signal.SIGTERM)
    time.sleep(GRACE_S)
    os.killpg(0, signal.SIGKILL)


def is_held(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    with contextlib.suppress(OSError):
        fcntl.flock(file, fcntl.LOCK_UN)
    return False


if __name__ == "__main__":
    main(sys.argv[1])
