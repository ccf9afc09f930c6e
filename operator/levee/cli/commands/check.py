"""`levee check`: would two replicas compute the same?

Why: a function that asks for the time, or depends on the order of rows, works alone and fails as soon as it has a second replica.
Called by: cli.main, when the command is called.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from levee.plans.ending import Exit, Refused
from levee.topology.complaint import Complaint
from levee.topology.wording import complaint_text, count

if TYPE_CHECKING:
    from levee_spark.check.finding import Finding

EPOCHS = 8
EPILOG = """\b
Exit codes: 0 all functions repeat themselves, 1 some do not, could not be run or emitted no row to compare, 2 wrong usage.
"""


@click.command(epilog=EPILOG, context_settings={"max_content_width": 110})
@click.option("-f", "--file", required=True, metavar="FILE", help="The topology to check; - for stdin.")
@click.option("--epochs", type=click.IntRange(min=1), default=EPOCHS, show_default=True, metavar="N", help="How many epochs to try.")
@click.option(
    "--sample",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Sample epochs of streams: DIR/STREAM.parquet, or a folder DIR/STREAM/ with a file for each epoch; Arrow or Parquet.",
)
@click.pass_context
def check(ctx: click.Context, file: str, epochs: int, sample: Path | None) -> None:
    """Run every operator's function twice and say where the two differ.

    Over sample epochs, and a last one in which all windows close; the second time under another hash seed, clock, time zone and
    order of rows. Generators (replay) and the
    rate source make their own samples; of other sources, give some with --sample.
    """
    from levee.cli.local import preflight
    from levee.cli.local.runnable import HEADING, folder_of, read  # planning must not delay `levee check -h`
    from levee_spark.check.running import Asked, Broken
    from levee_spark.check.running import check as run

    try:
        data, loaded = read(file)
    except Refused as wrong:
        raise Refused(wrong.heading.replace(HEADING, "levee check: it cannot run."), wrong.complaints, wrong.code) from None
    assert loaded.resource is not None
    beside = folder_of(file) or Path.cwd()
    if wrong_ones := list(preflight.complaints(loaded.resource, preflight.places_of(beside))):
        raise Refused("levee check: it cannot run.", wrong_ones)
    operators = [one.name for one in loaded.resource.spec.operators]
    differ = {one.name for one in loaded.resource.spec.operators if not one.repeatable}
    with kept(data) as resource:
        asked = Asked(resource, beside, operators, epochs, sample.absolute() if sample else None)
        try:
            found = run(asked, lambda text: click.echo(f"{loaded.short_name}: {text}", err=True))
        except Broken as broken:
            raise Refused(f"levee check: it could not run.\n{broken}") from None
    ctx.exit(tell(loaded.short_name, operators, epochs, [as_declared(one, differ) for one in found]))


@contextmanager
def kept(data: bytes) -> Iterator[Path]:
    """What was read, where other processes can read it: standard input is read once."""
    with tempfile.TemporaryDirectory(prefix="levee-check-") as place:
        path = Path(place, "topology.yaml")
        path.write_bytes(data)
        yield path


def as_declared(one: "Finding", differ: Set[str]) -> "Finding":
    """That replicas of these would differ is known, and one of each task is active."""
    from levee_spark.check.finding import Weight

    known = one.operator in differ and one.weight is Weight.DIFFERS
    return replace(one, weight=Weight.WARNING, fix="nothing: it says repeatable: false, and has standbys") if known else one


def tell(topology: str, operators: Sequence[str], epochs: int, found: "Sequence[Finding]") -> Exit:
    from levee_spark.check.finding import Weight

    grave = [one for one in found if one.weight is not Weight.WARNING]
    warnings = [one for one in found if one.weight is Weight.WARNING]
    for one in grave:
        click.echo(text(one), err=True)
    for one in warnings:
        click.echo(f"warning: {text(one).strip()}", err=True)
    sys.stderr.flush()
    if grave:
        wrong = len({one.operator for one in grave})
        click.echo(f"{topology}: {count(wrong, 'part')} with findings, {count(len(warnings), 'warning')}")
        return Exit.REFUSED
    click.echo(f"{topology}: repeatable ({count(len(operators), 'operator')}, {count(epochs, 'epoch')}, 2 runs)")
    return Exit.OK


def text(one: "Finding") -> str:
    where = f"{one.operator}{f' ({one.place})' if one.place else ''}"
    return "\n".join([complaint_text(Complaint(where, one.wrong, one.fix)), *(f"    {line}" for line in one.detail.splitlines())])
