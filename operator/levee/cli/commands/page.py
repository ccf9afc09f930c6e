"""`levee page`: a local run as it is now, as one file that shows it anywhere.

Called by: cli.main.
"""

from pathlib import Path

import click

from levee.cli.local.runs import directory_option, find
from levee.plans.ending import Refused
from levee.topology.complaint import Complaint


@click.command()
@directory_option
@click.option("--out", required=True, metavar="FILE", help="The file to write, such as run.html.")
def page(directory: str | None, out: str) -> None:
    """Write the page of a run into a file, with how the run is now, or how it ended.

    The file needs neither a server nor a network. While it runs, levee run says where the page is served.
    """
    from levee.cli.local.paged import from_outside, graph_in
    from levee.cli.shared.output_file import remedy, write_whole
    from levee.page.document import page as page_with
    from levee.page.picture.whole import picture
    from levee.worlds.local.run import time_of_day

    folder, table = find("levee page", directory)
    shown = from_outside(table, graph_in(folder.resource.read_bytes()))
    try:
        write_whole(Path(out), page_with(picture(time_of_day(), shown)))
    except OSError as problem:
        wrong = f"cannot write '{out}': {problem.strerror or problem}"
        raise Refused("levee page: it was not written.", [Complaint("--out", wrong, remedy(problem))]) from None
