"""What must hold of a topology and its plan before anything is started on this machine.

Why: whoever starts processes for something that cannot run, or not as it was planned, wastes its user's time.
Called by: cli.local.start.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from levee.cli.plans.planner import Planned
from levee.cli.shared.ending import Exit, Refused
from levee.cli.shared.files import STDIN, read_file, told
from levee.topology.complaint import Complaint
from levee.topology.graph import Late
from levee.topology.load import Loaded, load_bytes
from levee.topology.spec import Resource

HEADING = "levee run: it cannot run."
AS_WAIT = (Late.TENTATIVE, Late.PREDICT)


def read(file: str) -> tuple[bytes, Loaded]:
    """The one topology of a file."""
    try:
        data = sys.stdin.buffer.read() if file == STDIN else read_file(Path(file))
    except OSError as problem:
        wrong = f"cannot read '{file}': {problem.strerror}"
        raise Refused(HEADING, [Complaint("--file", wrong, "name a file with a topology")], Exit.USAGE) from None
    found = load_bytes(data, origin="stdin" if file == STDIN else file)
    if wrong_ones := [one for one in found if one.topology is None]:
        raise Refused("\n".join(map(told, wrong_ones)))
    if len(found) != 1:
        complaint = Complaint("--file", f"holds {len(found)} topologies, and one is run", "put the others into files of their own")
        raise Refused(HEADING, [complaint], Exit.USAGE)
    return data, found[0]


def check_runnable(resource: Resource) -> None:
    """All at once; what is only planned for is told."""
    if complaints := list(hindrances(resource)):
        raise Refused(HEADING, complaints)
    for where, stream in resource.spec.placed_streams:
        if stream.late in AS_WAIT:
            click.echo(f"{where}.late: {stream.late.value} is planned for, and is not carried out yet: its consumers wait.", err=True)


def hindrances(resource: Resource) -> Iterator[Complaint]:
    spec = resource.spec
    if spec.suspend:
        yield Complaint("spec.suspend", "is true, so nothing is to run", "write suspend: false, or leave it out")
    if spec.store.uri.startswith("memory://"):
        wrong = "lives in one process, and workers are processes of their own"
        yield Complaint("spec.store.uri", f"{spec.store.uri} {wrong}", "name a folder, such as file:///tmp/levee")
    for index, source in enumerate(spec.sources):
        if source.import_ is not None:
            wrong = f"imports a stream of '{source.import_.topology}', and that does not run yet"
            yield Complaint(f"spec.sources[{index}].import", wrong, "read the same rows with spark")


def check_met(found: Planned, *, anyway: bool) -> None:
    verdict, report = found.report.verdict, found.report
    if not report.configurations:
        raise Refused("\n".join(("levee run: there is no plan to run.", *verdict.reasons)))
    if not verdict.met and not anyway:
        complaint = Complaint("--file", "the plan does not reach its target", "see levee plan; or run the best there is with --anyway")
        raise Refused("\n".join((HEADING, *verdict.reasons)), [complaint])
