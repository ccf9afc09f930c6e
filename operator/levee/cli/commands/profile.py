"""`levee profile`: the descriptor of a topology as it is measured.

Called by: cli.main.
"""

import click

from levee.cli.shared.flags import Parsed
from levee.plans import amounts

EPILOG = """\b
Exit codes: 0 it was measured (and written); 1 there is no such run, too little has passed, or the file cannot be changed;
2 wrong usage.
"""


@click.command(epilog=EPILOG, context_settings={"max_content_width": 110})
@click.option("-f", "--file", required=True, metavar="FILE", help="The topology that runs, or has run; - for stdin.")
@click.option("--directory", metavar="DIR", help="The folder of the run. Default: .levee/ and the topology's name.")
@click.option("--epochs", type=click.IntRange(min=1), default=1200, show_default=True, help="Look back over so many epochs at most.")
@click.option(
    "--for", "for_s", type=Parsed("duration", amounts.seconds), default="30s", show_default=True, help="Count the CPU time of so long."
)
@click.option("--levels", type=click.IntRange(1, 8), metavar="N", help="So many rates of each source. Default: as few as cover them well.")
@click.option("--write", is_flag=True, help="Write the values into FILE; nothing else in it changes.")
@click.option("-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", show_default=True, help="To paste, or for machines.")
def profile(file: str, directory: str | None, epochs: int, for_s: float, levels: int | None, *, write: bool, output: str) -> None:
    """Measure the rates of the sources, and selectivity and cost of every operator and input.

    Rows are counted in the streams, also when the run is over; CPU time is counted in its workers, while they work.
    Behind each value stands the interval that it lies in with 95 %.

    \b
    levee profile -f topology.yaml            print a descriptor to paste
    levee profile -f topology.yaml --write    put it into the file
    """
    from levee.cli.local.profiled import check_writable, told
    from levee.cli.local.profiling import Wish, measure

    if write:
        check_writable(file)
    told(measure(Wish(file, directory, epochs, for_s, levels)), output, file if write else None)
