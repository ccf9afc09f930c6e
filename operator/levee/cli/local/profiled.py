"""What was measured, shown and written into the file that it is about.

Why: of a topology on a cluster it is the same, and whoever asks for that from a laptop has neither a store nor Spark.
Called by: cli.commands.profile, cli.kube.profile, and who measures for them.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from levee.cli.local.runnable import read
from levee.cli.shared.document import as_json, document
from levee.cli.shared.files import STDIN
from levee.cli.shared.output_file import remedy, write_whole
from levee.planning.measured.counts import Passed
from levee.planning.measured.descriptor import SPAN_S, Descriptor
from levee.plans.ending import Exit, Refused
from levee.plans.measured import changed, changes
from levee.plans.measured_words import notes, pasted
from levee.topology.complaint import Complaint
from levee.topology.documents import read_documents
from levee.topology.lists import is_list
from levee.topology.load import Loaded, load
from levee.topology.rewriting import CannotRewrite, Change, rewritten
from levee.topology.spec import Spec
from levee.topology.units import shown_duration
from levee.topology.wording import complaint_text, count

HEADING = "levee profile: it cannot be measured."
UNCHANGED = "levee profile: the file is as it was; what was measured is printed, to be pasted."
EPOCHS_MIN = 30
UTF8 = "utf-8-sig"  # a mark at the beginning is left out, and put back


@dataclass(frozen=True, slots=True)
class Profiled:
    data: bytes  # of the file
    loaded: Loaded
    found: Descriptor
    notes: tuple[str, ...] = ()


def in_own_name(file: str) -> tuple[bytes, Loaded]:
    try:
        return read(file)
    except Refused as wrong:
        raise Refused(wrong.heading.replace("levee run: it cannot run.", HEADING, 1), wrong.complaints, wrong.code) from None


def check_enough(rows: Passed, topology: str, most: int, *, runs: bool) -> None:
    least = epochs_min(rows.period_s)
    if rows.epochs >= least:
        return
    if most < least:
        raise Refused(
            HEADING, [Complaint("--epochs", f"is {most}, and {least} are the least that tell anything", f"--epochs {least}")], Exit.USAGE
        )
    wrong = f"has {count(rows.epochs, 'epoch')} that all of its streams have, and {least} are the least that tell anything"
    wait = f"try again in {(least - rows.epochs) * rows.period_s:.0f} s" if runs else "levee run it for longer"
    raise Refused(HEADING, [Complaint(topology, wrong, wait)])


def epochs_min(period_s: float) -> int:
    return max(EPOCHS_MIN, 2 * round(SPAN_S / period_s))


def shown(profiled: Profiled, output: str) -> str:
    if output == "json":
        return as_json(document("Descriptor", profiled.found))
    found = profiled.found
    for note in (*profiled.notes, *notes(spec_of(profiled), found)):
        click.echo(f"note: {note}", err=True)
    span = f"epochs {found.first} to {found.last} ({shown_duration(found.length_s)})"
    return f"# measured of {profiled.loaded.short_name}: {span}; behind each value what it lies in with 95 %\n" + pasted(
        changed(values_of(profiled), changes_of(profiled)), found
    )


def check_writable(file: str) -> None:
    """Before anything takes time."""
    if file == STDIN:
        complaint = Complaint("--write", "there is no file to write into", "name a file with --file")
        raise Refused(HEADING, [complaint], Exit.USAGE)


def told(profiled: Profiled, output: str, file: str | None) -> None:
    """What was measured; then written, if it can be."""
    click.echo(shown(profiled, output), nl=False)
    if file is not None:
        click.echo(written(file, profiled), err=True)


def written(file: str, profiled: Profiled) -> str:
    """What was done, in a line."""
    wanted = changes_of(profiled)
    text = changed_text(profiled, wanted)
    try:
        write_whole(Path(file), text.encode(encoding_of(profiled.data)))
    except OSError as problem:
        raise Refused(HEADING, [Complaint("--file", f"cannot write '{file}': {problem.strerror}", remedy(problem))]) from None
    return f"{file}: {count(len(wanted), 'value')} written"


def changed_text(profiled: Profiled, wanted: tuple[Change, ...]) -> str:
    """Refused, where it would no longer be a valid topology, or other than it should be."""
    try:
        text = rewritten(profiled.data.decode(UTF8), wanted)
    except CannotRewrite as wrong:
        raise Refused(UNCHANGED, wrong.complaints) from None
    [loaded] = load(text, origin=profiled.loaded.origin)
    if loaded.topology is None:
        told = "; ".join(map(complaint_text, loaded.complaints))
        raise Refused(f"{UNCHANGED} With what was measured it would not be valid:\n{told}")
    return text


def encoding_of(data: bytes) -> str:
    return UTF8 if data.startswith(b"\xef\xbb\xbf") else "utf-8"


def spec_of(profiled: Profiled) -> Spec:
    assert profiled.loaded.resource is not None
    return profiled.loaded.resource.spec


def changes_of(profiled: Profiled) -> tuple[Change, ...]:
    return changes(spec_of(profiled), profiled.found)


def values_of(profiled: Profiled) -> dict[str, Any]:
    """As the file has them."""
    [one] = read_documents(profiled.data.decode(UTF8))
    if is_list(one):
        raise Refused(HEADING, [Complaint("--file", "holds a list of resources", "put the topology into a file of its own")])
    assert isinstance(one.value, dict), "it is a topology"
    return one.value
