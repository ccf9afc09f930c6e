"""One run of `levee plan`: read, plan every topology, write.

Why: the command itself should only be its flags; here is what needs numpy, and what tests replace (clock and strategies).
Called by: cli.commands.plan; cli.kube.plan, with a topology of a cluster.
"""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import click

from levee.cli.frontier.search import frontier as seek_frontier
from levee.cli.frontier.search import refuse
from levee.cli.render.forms import Shown, rendered
from levee.cli.render.output import Output
from levee.cli.shared.files import topologies
from levee.planning.case import Kind, Strategy
from levee.planning.strategies import STRATEGIES
from levee.plans.asked import Asked
from levee.plans.clock import Clock, Now, monotonic_s
from levee.plans.ending import Exit, Refused
from levee.plans.planner import Ready, plan, prepare
from levee.plans.progress import Reporter
from levee.plans.report import Frontier
from levee.topology.complaint import Complaint
from levee.topology.graph import Topology


@dataclass(frozen=True, slots=True)
class Tools:
    """What a run takes from outside."""

    now: Now = monotonic_s
    strategies: Mapping[str, Strategy] = field(default_factory=lambda: STRATEGIES)


def run(files: Sequence[str], asked: Asked, output: Output, *, frontier: bool, limit_s: float, quiet: bool, tools: Tools) -> int:
    output.check()
    return plan_all(topologies(files), asked, output, frontier=frontier, limit_s=limit_s, quiet=quiet, tools=tools)


def plan_all(
    found: Sequence[Topology],
    asked: Asked,
    output: Output,
    *,
    frontier: bool,
    limit_s: float,
    quiet: bool,
    tools: Tools,
    whence: str | None = None,
) -> int:
    """`whence`: where the nodes come from, if not from what the topology or the command line says."""
    if output.is_picture and len(found) > 1:
        wrong = f"there are {len(found)} topologies, and a picture shows one"
        raise Refused("levee plan: too much for a picture.", [Complaint("--format", wrong, "plan them one by one")], Exit.USAGE)
    ready = [prepare(topology, asked, tools.strategies) for topology in found]  # All mistakes before the first search.
    ready = [replace(one, nodes_from=whence) if whence else one for one in ready]
    for one in ready if frontier else ():
        refuse(one)
    clock = Clock(tools.now, limit_s)
    with clock.listening():
        shown = [watched(one, clock, frontier, quiet) for one in ready if not clock.interrupted]
    output.write(rendered(shown, output))
    return max(map(exit_code, shown))


def watched(ready: Ready, clock: Clock, frontier: bool, quiet: bool) -> Shown:
    """With its progress on stderr."""
    ready.wish.strategy.warm_up(lambda text: None if quiet else click.echo(f"{ready.topology.name}: {text}", err=True))
    clock.begin()
    clock.unit = ready.wish.objective or ("fidelity" if ready.wish.strategy.kind is Kind.FIDELITY else "cores")
    reporter = Reporter(sys.stderr, clock.elapsed_s, sys.stderr.isatty(), lambda: f"{ready.topology.name}{clock.doing}", lambda: clock.unit)
    if not quiet:
        clock.tell = reporter.tell
    try:
        return seek_frontier(ready, clock) if frontier else plan(ready, clock)
    finally:
        reporter.clear()


def exit_code(shown: Shown) -> Exit:
    if isinstance(shown, Frontier):
        return Exit.OK if shown.levels else Exit.INTERRUPTED if shown.interrupted else Exit.REFUSED
    if shown.report.price is None and shown.report.search.interrupted:
        return Exit.INTERRUPTED
    return Exit.OK if shown.report.verdict.met else Exit.REFUSED
