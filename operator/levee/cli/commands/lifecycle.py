"""`levee lifecycle`: draw the states a topology passes, and check a document of them.

Why: whoever asks why a topology is where it is should see the document that put it there, and not code.
Called by: cli.main.
"""

import sys
from pathlib import Path

import click

from levee.cli.shared.flags import OneOf
from levee.cli.shared.output_file import remedy, write_whole
from levee.lifecycle.documents import NAMES, machine
from levee.lifecycle.load import load
from levee.lifecycle.machine import Machine
from levee.lifecycle.schema import schema_text
from levee.plans.ending import Exit, Refused
from levee.plans.reading import read_file
from levee.topology.complaint import Complaint
from levee.topology.documents import decode

FORMS = ("text", "svg", "dot", "json", "table", "schema")


@click.command(short_help="Draw the states that a topology passes.")
@click.option("--document", default="job", show_default=True, metavar="job|bounded|FILE", help="One that comes with Levee, or a file.")
@click.option(
    "-o", "--format", "form", type=OneOf(FORMS), default="text", show_default=True, help="table: what recovery does, as Markdown."
)
@click.option("--output-file", type=click.Path(dir_okay=False, path_type=Path), help="Write there instead of to stdout.")
def lifecycle(document: str, form: str, output_file: Path | None) -> None:
    """Draw the states that a topology passes, what is stored, what is done, and what recovery does."""
    if form == "svg" and output_file is None and sys.stdout.isatty():
        complaint = Complaint("--format", "a terminal cannot show svg", "add --output-file lifecycle.svg")
        raise Refused("levee lifecycle: nowhere to write to.", [complaint], Exit.USAGE)
    data = rendered(found(document), form)
    if output_file is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        write_whole(output_file, data)
    except OSError as problem:
        wrong = f"cannot write '{output_file}': {problem.strerror or problem}"
        raise Refused("levee lifecycle: nowhere to write to.", [Complaint("--output-file", wrong, remedy(problem))]) from None


def found(document: str) -> Machine:
    if document in NAMES:
        return machine(document)
    try:
        content = decode(read_file(Path(document)))
    except (OSError, ValueError) as problem:
        raise click.UsageError(f"Cannot read {document}: {getattr(problem, 'strerror', None) or problem}.") from None
    read = load(content) if isinstance(content, str) else None
    if read is not None and read.machine is not None:
        return read.machine
    complaints = read.complaints if read is not None else (content,)
    raise Refused(f"{document} is not a lifecycle that can be lived by.", [one for one in complaints if isinstance(one, Complaint)])


def rendered(drawn: Machine, form: str) -> bytes:
    from levee.cli.render import lifecycle_svg, lifecycle_text

    if form == "svg":
        return lifecycle_svg.draw(drawn)
    if form == "schema":
        return schema_text().encode()
    texts = {"text": lifecycle_text.text, "dot": lifecycle_text.dot, "json": lifecycle_text.as_json, "table": lifecycle_text.table}
    return texts[form](drawn).encode()
