"""What must hold of a topology and its plan before anything is started on this machine.

Why: whoever starts processes for something that cannot run, or not as it was planned, wastes its user's time.
Called by: cli.local.start.
"""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import click

from levee.cli.shared.files import STDIN, told
from levee.plans.ending import Exit, Refused
from levee.plans.planner import Planned
from levee.plans.reading import read_file
from levee.topology.adaptation import AdaptationPolicy
from levee.topology.complaint import Complaint
from levee.topology.graph import Late
from levee.topology.load import Loaded, load_bytes
from levee.topology.spec import Resource
from levee.topology.wanted import Store

HEADING = "levee run: it cannot run."
KEYS = {  # of a kind of store: what says who one is there (others only say where it is), and the usual ones
    "s3": (
        ("AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_"),
        "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, for a server of your own, AWS_ENDPOINT_URL",
    ),
    "gs": (("GOOGLE_SERVICE_ACCOUNT", "GOOGLE_APPLICATION_CREDENTIALS"), "GOOGLE_SERVICE_ACCOUNT, the path of a key file"),
    "az": (
        (
            "AZURE_STORAGE_ACCOUNT_KEY",
            "AZURE_STORAGE_ACCESS_KEY",
            "AZURE_STORAGE_SAS_",
            "AZURE_STORAGE_CLIENT_",
            "AZURE_CLIENT_",
            "AZURE_FEDERATED_TOKEN",
        ),
        "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
    ),
}
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


def check_runnable(resource: Resource, more: Iterable[Complaint] = ()) -> None:
    """All at once; what is only planned for, or is not shown here, is told."""
    if complaints := [*hindrances(resource), *more]:
        raise Refused(HEADING, complaints)
    for where, stream in resource.spec.placed_streams:
        if stream.late in AS_WAIT:
            click.echo(f"{where}.late: {stream.late.value} is planned for, and is not carried out yet: its consumers wait.", err=True)
    if resource.spec.adaptation.policy is AdaptationPolicy.APPLY:
        click.echo("spec.adaptation: a run on this machine keeps its plan; levee profile tells what it should be made for.", err=True)
    for index, sink in enumerate(resource.spec.sinks):
        if sink.spark.format == "console":
            shown = f"levee tail {sink.origin} --follow shows the same rows"
            click.echo(f"spec.sinks[{index}]: '{sink.name}' prints into the logs of its workers; {shown}.", err=True)


def folder_of(file: str) -> Path | None:
    """Where the topology's file is, and with it the user's functions."""
    return None if file == STDIN else Path(file).absolute().parent


def hindrances(resource: Resource) -> Iterator[Complaint]:
    spec = resource.spec
    if spec.suspend:
        yield Complaint("spec.suspend", "is true, so nothing is to run", "write suspend: false, or leave it out")
    if spec.store.uri.startswith("memory://"):
        wrong = "lives in one process, and workers are processes of their own"
        yield Complaint("spec.store.uri", f"{spec.store.uri} {wrong}", "name a folder, such as file:///tmp/levee")
    if (unread := unread_secret(spec.store, os.environ)) is not None:
        yield unread


def unread_secret(store: Store, environment: Mapping[str, str]) -> Complaint | None:
    """A secret lies in a cluster; on this machine its entries are variables of the environment, which the workers inherit."""
    scheme = store.uri.partition("://")[0]
    if store.secret is None or scheme not in KEYS:
        return None
    prefixes, names = KEYS[scheme]
    if any(name.startswith(prefixes) and value for name, value in environment.items()):
        return None
    wrong = f"names the secret '{store.secret}' of a cluster, which a run on this machine cannot read"
    return Complaint("spec.store.secret", wrong, f"export what it holds before levee run: {names}")


def check_met(found: Planned, *, anyway: bool) -> None:
    verdict, report = found.report.verdict, found.report
    if not report.configurations:
        raise Refused("\n".join(("levee run: there is no plan to run.", *verdict.reasons)))
    if not verdict.met and not anyway:
        complaint = Complaint("--file", "the plan does not reach its target", "see levee plan; or run the best there is with --anyway")
        raise Refused("\n".join((HEADING, *verdict.reasons)), [complaint])
