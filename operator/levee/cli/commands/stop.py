"""`levee stop`: end a run after an epoch that all of its tasks have done.

Why: a directive goes through the control log, so it holds whoever reads it, and this command needs no word with the run itself.
Called by: cli.main.
"""

import time

import click

from levee.cli.local.runs import directory_option, find_running
from levee.cli.shared.flags import Parsed
from levee.plans import amounts
from levee.plans.ending import Exit, Refused
from levee.topology.complaint import Complaint

LOOK_S = 0.3


@click.command()
@directory_option
@click.option("--timeout", "timeout_s", type=Parsed("duration", amounts.seconds), default="2m", show_default=True, help="How long to wait.")
@click.pass_context
def stop(ctx: click.Context, directory: str | None, timeout_s: float) -> None:
    """Order a stop and wait until every task has done the last epoch.

    It says who has yet to come there, and who has failed and does not come there as it is.
    The order is a record of the control log. levee run, started again, goes on with the epoch after.
    """
    from levee.cli.local.stopping import Stopping, rows_in
    from levee.cli.local.streams import order_stop, stop_epoch
    from levee.worlds.local.table import read_table

    folder, table = find_running("levee stop", directory)
    number = order_stop(folder, table)
    click.echo(f"{table.topology}: record {number} orders the stop")
    stopping, until_s = Stopping(), time.monotonic() + timeout_s
    while table.controller is not None and time.monotonic() < until_s:
        stopping.epoch = stopping.epoch or stop_epoch(folder, table)
        for line in stopping.news(rows_in(table)):
            click.echo(f"{table.topology}: {line}")
        time.sleep(LOOK_S)
        table = read_table(folder) or table
    if table.controller is not None:
        wrong = f"has not stopped within {timeout_s:g} s: {'; '.join(stopping.lines(rows_in(table))) or table.text}"
        raise Refused("levee stop: it is still running.", [Complaint(table.topology, wrong, stopping.fix())])
    click.echo(f"{table.topology}: {table.text or table.reason}")
    ctx.exit(Exit.OK)
