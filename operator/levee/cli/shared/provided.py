"""Commands that other distributions bring: found by their entry points, and imported when they are called.

Why: what breaks topologies on purpose is no part of what runs them, so `levee` must not import it; its user should not have to know.
Called by: cli.main_command and cli.kube.group.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

import click

from levee.plans.ending import Refused
from levee.topology.complaint import Complaint


@dataclass(frozen=True, slots=True)
class Offer:
    """A command of ours that may not be installed."""

    distribution: str
    says: str


LEVEE, KUBECTL = "levee.commands", "kubectl_levee.commands"  # the groups of entry points
KNOWN = {"verify": Offer("levee-chaos", "Break a topology as its plan allows, and hold what happens against what is promised.")}
INSTALL = "pip install levee-chaos; in a copy of the repository: pip install '.[chaos,spark]' ./chaos"


def told(group: str) -> dict[str, str]:
    """Names and their lines in the help."""
    return {one.name: f"Of {one.dist.name if one.dist else one.module}." for one in found(group)} | {
        name: offer.says for name, offer in KNOWN.items()
    }


def found(group: str) -> Iterator[EntryPoint]:
    yield from entry_points(group=group)


def load(program: str, group: str, name: str) -> click.Command | None:
    """None: nobody knows it. Refused where it is known and not there."""
    point = next((one for one in found(group) if one.name == name), None)
    if point is None and name not in KNOWN:
        return None
    try:
        command = point.load() if point is not None else None
    except ImportError as missing:
        wrong = f"cannot be imported: {missing}"
        raise Refused(f"{program} {name}: it cannot be used.", [Complaint(str(point), wrong, f"install all of it: {INSTALL}")]) from None
    if command is None:
        complaint = Complaint(KNOWN[name].distribution, "is not installed", INSTALL)
        raise Refused(f"{program} {name}: it is not installed.", [complaint])
    assert isinstance(command, click.Command)
    return command
