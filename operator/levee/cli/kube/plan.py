"""`kubectl levee plan`: the plan that a topology would get now, on the nodes that the cluster has.

Why: the status says what the plan in force is worth; where there is none, or people think of another, they want to see all of it.
Called by: cli.kube.group.
"""

from dataclasses import replace

import click

from levee.cli.kube.place import Place, error, find, placed, reaching
from levee.cli.shared.flags import Parsed
from levee.plans import amounts
from levee.plans.ending import Refused
from levee.topology.graph import Target

WHENCE = "of the cluster: those that are ready, not cordoned, and have the labels that the topology names"


@click.command()
@click.argument("name")
@click.option("-o", "--output", type=click.Choice(["table", "json", "yaml"]), default="table", show_default=True, help="As of levee plan.")
@click.option("--target", type=Parsed("target", amounts.target), help="Another one than the topology's: 0.7, fidelity=0.9, budget=6.")
@click.option("--frontier", is_flag=True, help="Show what each level of guarantee costs.")
@click.option("--fail", multiple=True, metavar="NAME", help="Show what is lost when this node, zone, operator, source or task fails.")
@click.option(
    "--time-limit", type=Parsed("duration", amounts.seconds), default="30s", show_default=True, help="Then the best plan so far is shown."
)
@placed
@click.pass_context
def plan(
    ctx: click.Context,
    place: Place,
    name: str,
    output: str,
    target: Target | None,
    *,
    frontier: bool,
    fail: tuple[str, ...],
    time_limit: float,
) -> None:
    """Plan the topology NAME as its resource is now, for the nodes that the cluster has now. Nothing is changed.

    It is what the operator does when the resource changes, and takes the right to list nodes.
    """
    from levee.cli.plan_run import Tools, plan_all
    from levee.cli.render.output import Output
    from levee.plans.asked import Asked

    if frontier and fail:
        raise click.UsageError("--frontier and --fail cannot be combined: plan for one level, then ask what fails.")
    with reaching(place) as reached:
        from levee.cli.kube.looking import loaded
        from levee.cli.shared.files import told
        from levee.worlds.kubernetes import eligible, embedded
        from levee.worlds.kubernetes.cluster import essence

        resource = find(reached, name)
        found = loaded(resource)
        if found.topology is None:
            raise Refused(told(found))
        there = map(essence, reached.api.ask("GET", "/api/v1/nodes")["items"])
        nodes = eligible.nodes(there, resource["spec"])
    if not nodes:
        raise error("no node of the cluster is ready, not cordoned, and has the labels that spec.placement.nodeSelector names")
    if embedded.said_of(resource):
        click.echo(f"Note: {embedded.SAYS}.", err=output != "table")
    asked = Asked(target=target, fail=fail)
    topology = replace(found.topology, nodes=nodes)
    try:
        code = plan_all(
            [topology], asked, Output(output, None), frontier=frontier, limit_s=time_limit, quiet=True, tools=Tools(), whence=WHENCE
        )
    except Refused as refused:
        raise Refused(refused.heading.replace("levee plan:", "kubectl levee plan:", 1), refused.complaints, refused.code) from None
    ctx.exit(code)
