"""`levee demo`: its flags.

Called by: cli.main; `make demo`.
"""

import click

from levee.cli.demo.plan import EPOCHS_LEAST

EPILOG = """\b
Exit codes: 0 nothing was lost and nothing doubled, 1 it cannot run here or something was, 2 wrong usage.
"""


@click.command(epilog=EPILOG, context_settings={"max_content_width": 110})
@click.option("--directory", default="levee-demo", show_default=True, metavar="DIR", help="Where everything goes; emptied first.")
@click.option("--epochs", type=click.IntRange(min=EPOCHS_LEAST), default=60, show_default=True, help="How long, in epochs.")
@click.option("--period", default="1s", show_default=True, metavar="DURATION", help="Time between epochs.")
@click.pass_context
def demo(ctx: click.Context, directory: str, epochs: int, period: str) -> None:
    """Run Bargain Discovery, kill a primary and then a whole node, and show what that did to the output.

    First it runs undisturbed, as fast as it can; then on three nodes, replicated as planned, with the same input and two failures. The
    outputs are compared row by row. The report is printed, and written as one HTML page.
    """
    from levee.cli.demo.run import run_demo  # numpy must not delay `levee demo -h`

    ctx.exit(run_demo(directory, epochs, period))
