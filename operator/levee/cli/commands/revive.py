"""`levee revive`: a node that was killed comes back.

Why: what a topology does when a machine returns should be seen by hand as well as what it does when one goes.
Called by: cli.main.
"""

import time
from typing import TYPE_CHECKING

import click

from levee.cli.local.runs import directory_option, find_running
from levee.plans.ending import Exit, Refused, use_instead
from levee.topology.complaint import Complaint
from levee.topology.names import NodeName

if TYPE_CHECKING:  # the command must start fast
    from levee.worlds.local.table import RunTable

LOOK_S = 0.1
PATIENCE_S = 20.0  # a run looks twice a second; a busy machine takes its time


@click.command()
@click.argument("node")
@directory_option
def revive(node: str, directory: str | None) -> None:
    """Bring a dead NODE back, as when a machine has been started again.

    Its workers start again with the replicas that the plan has on it; what has found refuge elsewhere goes on there until they are as far.
    """
    from levee.worlds.local import revivals
    from levee.worlds.local.table import read_table

    folder, table = find_running("levee revive", directory)
    check_dead(node, table)
    revivals.ask(folder, NodeName(node))
    until_s = time.monotonic() + PATIENCE_S
    while not is_alive(node, table):
        if time.monotonic() > until_s or table.controller is None:
            complaint = Complaint(node, "is still dead: levee run has not taken the order", "see levee status")
            raise Refused("levee revive: nothing came of it.", [complaint])
        time.sleep(LOOK_S)
        table = read_table(folder) or table
    click.echo(f"{node} is back; its workers start")


def is_alive(node: str, table: "RunTable") -> bool:
    return any(one.node == node and one.alive for one in table.nodes)


def check_dead(node: str, table: "RunTable") -> None:
    names = [one.node for one in table.nodes]
    if node not in names:
        complaint = Complaint("NODE", f"there is no node '{node}'", use_instead(node, names))
        raise Refused("levee revive: nobody to bring back.", [complaint], Exit.USAGE)
    if is_alive(node, table):
        complaint = Complaint("NODE", f"{node} lives", f"levee kill node {node}, if you want to see it come back")
        raise Refused("levee revive: nobody to bring back.", [complaint])
