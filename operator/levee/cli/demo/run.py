"""The demo, from the first check to the report.

Called by: cli.commands.demo.
"""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import yaml

from levee.cli.demo.check import complaints
from levee.cli.demo.findings import Compared, Gap, compare, delivered, gaps, timeline
from levee.cli.demo.page import write_page
from levee.cli.demo.plan import CORES_WIDE, GOLDEN_NODE, GOLDEN_PERIOD, OUTPUT, Place, faults, write
from levee.cli.local.start import Ask, listening, setup_of
from levee.cli.shared.ending import Exit, Refused
from levee.control.seen import Observation, Status
from levee.worlds.local.opening import running
from levee.worlds.local.run import LocalRun
from levee.worlds.local.script import Inflicted

EXAMPLE = Path(__file__).parents[4] / "examples" / "bargain-discovery.yaml"
HEADING = "levee demo: it cannot run here."
LEAST_SHOWN_MS = 5_000
MARK = ".levee-demo"  # only a folder that has it is emptied

Say = Callable[[str], None]


def say(text: str) -> None:
    print(text, flush=True)


def run_demo(directory: str, epochs: int, period: str) -> Exit:
    place = Place(Path(directory).absolute())
    if wrong := complaints(place.path):
        raise Refused(HEADING, wrong)
    empty(place)
    example = yaml.safe_load(EXAMPLE.read_text())
    say("Levee demo: Bargain Discovery (trades and quotes of a stock market; where a quote asks less than trades have shown, a bargain).")
    narrow = (os.cpu_count() or 1) < CORES_WIDE
    if narrow:
        say(f"Scaled down for this machine: one task of each operator instead of two (fewer than {CORES_WIDE} cores).")
    say(f"\n1. Undisturbed, one replica of each task, {epochs} epochs as fast as they come: what the output has to be.")
    golden = write(example, place, "undisturbed", GOLDEN_PERIOD, epochs, narrow=narrow)
    take(place, "undisturbed", Ask(str(golden), GOLDEN_NODE, anyway=True), epochs)
    say(f"\n2. The same input on three nodes, replicated as planned, an epoch every {period}; then the failures:")
    ask = Ask(str(write(example, place, "disturbed", period, epochs, narrow=narrow)), anyway=True, faults=faults(epochs))
    run, inflicted = take(place, "disturbed", ask, epochs)
    say("\n3. The two outputs, row by row:\n")
    compared = compare(delivered(place.rows("undisturbed")), delivered(place.rows("disturbed")), epochs)
    times = timeline(run.world.book.driver, run.world.book.wiring, OUTPUT, epochs)
    found = gaps(times, inflicted)
    say(report(compared, found, times.period_ms))
    write_page(place.page, compared, found, times, inflicted)
    say(f"\nThe same with plots: {place.page.as_uri()}")
    good = compared.identical and len(found) == len(faults(epochs)) and compared.rows > 0
    return Exit.OK if good else Exit.REFUSED


def empty(place: Place) -> None:
    if place.path.exists() and any(place.path.iterdir()) and not (place.path / MARK).exists():
        raise Refused(f"levee demo: {place.path} holds something that is not a demo's. Name another --directory.")
    shutil.rmtree(place.path, ignore_errors=True)
    place.path.mkdir(parents=True)
    (place.path / MARK).touch()


def take(place: Place, name: str, ask: Ask, epochs: int) -> tuple[LocalRun, tuple[Inflicted, ...]]:
    """Run until the sink has delivered the last epoch; say what happens."""
    ask = Ask(ask.file, ask.nodes, str(place.files(name)), anyway=True, faults=ask.faults)
    shown_ms, shown, inflicted = 0, "", tuple[Inflicted, ...]()
    with running(setup_of(ask)) as run, listening(run):
        for turn in run.turns():
            for told in turn.news:
                say(f"   {told.subject}: {told.text}")
            if turn.now - shown_ms >= LEAST_SHOWN_MS and progress(turn.seen) != shown:
                shown_ms, shown = turn.now, progress(turn.seen)
                say(f"   {shown}")
            inflicted = turn.inflicted
            if done(turn.seen, run, epochs):
                break
        if run.interrupted:
            sys.exit(Exit.INTERRUPTED)
    return run, inflicted


def progress(seen: Observation) -> str:
    states = seen.states().values()
    if not seen.anchored:
        starting = sum(1 for one in states if one.status is Status.STARTING)
        return f"starting Spark ({starting} replicas are not ready yet)" if starting or not states else "starting Spark"
    working = sum(1 for one in states if one.status in {Status.RUNNING, Status.IDLE})
    return f"epoch {max((one.epoch for one in states), default=0)}, {working} replicas are up"


def done(seen: Observation, run: LocalRun, epochs: int) -> bool:
    sinks = [task for task, wired in run.world.book.wiring.tasks.items() if wired.sink]
    reached = {task: max((one.epoch for one in seen.states().values() if one.task == task), default=0) for task in sinks}
    return all(epoch >= epochs for epoch in reached.values())


def report(compared: Compared, found: list[Gap], period_ms: int) -> str:
    verdict = "identical to the undisturbed run" if compared.identical else "NOT what the undisturbed run delivered"
    lines = [
        f"   output      {verdict}: {compared.rows} rows in {compared.epochs} epochs",
        f"   lost        {compared.lost}",
        f"   duplicates  {compared.doubled}",
    ]
    for one in found:
        lines += [
            f"   killed      {one.what}",
            f"     longest gap in the output  {one.longest_ms} ms ({one.longest_ms / period_ms:.1f} epochs of {period_ms} ms)",
            f"     epochs that came later than ever before  {one.epochs_late}",
        ]
    return "\n".join(lines)
