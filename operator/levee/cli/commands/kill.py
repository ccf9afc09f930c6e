"""`levee kill` and `levee pause`: faults by hand.

Why: what a topology survives, its user should be able to try.
Called by: cli.main.
"""

import time
from typing import TYPE_CHECKING

import click

from levee.cli.local.runs import directory_option, find_running
from levee.cli.shared.flags import Parsed
from levee.plans import amounts
from levee.plans.ending import Refused, use_instead
from levee.topology.complaint import Complaint

if TYPE_CHECKING:  # the command must start fast
    from levee.worlds.local.faults import Hit

WHAT = click.argument("what", type=click.Choice(["replica", "node"]))
NAME = click.argument("name")


@click.command()
@WHAT
@NAME
@directory_option
def kill(what: str, name: str, directory: str | None) -> None:
    """Kill (SIGKILL) the worker of a replica, or a whole node.

    NAME is a replica (vwap/1/0) or a node (node-2); a task (vwap/1) means its primary, or the node of its primary.
    A worker is started again; a node stays dead until levee revive, and after failureTimeout its replicas begin on the others.
    """
    from levee.worlds.local import faults

    hit = aimed(f"kill {what}", name, directory)
    faults.kill(hit)
    click.echo(f"killed {hit.what}")


@click.command()
@WHAT
@NAME
@click.option("--for", "for_s", type=Parsed("duration", amounts.seconds), default="10s", show_default=True, help="Then it goes on.")
@directory_option
def pause(what: str, name: str, for_s: float, directory: str | None) -> None:
    """Pause (SIGSTOP) the worker of a replica or all workers of a node for a while; Ctrl-C lets them go on sooner.

    NAME is as of levee kill. Whoever slept does not know it, and can do no harm when it wakes up.
    """
    from levee.worlds.local import faults

    hit = aimed(f"pause {what}", name, directory)
    faults.pause(hit)
    try:
        click.echo(f"paused {hit.what} for {for_s:g} s")
        time.sleep(for_s)
    finally:
        faults.go_on(hit)
        click.echo("it goes on")


def aimed(kind: str, name: str, directory: str | None) -> "Hit":
    from levee.control.events import primary_of
    from levee.worlds.local import faults

    command = f"levee {kind.partition(' ')[0]}"
    _, table = find_running(command, directory)
    try:
        return faults.aim(faults.Fault(faults.Kind(kind), name), table, primary_of(table.observe()))
    except faults.Missed as missed:
        raise Refused(f"{command}: nothing was hit.", [Complaint("NAME", str(missed), use_instead(name, missed.known))]) from None
