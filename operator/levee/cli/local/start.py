"""One `levee run`: plan, prepare, and take turns until it ends.

Why: what a run is of is worked out here, from the same plan that `levee plan` shows; how it goes is the local world's business.
Called by: cli.commands.run; `make demo` prepares its runs with `setup_of`, too.
"""

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TypeVar

from levee.cli.local import preflight
from levee.cli.local.paged import page_of
from levee.cli.local.runnable import HEADING, check_met, check_runnable, folder_of, read
from levee.cli.local.runs import default_folder
from levee.cli.local.shown import Lines, Live, Show
from levee.cli.local.streams import wired
from levee.control.making import wanted_of
from levee.planning.strategies import STRATEGIES
from levee.plans.asked import Asked
from levee.plans.clock import Clock
from levee.plans.ending import Exit, Refused
from levee.plans.planner import plan, prepare
from levee.plans.report import Report
from levee.plans.running import planned_of, promised_by, terms_of
from levee.topology.spec import Resource
from levee.topology.wanted import Packing
from levee.worlds.accounting import level_of
from levee.worlds.local.faults import Fault
from levee.worlds.local.folder import Folder
from levee.worlds.local.opening import WORKER, CannotRun, Setup, check_free, running
from levee.worlds.local.run import LocalRun, now_ms
from levee_spark.store.address import CannotOpen


@dataclass(frozen=True, slots=True)
class Ask:
    """The flags of `levee run`."""

    file: str
    nodes: str | None = None
    directory: str | None = None
    for_s: float | None = None
    workers_per_node: int | None = None
    anyway: bool = False
    plain: bool = False
    faults: tuple[Fault, ...] = ()
    command: Sequence[str] = WORKER
    page_port: int | None = None  # 0: any that is free; None: no page is served


def run_here(ask: Ask) -> Exit:
    setup = setup_of(ask)
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


def setup_of(ask: Ask) -> Setup:
    return planned_setup(ask)[0]


def planned_setup(ask: Ask) -> tuple[Setup, Report]:
    """Plan, verify and place; Refused where there is nothing to run."""
    data, loaded = read(ask.file)
    topology, resource = loaded.topology, loaded.resource
    assert topology is not None
    assert resource is not None
    check_runnable(resource, preflight.complaints(resource, preflight.places_of(folder_of(ask.file))))
    ready = as_run(lambda: prepare(topology, Asked(nodes=ask.nodes), STRATEGIES))
    clock = Clock()
    with clock.listening():
        found = plan(ready, clock)
    check_met(found, anyway=ask.anyway)
    names = tuple(node.name for node in ready.problem.nodes)
    terms, planned = terms_of(resource, ask.workers_per_node or per_node(resource)), planned_of(found)
    setup = Setup(
        topology=f"{topology.namespace}/{topology.name}",
        resource=data,
        store=resource.spec.store.uri,
        nodes=names,
        wire=lambda uid: wired(resource, uid),
        want=lambda wiring: wanted_of(topology, wiring, planned, names, terms),
        folder=Folder(Path(ask.directory).absolute() if ask.directory else default_folder(topology.name)),
        environment=environment(ask.file),
        command=ask.command,
        faults=ask.faults,
        level=lambda wiring: level_of(wiring, resource.spec, promised_by(found)),
    )
    return setup, found.report


T = TypeVar("T")


def as_run(do: Callable[[], T]) -> T:
    """What the planner refuses is told in the name of the command that was called."""
    try:
        return do()
    except Refused as wrong:
        raise Refused(wrong.heading.replace("levee plan:", "levee run:", 1), wrong.complaints, wrong.code) from None


def per_node(resource: Resource) -> int | None:
    """One worker a node, unless somebody has asked for more."""
    placement = resource.spec.placement
    return None if "packing" in placement.model_fields_set and placement.packing is Packing.REPLICA else 1


def environment(file: str) -> dict[str, str]:
    """Workers find the user's functions beside the topology, or else where the user is."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(preflight.places_of(folder_of(file)))}


__all__ = ["Ask", "environment", "listening", "planned_setup", "read", "run_here", "setup_of", "take_turns"]
