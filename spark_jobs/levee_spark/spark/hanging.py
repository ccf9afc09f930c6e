"""A limit for what Spark's Python processes run: one that has not returned by then is ended, and leaves behind where it was.

Why: only the process itself can tell where it hangs, and it may be on another machine than its lane. An alarm costs a task two calls to the
system; when it goes off, faulthandler writes from within whatever runs, also C, to the file that Spark reads, and tells on, when one of its
processes is gone.
Called by: daemon, before it forks any; `lane.query` names the limit.
"""

import faulthandler
import os
import signal
from functools import cache
from pathlib import Path

from pyspark import TaskContext

LIMIT_S = "levee.limitS"  # a local property of the lane's tasks
FOLDER = "PYTHON_FAULTHANDLER_DIR"  # Spark's word for where it reads; a file for each process


def limit_tasks() -> None:
    """A worker takes on the context of its task before it touches anything of the user's, and puts it down at the end."""
    taken = TaskContext._setTaskContext.__func__  # type: ignore[attr-defined]  # noqa: SLF001

    def limited(kind: type[TaskContext], context: TaskContext | None) -> None:
        taken(kind, context)
        signal.setitimer(signal.ITIMER_REAL, limit_s(context))

    TaskContext._setTaskContext = classmethod(limited)  # type: ignore[method-assign,assignment]  # noqa: SLF001


def limit_s(context: TaskContext | None) -> float:
    """0: none."""
    told = context.getLocalProperty(LIMIT_S) if context is not None else None
    return float(told) if told and is_ready() else 0.0


@cache
def is_ready() -> bool:
    """Once in each process."""
    folder = os.environ.get(FOLDER)
    if folder is None:
        return False
    file = Path(folder, str(os.getpid())).open("a")  # noqa: SIM115  (as long as the process lives)
    faulthandler.register(signal.SIGALRM, file=file, chain=True)  # then the signal does what it always does: it ends the process
    return True
