"""One run of `levee simulate`: plan as `levee plan` does, play the trace, write.

Called by: cli.commands.simulate.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from levee.cli.plan_run import Tools, watched
from levee.cli.render.output import PICTURES, Output
from levee.cli.shared.files import topologies
from levee.cli.shared.output_file import remedy, write_whole
from levee.plans.asked import Asked
from levee.plans.clock import Clock
from levee.plans.ending import Exit, Refused
from levee.plans.faults import faults_of
from levee.plans.planner import Planned, prepare
from levee.plans.simulating import cast, simulate
from levee.plans.simulation import Simulation
from levee.plans.traces import trace_of
from levee.topology.complaint import Complaint
from levee.topology.graph import Topology
from levee.worlds.simulated.play import NeverBegun

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ask:
    """The flags."""

    file: str
    asked: Asked
    trace: str | None
    fail: tuple[str, ...]
    seed: int
    form: str
    plot: str | None
    limit_s: float
    quiet: bool


def run(ask: Ask, tools: Tools) -> Exit:
    check_plot(ask.plot)
    topology = only(topologies((ask.file,)))
    trace = trace_of(ask.trace, topology.configurations)
    one = cast(planned(topology, ask, tools))
    faults = faults_of(ask.fail, one.wanted, trace.seconds)
    try:
        found = simulate(one, trace, faults, ask.fail, ask.seed)
    except NeverBegun as waiting:
        complaint = Complaint("--file", f"it does not begin: {waiting} cannot work", "see levee plan, and give it more nodes")
        raise Refused("levee simulate: nothing to play to.", [complaint]) from None
    if ask.plot is not None:
        write_plot(ask.plot, found)
    Output(ask.form, None).write(rendered(found, ask.form))
    return Exit.OK


def only(found: tuple[Topology, ...]) -> Topology:
    if len(found) != 1:
        complaint = Complaint("--file", f"holds {len(found)} topologies, and one is simulated", "simulate them one by one")
        raise Refused("levee simulate: too much at once.", [complaint], Exit.USAGE)
    return found[0]


def planned(topology: Topology, ask: Ask, tools: Tools) -> Planned:
    """The best there is, whether it reaches its target or not: what that leads to is what somebody wants to see."""
    ready = in_our_name(lambda: prepare(topology, ask.asked, tools.strategies))
    clock = Clock(tools.now, ask.limit_s)
    with clock.listening():
        found = watched(ready, clock, False, ask.quiet)
    assert isinstance(found, Planned)
    if not found.report.configurations:
        code = Exit.INTERRUPTED if clock.interrupted else Exit.REFUSED
        raise Refused("\n".join(("levee simulate: there is no plan to play a trace to.", *found.report.verdict.reasons)), code=code)
    return found


def in_our_name(do: Callable[[], T]) -> T:
    """What the planner refuses."""
    try:
        return do()
    except Refused as wrong:
        raise Refused(wrong.heading.replace("levee plan:", "levee simulate:", 1), wrong.complaints, wrong.code) from None


def rendered(found: Simulation, form: str) -> str:
    from levee.cli.shared.document import as_json, as_yaml, document

    match form:
        case "json":
            return as_json(document("Simulation", found))
        case "yaml":
            return as_yaml(document("Simulation", found))
        case _:
            return table(found)


def table(found: Simulation) -> str:
    from levee.cli.render import table_simulation
    from levee.cli.shared import page

    terminal = Output("table", None).to_terminal
    console = page.sheet(terminal, page.reader_width(terminal, os.environ.get("COLUMNS")))
    table_simulation.show(console, found)
    return page.printed(console)


# ---- the plot


def kind_of(plot: str) -> str:
    return Path(plot).suffix.lower().removeprefix(".")


def check_plot(plot: str | None) -> None:
    """Before anything takes time."""
    if plot is None:
        return
    if kind_of(plot) not in PICTURES:
        raise unplotted(plot, "its name says no kind of picture", "name it .svg or .png")
    if not Path(plot).parent.is_dir():
        raise unplotted(plot, "there is no such folder", "name a file in a folder that exists")


def write_plot(plot: str, found: Simulation) -> None:
    from levee.cli.render import draw_simulation

    try:
        write_whole(Path(plot), draw_simulation.draw(found, kind_of(plot)))
    except OSError as problem:
        raise unplotted(plot, problem.strerror or str(problem), remedy(problem)) from None


def unplotted(plot: str, reason: str, fix: str) -> Refused:
    return Refused("levee simulate: nowhere to draw.", [Complaint("--plot", f"cannot write '{plot}': {reason}", fix)], Exit.USAGE)
