"""`kubectl levee verify`: its flags.

Called by: `kubectl levee`, which finds it by its entry point.
"""

import os

import click

from levee.cli.kube.place import Place, error, placed, reaching
from levee.cli.shared.flags import OneOf, Parsed
from levee.plans import amounts

LOOK_S = 1.0  # each asks the API server, and every worker
EPILOG = """\b
Exit codes: 0 all have Passed, 1 one has Failed or it cannot be verified, 2 one was Inconclusive and none has failed.
"""


@click.command(epilog=EPILOG, context_settings={"max_content_width": 110})
@click.argument("name")
@click.option("--only", multiple=True, metavar="FAULT", help="Only these faults, by name, kind or whom, with * and ?. May be repeated.")
@click.option("--list", "listing", is_flag=True, help="Say what would be done and what is promised, and do nothing.")
@click.option("--yes", "-y", is_flag=True, help="Do not ask before it begins.")
@click.option(
    "--for", "for_s", type=Parsed("duration", amounts.seconds), default="30s", show_default=True, help="How long each fault is looked at."
)
@click.option(
    "--before",
    "before_s",
    type=Parsed("duration", amounts.seconds),
    default="15s",
    show_default=True,
    help="How long the topology works undisturbed before each.",
)
@click.option("--time-limit", type=Parsed("duration", amounts.seconds), metavar="DURATION", help="No fault begins after this time.")
@click.option(
    "--tolerance", type=Parsed("share", amounts.share), default="0.02", show_default=True, help="How much less than promised still passes."
)
@click.option("--driver", default="", metavar="DRIVER", help="How a node is crashed, as of the action crash_node: command, sysrq, cluster.")
@click.option("--command", "crash", default="", metavar="COMMAND", help="For --driver command: {node} in it is the node.")
@click.option("--revive-command", "revive", default="", metavar="COMMAND", help="The same, to bring it back.")
@click.option("--helpers-in", metavar="NAMESPACE", help="Where privileged helper pods may be made. Default: beside the topology.")
@click.option("--place", "folder", default="levee-verify", show_default=True, metavar="DIR", help="The folder of the report.")
@click.option("-o", "--output", "form", type=OneOf(("text", "json")), default="text", show_default=True, help="json: at the end.")
@placed
@click.pass_context
def verify(
    ctx: click.Context,
    place: Place,
    name: str,
    only: tuple[str, ...],
    listing: bool,
    yes: bool,
    for_s: float,
    before_s: float,
    time_limit: float | None,
    tolerance: float,
    driver: str,
    crash: str,
    revive: str,
    helpers_in: str | None,
    folder: str,
    form: str,
) -> None:
    """Break the topology NAME as its plan allows, and hold what happens against what is promised.

    It is done to the topology that runs, in the configuration that it is in: --list says what, and without --yes you are asked first.
    The end of a node takes everything else on that node, too.
    """
    from levee_chaos.limits import limited
    from levee_chaos.verifying.asked import Asked, run
    from levee_chaos.worlds.world import Where

    if place.context is not None:
        raise error("--context is not known here; choose it by kubectl config use-context, or by KUBECONFIG")
    if place.kubeconfig is not None:
        os.environ["KUBECONFIG"] = place.kubeconfig  # also for the dead man's process, which may have to undo
    with reaching(place) as reached:
        where = Where(topology=f"{reached.namespace}/{name}", namespace=reached.namespace)
    asked = Asked(
        None,
        None,
        only,
        listing,
        for_s=for_s,
        before_s=before_s,
        time_limit_s=time_limit,
        tolerance=tolerance,
        place=folder,
        as_json=form == "json",
        where=where,
        ask_first=not yes,
        driver={"driver": driver, "command": crash, "revive_command": revive} if driver else {},
        look_s=LOOK_S,
    )
    with limited([reached.namespace, *([helpers_in] if helpers_in else [])]):
        ctx.exit(run(asked))
