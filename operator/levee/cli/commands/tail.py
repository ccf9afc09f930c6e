"""`levee tail`: the committed rows of a stream, as JSON lines.

Why: what a topology has agreed on should be as easy to read as a log file.
Called by: cli.main.
"""

import click

from levee.cli.local.runs import directory_option, find


@click.command()
@click.argument("stream")
@click.option("--follow", "-F", is_flag=True, help="Go on with what comes.")
@click.option("--from", "begin", type=click.IntRange(min=1), metavar="EPOCH", help="Begin at this epoch, not at the end.")
@click.option(
    "-n", "rows", type=click.IntRange(min=0), default=10, show_default=True, help="So many rows from the end, at least whole epochs."
)
@click.option("--dead", is_flag=True, help="The epochs that have no rows because they were skipped or failed, instead of rows.")
@directory_option
def tail(stream: str, follow: bool, begin: int | None, rows: int, dead: bool, directory: str | None) -> None:
    """Print the committed rows of a STREAM: of an operator or a source (vwap), or of one of its tasks (vwap/1).

    One JSON object for each row: its columns, and before them _epoch and _task.
    """
    from levee.cli.local.streams import driver_of, wiring_in
    from levee.cli.local.tailing import Tail, tasks_of

    folder, table = find("levee tail", directory)
    wiring = wiring_in(folder, table.uid)
    driver = driver_of("levee tail", table, writes=False)
    try:
        following = Tail(wiring, driver, tasks_of(stream, wiring), dead=dead)
        for line in following.lines(begin, rows, follow=follow):
            click.echo(line)
    except KeyboardInterrupt:
        if not follow:
            raise
    finally:
        driver.close()
