"""`levee verify`: its flags, and the order in which it goes.

Called by: `levee`, which finds it by its entry point.
"""

from typing import TYPE_CHECKING

import click

from levee.cli.shared.flags import OneOf, Parsed
from levee.plans import amounts

if TYPE_CHECKING:  # `levee verify -h` must not wait for numpy
    pass

EPILOG = """\b
Faults, each in each configuration of source rates (--list names them):
  primary:vwap/1@calm  the worker of the task's primary crashes
  node:node-2@calm     everything on the node is killed, and it comes back in the end
  zone:east@calm       the same of all nodes of a zone
  worst@calm           all that the plan's failure model allows at once
--only also takes what stands before the @, a kind (node) or a name (vwap/1), with * and ?.

\b
Exit codes: 0 all have Passed, 1 one has Failed or it cannot be verified, 2 one was Inconclusive and none has failed,
or wrong usage; 130 interrupted.
"""


@click.command(epilog=EPILOG, context_settings={"max_content_width": 110})
@click.option("-f", "--file", metavar="FILE", help="The topology: a run of its own is started for each configuration; - for stdin.")
@click.option("--directory", metavar="DIR", help="Instead: the folder of a levee run that goes on, which is taken as it is.")
@click.option("--only", multiple=True, metavar="FAULT", help="Only these faults. May be repeated.")
@click.option("--list", "listing", is_flag=True, help="Say what would be done and what is promised, and do nothing.")
@click.option("--nodes", metavar="NODES", help="As of levee run.")
@click.option("--workers-per-node", type=click.IntRange(min=1), metavar="N", help="As of levee run.")
@click.option("--anyway", is_flag=True, help="Verify the best plan even if it does not reach the target.")
@click.option(
    "--for", "for_s", type=Parsed("duration", amounts.seconds), default="20s", show_default=True, help="How long each fault is looked at."
)
@click.option(
    "--before",
    "before_s",
    type=Parsed("duration", amounts.seconds),
    default="10s",
    show_default=True,
    help="How long the topology works undisturbed before each.",
)
@click.option("--time-limit", type=Parsed("duration", amounts.seconds), metavar="DURATION", help="No fault begins after this time.")
@click.option(
    "--tolerance", type=Parsed("share", amounts.share), default="0.02", show_default=True, help="How much less than promised still passes."
)
@click.option("--place", default="levee-verify", show_default=True, metavar="DIR", help="The folder of its own runs and of its report.")
@click.option("-o", "--format", "form", type=OneOf(("text", "json")), default="text", show_default=True, help="json: at the end.")
@click.pass_context
def verify(
    ctx: click.Context,
    file: str | None,
    directory: str | None,
    only: tuple[str, ...],
    listing: bool,
    nodes: str | None,
    workers_per_node: int | None,
    anyway: bool,
    for_s: float,
    before_s: float,
    time_limit: float | None,
    tolerance: float,
    place: str,
    form: str,
) -> None:
    """Break a topology as its own plan allows, and hold what happens against what is promised.

    \b
    levee verify -f topology.yaml --list             what is promised under which fault
    levee verify -f topology.yaml                    all of it, one after another
    levee verify -f topology.yaml --only 'node:*'    the end of each node
    levee verify --directory .levee/clicks           faults of a run that goes on

    Promise and measurement are printed side by side, and written as one HTML page.
    """
    from levee_chaos.verifying.asked import Asked, run

    if (file is None) == (directory is None):
        raise click.UsageError("Name a topology by -f FILE, or a run by --directory DIR.")
    form_json = form == "json"
    asked = Asked(file, directory, only, listing, nodes, workers_per_node, anyway, for_s, before_s, time_limit, tolerance, place, form_json)
    ctx.exit(run(asked))
