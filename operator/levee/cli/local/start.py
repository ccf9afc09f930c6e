"""One `levee run`: plan, prepare, and take turns until it ends.

Why: what a run is of is worked out in `ready`, how it goes is the local world's business; what its user sees of it is here.
Called by: cli.commands.run; `make demo` prepares its runs with `setup_of`, too.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from levee.cli.local.paged import page_of
from levee.cli.local.ready import Ask, environment, planned_setup, setup_of
from levee.cli.local.runnable import HEADING, read
from levee.cli.local.shown import Lines, Live, Show
from levee.cli.shared import java
from levee.plans.ending import Exit, Refused
from levee.worlds.local.opening import CannotRun, check_free, running
from levee.worlds.local.run import LocalRun, now_ms
from levee_spark.store.address import CannotOpen


def run_here(ask: Ask) -> Exit:
    setup = setup_of(ask)
    if absent := list(java.missing()):
        raise Refused(HEADING, absent)
    show: Show = Lines(sys.stdout) if ask.plain or not sys.stdout.isatty() else Live()
    try:
        check_free(setup)
        with page_of(setup.resource, ask.page_port) as page, running(setup) as run, listening(run), page.following(run), show:
            show.begin(run)
            return take_turns(run, show, ask.for_s)
    except CannotRun as wrong:
        raise Refused(HEADING, wrong.complaints) from None
    except CannotOpen as wrong:
        raise Refused(HEADING, [wrong.complaint]) from None


def take_turns(run: LocalRun, show: Show, for_s: float | None) -> Exit:
    started_ms, began_ms = now_ms(), None
    for turn in run.turns():
        show.turn(turn)
        if began_ms is None and turn.seen.anchored:
            began_ms = turn.now
        since_ms = began_ms or (started_ms if run.readiness.failing else None)  # what has failed is not waited for
        if for_s is not None and since_ms is not None and turn.now - since_ms >= 1_000 * for_s:
            run.why = f"ended after {for_s:g} s, as --for said"
            return Exit.REFUSED if turn.failing else Exit.OK
    if run.interrupted:
        return Exit.INTERRUPTED
    return Exit.REFUSED if run.failed else Exit.OK


WAYS = {signal.SIGINT: "Ctrl-C", signal.SIGTERM: "SIGTERM", signal.SIGHUP: "the end of its terminal"}
ENDING = b"\nlevee: ending what was started; once more ends it at once.\n"  # from a signal's handler, so at once and whole


@contextmanager
def listening(run: LocalRun) -> Iterator[None]:
    """The first Ctrl-C (or the end of the terminal) ends the run cleanly; a second one ends it at once, and the keepers clean up."""

    def interrupt(number: int, _frame: FrameType | None) -> None:
        run.interrupted, run.why = True, f"ended by {WAYS[signal.Signals(number)]}"
        with suppress(OSError):  # the terminal may be what has gone
            os.write(sys.stderr.fileno(), ENDING)
        signal.signal(number, signal.SIG_DFL)

    before = {number: signal.signal(number, interrupt) for number in WAYS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


__all__ = ["Ask", "environment", "listening", "planned_setup", "read", "run_here", "setup_of", "take_turns"]
