"""`levee fit`: faults at exact moments of the lifecycle, written, generated, checked and tried.

Why: whoever changes the lifecycle, or doubts it, should need no code to ask what a crash between two methods does.
Called by: cli.main_command.
"""

import json
import sys
from collections.abc import Collection
from pathlib import Path

import click

from levee.cli.commands.fit_files import Journal, experiments, machines, write_documents
from levee.cli.shared.flags import OneOf
from levee.fit import stage
from levee.fit.augment import augmented
from levee.fit.campaign import Campaign
from levee.fit.generate import generated
from levee.fit.rows import Row, counted, worst
from levee.fit.schema import schema_text
from levee.fit.verdicts import Verdict
from levee.fit.writing import lifecycle_text
from levee.lifecycle.names import StateName
from levee.plans.ending import Exit, did_you_mean

ENDS = {Verdict.PASSED: Exit.OK, Verdict.FAILED: Exit.REFUSED, Verdict.INCONCLUSIVE: Exit.USAGE}
DOCUMENT = click.option("--document", type=click.Path(path_type=Path), metavar="FILE", help="A lifecycle of your own.")
FILES = click.argument("paths", metavar="FILE|DIR...", nargs=-1, required=True, type=click.Path(path_type=Path))


@click.group(short_help="Try faults at exact moments of the lifecycle.")
def fit() -> None:
    """Faults at exact moments of the lifecycle: before, during or after a method of a transition.

    Nothing of it is known to what runs topologies; what is tried lives in virtual time, on this machine.
    """


@fit.command()
@click.option("--lifecycle", "names", multiple=True, metavar="NAME", help="Only of this one; may be repeated. Without it: job and bounded.")
@click.option("--state", "states", multiple=True, metavar="STATE", help="Only of transitions that leave this state; may be repeated.")
@click.option("-o", "--output", type=click.Path(file_okay=False, path_type=Path), help="The folder for a file each. Without it: names.")
@DOCUMENT
def generate(names: tuple[str, ...], states: tuple[str, ...], output: Path | None, document: Path | None) -> None:
    """Write a document for each state, transition, method, side and fault."""
    known = machines(document)
    chosen = [known[name] for name in (names or known) if is_known("--lifecycle", name, known)]
    every = dict.fromkeys(state for one in chosen for state in one.states)
    wanted = {StateName(one) for one in states if is_known("--state", one, every)} or None
    fits = [fit for one in chosen for fit in generated(one, stage.place().divisible, states=wanted)]
    if output is None:
        click.echo("\n".join(one.name for one in fits))
        return
    write_documents(output, fits)
    click.echo(f"{len(fits)} documents in {output}. Try them: levee fit run {output}")


def is_known(flag: str, given: str, known: Collection[str]) -> bool:
    if given not in known:
        raise click.UsageError(f"{flag}: there is no '{given}'. {did_you_mean(given, known)}")
    return True


@fit.command()
@FILES
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Of all that varies, timers included.")
@click.option("--journal", type=click.Path(dir_okay=False, path_type=Path), help="Keep verdicts there; what is in it is not tried again.")
@click.option("-o", "--format", "form", type=OneOf(("text", "json")), default="text", show_default=True, help="json: at the end.")
@click.option("--log", is_flag=True, help="Tell each life, turn by turn, on stderr.")
@DOCUMENT
@click.pass_context
def run(ctx: click.Context, paths: tuple[Path, ...], seed: int, journal: Path | None, form: str, log: bool, document: Path | None) -> None:
    """Try documents, each file in a life of its own: Passed, Failed or Inconclusive.

    Ends with 0 if all have passed, with 1 if one has failed or all were refused, and else with 2.
    """
    found, kept = experiments(paths, machines(document)), Journal(journal, seed)
    known, rows = kept.known(), list[Row]()
    say = (lambda text: click.echo(text, err=True)) if log else (lambda _: None)
    for row in Campaign(seed, known, say=say).rows(found):
        rows.append(row)
        if row.digest not in known:
            kept.keep(row)
        if form == "text":
            click.echo(line(row, document))
    click.echo(summary(rows, seed) if form == "text" else as_json(rows, seed, document))
    ctx.exit(ENDS[worst(rows)])


def line(row: Row, document: Path | None) -> str:
    head = f"{row.verdict:<13} {' + '.join(row.documents)}"
    if row.verdict is Verdict.PASSED:
        return head
    replay = f"\n{'':<14}Replay it: {row.replay(str(document or ''))}" if row.verdict is Verdict.FAILED else ""
    return f"{head}\n{'':<14}{row.why}{replay}"


def summary(rows: list[Row], seed: int) -> str:
    many = counted(rows)
    told = ", ".join(f"{many[one]} {one.value.lower()}" for one in Verdict)
    return f"{len(rows)} tried with seed {seed}: {told}"


def as_json(rows: list[Row], seed: int, document: Path | None) -> str:
    whole = {one.value.lower(): many for one, many in counted(rows).items()}
    trials = [row.fields() | {"replay": row.replay(str(document or ""))} for row in rows]
    return json.dumps({"seed": seed} | whole | {"trials": trials}, indent=2)


@fit.command()
@FILES
@DOCUMENT
def check(paths: tuple[Path, ...], document: Path | None) -> None:
    """Say what is wrong with documents, and try none."""
    found = experiments(paths, machines(document))
    click.echo(f"{sum(len(one.fits) for one in found)} documents in {len(found)} files are in order")


@fit.command()
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path))
@DOCUMENT
def augment(path: Path, document: Path | None) -> None:
    """Print the lifecycle document that the documents of a file make."""
    one = experiments((path,), machines(document))[0]
    click.echo(lifecycle_text(augmented(one.machine, one.fits)), nl=False)


@fit.command()
def schema() -> None:
    """Print the JSON schema of a document."""
    sys.stdout.write(schema_text())
