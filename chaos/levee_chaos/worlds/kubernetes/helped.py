"""Faults that a helper pod does, and undoes.

Called by: deeds, pods and operators.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from levee.topology.complaint import Complaint
from levee.worlds.kubernetes.person import Reached
from levee_chaos.aim import Passing
from levee_chaos.fault import Fault
from levee_chaos.journal import Undo
from levee_chaos.worlds.kubernetes import access, helpers
from levee_chaos.worlds.kubernetes.access import Right
from levee_chaos.worlds.kubernetes.helpers import Helper
from levee_chaos.worlds.kubernetes.placed import Placed, is_ready
from levee_chaos.worlds.kubernetes.plainly import address_of, again
from levee_chaos.worlds.kubernetes.targets import Target

PATIENCE_S = 90.0  # for a pod to begin, on a node that is busy
END = "end helpers"


@dataclass(frozen=True)
class Helped:
    """One helper on each node concerned."""

    placed: Placed
    kind: str
    wanted: tuple[tuple[Target, Mapping[str, Any]], ...]
    helpers: tuple[Helper, ...]
    complaints: tuple[Complaint, ...]
    share: float = 0.0

    @property
    def name(self) -> str:
        return " ".join([self.kind, *(one.name for one in self.helpers)])

    @property
    def undo(self) -> Undo:
        return undo_of(self.placed.reached, self.helpers)

    @property
    def patience_s(self) -> float:
        return PATIENCE_S

    def without_means(self) -> Iterator[Complaint]:
        ready = {one["metadata"]["name"] for one in self.placed.nodes if is_ready(one)}
        for target, _ in self.wanted:
            if self.placed.nodes and target.node not in ready:
                yield Passing(f"node {target.node}", "is not ready, so no helper pod can begin there", "wait until it is")
        yield from self.complaints
        for namespace in dict.fromkeys(one.namespace for one in self.helpers):
            yield from access.lacking(self.placed.reached, *(Right(verb, what, namespace) for verb, what in RIGHTS))

    def do(self) -> None:
        for one in self.helpers:
            helpers.ensure(self.placed.reached, one)

    def lacking(self) -> list[str]:
        return [left for one in self.helpers for left in helpers.lacking(self.placed.reached, one)]


RIGHTS = (("create", "pods"), ("get", "pods"), ("delete", "pods"), ("get", "pods/log"))


def helped(placed: Placed, fault: Fault, *wanted: tuple[Target, Mapping[str, Any]]) -> Helped:
    """Making one asks the API server where a helper may be, and makes nothing."""
    found = [helpers.place_for(placed.reached, placed.limits.namespaces, target, order) for target, order in wanted]
    made = tuple(one for one in found if isinstance(one, Helper))
    return Helped(placed, fault.kind, wanted, made, tuple(dict.fromkeys(one for one in found if isinstance(one, Complaint))))


def undo_of(reached: Reached, made: Sequence[Helper]) -> Undo:
    return Undo("kubernetes", END, {**address_of(reached), "pods": [[one.namespace, one.name] for one in made]})


def end_helpers(how: Mapping[str, Any]) -> None:
    with again(how) as reached:
        helpers.end(reached, [(namespace, name) for namespace, name in how["pods"]])
