"""Crashes of what runs in pods: the pod itself, its container, its Java.

Called by: deeds.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from levee.topology.complaint import Complaint
from levee.worlds.kubernetes.api import Conflict, Denied, Object
from levee.worlds.kubernetes.command import run_in
from levee.worlds.kubernetes.person import Reached
from levee_chaos.aim import Aimed, Passing
from levee_chaos.fault import Fault
from levee_chaos.journal import Undo
from levee_chaos.refusals import NOTHING, Refused
from levee_chaos.worlds.kubernetes import access
from levee_chaos.worlds.kubernetes.access import Right
from levee_chaos.worlds.kubernetes.helped import helped
from levee_chaos.worlds.kubernetes.placed import Placed
from levee_chaos.worlds.kubernetes.targets import Target
from levee_chaos.worlds.world import Deed

PATIENCE_S = 60.0
JAVA = """import json, os, pathlib, signal, sys
found = []
for one in pathlib.Path("/proc").iterdir():
    try:
        words = (one / "stat").read_text() if one.name.isdecimal() else ""
    except OSError:
        continue
    rest = words.rpartition(")")[2].split()
    if "(java)" in words and rest[0] not in "ZX":
        found.append([int(one.name), rest[19]])
for pid, started in json.loads(sys.argv[1]):
    if [pid, started] in found:
        os.kill(pid, signal.SIGKILL)
print(json.dumps(found))"""


@dataclass(frozen=True, slots=True)
class Crash:
    """Pods are gone, with whatever is in them."""

    reached: Reached
    kind: str
    targets: tuple[Target, ...]
    undo: Undo | None = None
    share: float = 0.0

    @property
    def name(self) -> str:
        return " ".join([self.kind, *(one.uid for one in self.targets)])

    @property
    def patience_s(self) -> float:
        return PATIENCE_S

    def without_means(self) -> Iterator[Complaint]:
        for namespace in dict.fromkeys(one.namespace for one in self.targets):
            yield from access.lacking(self.reached, Right("delete", "pods", namespace), Right("get", "pods", namespace))

    def do(self) -> None:
        for one in self.targets:
            delete(self.reached, one)

    def lacking(self) -> list[str]:
        return [f"pod {one.namespace}/{one.name}" for one in self.targets if is_there(self.reached, one)]


@dataclass(frozen=True, slots=True)
class JavaCrash(Crash):
    """The Java of a worker is gone, and Python has to notice."""

    processes: tuple[tuple[int, str], ...] = ()

    @property
    def name(self) -> str:
        return " ".join([self.kind, *(one.uid for one in self.targets), *(f"{pid}@{started}" for pid, started in self.processes)])

    def without_means(self) -> Iterator[Complaint]:
        """That there is Java was asked by kubectl exec already."""
        if not self.processes:
            yield Complaint("pod", f"there is no Java in {self.targets[0].name}", "use `by: pod` or `by: container`")

    def do(self) -> None:
        java_in(self.reached, self.targets[0], self.processes)

    def lacking(self) -> list[str]:
        [one] = self.targets
        if not is_there(self.reached, one) or has_ended(self.reached, one):
            return []
        left = set(java_in(self.reached, one, ())) & set(self.processes)
        return [f"process {pid} of {one.name}" for pid, _ in left]


def crash(placed: Placed, fault: Fault, aimed: Aimed) -> Deed:
    targets = targets_of(placed, aimed)
    by = fault.how.get("by", "pod")
    if by == "container":
        order = {"do": "kill", "pods": [targets[0].uid], "container": targets[0].container, "for_s": PATIENCE_S}
        return helped(placed, fault, (targets[0], order))
    if by == "jvm":
        for wrong in access.lacking(placed.reached, Right("create", "pods/exec", placed.namespace)):
            raise Refused(NOTHING, [wrong])
        return JavaCrash(placed.reached, fault.kind, targets, processes=tuple(java_in(placed.reached, targets[0], ())))
    return Crash(placed.reached, fault.kind, targets)


def targets_of(placed: Placed, aimed: Aimed) -> tuple[Target, ...]:
    """Refused where they have gone since they were seen."""
    found = tuple(placed.pods(aimed.workers))
    if not found:
        raise Refused(NOTHING, [Passing("whom", f"{aimed.what} has gone meanwhile", "try again")])
    return found


def delete(reached: Reached, one: Target) -> None:
    """That pod at once, and no namesake: not even one that has come since."""
    options = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0, "preconditions": {"uid": one.uid}}
    try:
        reached.api.ask("DELETE", one.path, options)
    except Conflict:
        return  # another one has its name
    except Denied as denied:
        if denied.status != HTTPStatus.NOT_FOUND:
            raise


def is_there(reached: Reached, one: Target) -> bool:
    found = reached.api.get(one.path)
    return found is not None and found["metadata"]["uid"] == one.uid


def has_ended(reached: Reached, one: Target) -> bool:
    found: Object = reached.api.get(one.path) or {}
    return found.get("status", {}).get("phase") in {"Failed", "Succeeded"}


def java_in(reached: Reached, one: Target, kill: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Who is there, by number and start; those that are to be killed are."""
    out = bytearray()
    here = Reached(reached.api, one.namespace, reached.server, reached.context)
    run_in(here, one.name, ["python3", "-c", JAVA, json.dumps(list(kill))], out.extend, lambda _: None)
    told: list[Any] = json.loads(bytes(out) or b"[]")
    return [(int(pid), str(started)) for pid, started in told]
