"""`levee simulate`: its flags.

Called by: cli.main, when the command is called.
"""

import click

from levee.cli.shared.flags import OneOf, Parsed
from levee.plans import amounts
from levee.plans.asked import Asked
from levee.topology.graph import Target

FORMATS = ("table", "json", "yaml")
EPILOG = """\b
A trace: 60:calm,2m:peak plays declared configurations one after the other; a CSV file has the columns time_s and, for each
source, its rows per second: each line holds until the next.

\b
A fault: node-2@2m+16s is node-2, two minutes into the trace, for 16 s; without the last part for good. A node, zone, operator,
task, replica or source may fail; worst: of each task all replicas but the one that is active least.

\b
Exit codes: 0 it was simulated, whatever came of it (-o json: verdict); 1 the input is wrong or there is no plan;
2 wrong usage; 130 interrupted.
"""


@click.command(epilog=EPILOG, context_settings={"max_content_width": 110})
@click.option("-f", "--file", required=True, metavar="FILE", help="The topology to simulate; - for stdin.")
@click.option("--trace", metavar="TRACE", help="What its sources send; see below. Default: each configuration for its share of 5 minutes.")
@click.option("--fail", multiple=True, metavar="FAULT", help="What fails, when, and for how long; see below. May be repeated.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of all that varies: the same seed is the same run.")
@click.option("-o", "--format", "form", type=OneOf(FORMATS), default="table", show_default=True, help="table, json or yaml.")
@click.option("--plot", metavar="FILE", help="Draw it over time, as FILE.svg or FILE.png.")
@click.option("--strategy", metavar="NAME", help="As of levee plan; static shows what all replicas at all times would do.")
@click.option("--target", type=Parsed("target", amounts.target), help="As of levee plan.")
@click.option("--nodes", metavar="NODES", help="As of levee plan.")
@click.option("--time-limit", type=Parsed("duration", amounts.seconds), default="30s", show_default=True, help="Of the search for a plan.")
@click.option("--quiet", "-q", is_flag=True, help="No progress on stderr.")
@click.pass_context
def simulate(
    ctx: click.Context,
    file: str,
    trace: str | None,
    fail: tuple[str, ...],
    seed: int,
    form: str,
    plot: str | None,
    strategy: str | None,
    target: Target | None,
    nodes: str | None,
    time_limit: float,
    quiet: bool,
) -> None:
    """Play a trace of rates and faults to a planned topology, in virtual time, and show what would happen.

    \b
    levee simulate -f topology.yaml                                     the usual times
    levee simulate -f topology.yaml --trace 10m:calm,1h:peak,10m:calm   Black Friday
    levee simulate -f topology.yaml --trace friday.csv --plot friday.svg
    levee simulate -f topology.yaml --fail node-2@2m+16s --fail worst   and what fails meanwhile
    """
    from levee.cli.plan_run import Tools  # numpy must not delay `levee simulate -h`
    from levee.cli.simulate_run import Ask, run

    tools = ctx.obj if isinstance(ctx.obj, Tools) else Tools()
    asked = Asked(strategy, target, nodes=nodes)
    ctx.exit(run(Ask(file, asked, trace, fail, seed, form, plot, time_limit, quiet), tools))
