"""`levee run`: its flags.

Called by: cli.main, when the command is called.
"""

import click

from levee.cli.shared.flags import Parsed
from levee.plans import amounts

EPILOG = """\b
Exit codes: 0 Completed, stopped by levee stop, or after --for; 1 it cannot run, has failed, or --for was over while
no replica of a task could do it; 2 wrong usage; 130 ended by Ctrl-C.
However it ended, levee run again goes on where the streams ended.
"""


@click.command(epilog=EPILOG, context_settings={"max_content_width": 110})
@click.option("-f", "--file", required=True, metavar="FILE", help="The topology to run; - for stdin.")
@click.option("--nodes", metavar="NODES", help="As of levee plan: 3, or node-a=4,node-b=4, or a YAML file. Default: as the topology says.")
@click.option("--directory", metavar="DIR", help="Where the run keeps its files. Default: .levee/ and the topology's name.")
@click.option(
    "--for",
    "for_s",
    type=Parsed("duration", amounts.seconds),
    help="End after this time, counted from the first epoch; where a task fails before it, from the start.",
)
@click.option("--workers-per-node", type=click.IntRange(min=1), metavar="N", help="Processes to spread a node's replicas over. Default: 1.")
@click.option("--anyway", is_flag=True, help="Run the best plan even if it does not reach the target.")
@click.option("--plain", is_flag=True, help="Lines instead of a live view, as where there is no terminal.")
@click.option(
    "--page-port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="PORT",
    help="Where the page is served, on loopback. Default: a free port.",
)
@click.option("--no-page", is_flag=True, help="Serve no page.")
@click.pass_context
def run(
    ctx: click.Context,
    file: str,
    nodes: str | None,
    directory: str | None,
    for_s: float | None,
    workers_per_node: int | None,
    anyway: bool,
    plain: bool,
    page_port: int,
    no_page: bool,
) -> None:
    """Run a topology on this machine, with the replicas that its plan asks for.

    Nodes are process groups, each with its workers; kill them from another terminal:

    \b
    levee status                        who does what
    levee kill replica vwap/1/0         end the worker of a replica
    levee kill node node-2              end all processes of a node
    levee revive node-2                 and bring it back
    levee pause node node-1 --for 30s   and let it go on
    levee stop                          end after an epoch that all tasks have done

    It says where its page is served: the same, drawn, in a browser.
    """
    from levee.cli.local.start import Ask, run_here  # numpy must not delay `levee run -h`

    page = None if no_page else page_port
    ctx.exit(run_here(Ask(file, nodes, directory, for_s, workers_per_node, anyway, plain, page_port=page)))
