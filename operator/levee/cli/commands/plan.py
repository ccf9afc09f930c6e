"""`levee plan`: its flags, and the order in which one run goes.

Why: the first command a user meets; everything it can be asked stands on this page.
Called by: cli.main, when the command is called.
"""

import click

from levee.cli.render.output import Output
from levee.cli.shared.flags import OneOf, Parsed
from levee.planning.case import Objective, Place
from levee.planning.strategies import STRATEGIES
from levee.plans import amounts
from levee.plans.asked import Asked
from levee.topology.graph import FailureModel, Target

FORMATS = ("table", "json", "yaml", "svg", "png")

STRATEGY_HELP = "\n".join(f"{strategy.name:20}{strategy.says}" for strategy in STRATEGIES.values())
EPILOG = f"""\b
Strategies:
{STRATEGY_HELP}

\b
Exit codes: 0 the plan reaches its target, 1 the input is wrong or no plan reaches the target,
2 wrong usage, 130 interrupted before a plan was found.
"""


@click.command(epilog=EPILOG, context_settings={"max_content_width": 110})
@click.option("-f", "--file", "files", multiple=True, required=True, metavar="FILE", help="Topology to plan; - for stdin. May be repeated.")
@click.option("-o", "--format", "form", type=OneOf(FORMATS), default="table", show_default=True, help="table, json, yaml, svg or png.")
@click.option("--output-file", metavar="FILE", help="Write there instead of to stdout.")
@click.option("--strategy", metavar="NAME", help="Which planner; see below. Default: as the topology says.")
@click.option(
    "--target",
    type=Parsed("target", amounts.target),
    help="What to reach: 0.7 or completeness=0.7, fidelity=0.9, budget=6. Default: as the topology says.",
)
@click.option("--objective", type=OneOf(tuple(Objective)), help="For a budget: the most completeness, or the most fidelity.")
@click.option(
    "--penalty", type=Parsed("duration", amounts.seconds), help="Let completeness fall short for this CPU time per window and whole unit."
)
@click.option("--failures", type=OneOf(tuple(FailureModel)), help="The failures to survive: pessimistic, node or zone.")
@click.option("--nodes", metavar="NODES", help="3, or node-a=4,node-b=4, or a YAML file of {name, zone, capacity}.")
@click.option(
    "--place",
    type=OneOf(tuple(Place)),
    default="balanced",
    show_default=True,
    help="joint: choose the nodes of the replicas together with the activation.",
)
@click.option(
    "--time-limit", type=Parsed("duration", amounts.seconds), default="30s", show_default=True, help="Then the best plan so far is shown."
)
@click.option(
    "--node-failure-probability", type=Parsed("share", amounts.share), help="Also show what to expect if nodes fail by themselves."
)
@click.option("--frontier", is_flag=True, help="Show what each level of guarantee costs.")
@click.option(
    "--fail", multiple=True, metavar="NAME", help="Show what is lost when this node, zone, operator, source or task fails. May be repeated."
)
@click.option("--quiet", "-q", is_flag=True, help="No progress on stderr.")
@click.pass_context
def plan(
    ctx: click.Context,
    files: tuple[str, ...],
    form: str,
    output_file: str | None,
    strategy: str | None,
    target: Target | None,
    objective: str | None,
    penalty: float | None,
    failures: str | None,
    nodes: str | None,
    place: str,
    time_limit: float,
    node_failure_probability: float | None,
    frontier: bool,
    fail: tuple[str, ...],
    quiet: bool,
) -> None:
    """Work out which replicas to keep active, what that guarantees, and what it costs.

    \b
    levee plan -f topology.yaml                        as the topology says
    levee plan -f topology.yaml --target 0.9           another completeness
    levee plan -f topology.yaml --frontier             what each guarantee costs
    levee plan -f topology.yaml --fail node-2          what is lost with a node
    """
    from levee.cli.plan_run import Tools, run  # numpy must not delay `levee plan -h`

    asked = Asked(
        strategy,
        target,
        penalty,
        None if failures is None else FailureModel(failures),
        nodes,
        Place(place),
        node_failure_probability,
        fail,
        None if objective is None else Objective(objective),
    )
    if frontier and objective:
        raise click.UsageError("--frontier and --objective cannot be combined: its levels are of what the strategy plans for.")
    if frontier and fail:
        raise click.UsageError("--frontier and --fail cannot be combined: plan for one level, then ask what fails.")
    tools = ctx.obj if isinstance(ctx.obj, Tools) else Tools()
    ctx.exit(run(files, asked, Output(form, output_file), frontier=frontier, limit_s=time_limit, quiet=quiet, tools=tools))
