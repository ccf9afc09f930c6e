"""The demo, from the first check to the report.

Called by: cli.commands.demo.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import yaml

from levee.cli.demo.check import complaints
from levee.cli.demo.findings import compare, delivered
from levee.cli.demo.page import write_page
from levee.cli.demo.plan import CORES_WIDE, GOLDEN_NODE, GOLDEN_PERIOD, OUTPUT, Place, faults, write
from levee.cli.demo.recovery import Struck, recoveries, timeline
from levee.cli.demo.telling import promise, report
from levee.cli.local.start import Ask, listening, planned_setup, setup_of
from levee.control import ranks
from levee.control.seen import Observation, Status
from levee.plans.ending import Exit, Refused
from levee.worlds.local.opening import Setup, running
from levee.worlds.local.run import LocalRun

EXAMPLE = Path(__file__).parents[4] / "examples" / "bargain-discovery.yaml"
PREPARE = (sys.executable, "-m", "levee_spark.worker.prepare")
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
    make_ready(place)
    example = yaml.safe_load(EXAMPLE.read_text())
    say("Levee demo: Bargain Discovery (trades and quotes of a stock market; where a quote asks less than trades have shown, a bargain).")
    narrow = (os.cpu_count() or 1) < CORES_WIDE
    if narrow:
        say(f"Scaled down for this machine: one task of each operator instead of two (fewer than {CORES_WIDE} cores).")
    say(f"\n1. Undisturbed, one replica of each task, {epochs} epochs as fast as they come: what the output has to be.")
    golden = write(example, place, "undisturbed", GOLDEN_PERIOD, epochs, narrow=narrow)
    take(setup_of(asked(place, "undisturbed", str(golden), GOLDEN_NODE)), epochs)
    say(f"\n2. The same input on three nodes, replicated as planned, an epoch every {period}; then the failures:")
    setup, plan = planned_setup(asked(place, "disturbed", str(write(example, place, "disturbed", period, epochs, narrow=narrow))))
    promised = promise(wanted := setup.want(setup.wire("plan")), plan.guarantee.completeness if plan.guarantee else None)
    say("\n".join(f"   {one}" for one in promised))
    run, struck = take(replace(setup, faults=faults(wanted, epochs)), epochs)
    say("\n3. The two outputs, row by row:\n")
    compared = compare(delivered(place.rows("undisturbed")), delivered(place.rows("disturbed")), epochs)
    times = timeline(run.world.book.driver, run.world.book.wiring, OUTPUT, epochs)
    found = recoveries(times, struck)
    say(report(compared, promised, found, times.period_ms))
    write_page(place.page, compared, promised, found, times, struck)
    say(f"\nThe same with plots: {place.page.as_uri()}")
    good = compared.identical and len(found) == len(faults(wanted, epochs)) and compared.rows > 0
    return Exit.OK if good else Exit.REFUSED


def asked(place: Place, name: str, file: str, nodes: str | None = None) -> Ask:
    return Ask(file, nodes, str(place.files(name)), anyway=True)


def make_ready(place: Place) -> None:
    """Once for each machine; without it all works, only later."""
    say("0. What Java and Spark load at their start is kept in an archive (once for each machine, half a minute):")
    made = subprocess.run(PREPARE, cwd=place.path, capture_output=True, text=True, check=False)  # noqa: S603
    say(f"   {(made.stdout.strip() or made.stderr.strip() or 'not made').splitlines()[-1]}\n")


def empty(place: Place) -> None:
    if place.path.exists() and any(place.path.iterdir()) and not (place.path / MARK).exists():
        raise Refused(f"levee demo: {place.path} holds something that is not a demo's. Name another --directory.")
    shutil.rmtree(place.path, ignore_errors=True)
    place.path.mkdir(parents=True)
    (place.path / MARK).touch()


def take(setup: Setup, epochs: int) -> tuple[LocalRun, list[Struck]]:
    """Run until the sink has delivered the last epoch; say what happens."""
    shown_ms, shown, struck = 0, "", list[Struck]()
    with running(setup) as run, listening(run):
        for turn in run.turns():
            for told in turn.news:
                say(f"   {told.subject}: {told.text}")
            if turn.now - shown_ms >= LEAST_SHOWN_MS and progress(turn.seen) != shown:
                shown_ms, shown = turn.now, progress(turn.seen)
                say(f"   {shown}")
            struck += [Struck(one, frozenset(ranks.current(turn.seen))) for one in turn.inflicted[len(struck) :]]
            if done(turn.seen, run, epochs):
                break
        if run.interrupted:
            sys.exit(Exit.INTERRUPTED)
    return run, struck


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
