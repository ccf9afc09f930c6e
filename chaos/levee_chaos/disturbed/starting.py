"""`levee run`, with workers that obey disturbances.

Why: `levee run` itself has no trace of it; here two parts are other ones: the program of its workers, and the store of its controller.
Called by: levee_chaos.__main__; tests, with workers of their own.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from levee.cli.local import start
from levee.worlds.local import opening, processes
from levee.worlds.local.opening import Setup
from levee.worlds.local.run import LocalRun
from levee_chaos.disturbed.parts import Parts
from levee_chaos.disturbed.place import Place

WORKER = (sys.executable, "-m", "levee_chaos.disturbed.worker")


def disturb(command: Sequence[str] = WORKER) -> None:
    """Whatever this process runs from now on."""
    running = opening.running

    @contextmanager
    def disturbed(setup: Setup) -> Iterator[LocalRun]:
        place = Place(setup.folder.path)
        vars(opening).update(open_store=Parts(place, "").open_store)
        with running(replace(setup, command=command)) as run:
            me = processes.identify(os.getpid())
            assert me is not None
            place.open(me)
            yield run

    vars(start).update(running=disturbed)
