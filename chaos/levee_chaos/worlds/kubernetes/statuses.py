"""A field of a topology's status, written by somebody whom it is none of the business of.

Called by: deeds; noticing, which looks whether it still stands.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from levee.cli.kube.place import API, KIND
from levee.topology.complaint import Complaint
from levee.worlds.kubernetes.api import Object
from levee.worlds.kubernetes.person import Reached
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault
from levee_chaos.journal import Undo
from levee_chaos.worlds.kubernetes import access
from levee_chaos.worlds.kubernetes.access import Right
from levee_chaos.worlds.kubernetes.placed import Placed
from levee_chaos.worlds.kubernetes.plainly import address_of, again

WRITE_BACK = "write back"
WRONG: Mapping[str, Any] = {
    "configuration": "corrupted",
    "lagEpochs": 999_999,
    "replicas": {"active": 9_999, "desired": 9_999},
    "state": "submitted",  # a word that its lifecycle knows
}
OTHER_STATE = "suspended"  # where it is that already


@dataclass
class Corrupting:
    reached: Reached
    how: Mapping[str, Any]
    share: float = 0.0
    patience_s: float = 30.0
    written: Object = field(default_factory=dict)  # what the API server had then

    @property
    def name(self) -> str:
        return f"corrupt status {self.how['path']} {self.how['field']}"

    @property
    def undo(self) -> Undo:
        return Undo("kubernetes", WRITE_BACK, self.how)

    def without_means(self) -> Iterator[Complaint]:
        right = Right("patch", f"{KIND}/status", self.how["namespace"], group="levee.dev")
        yield from access.lacking(self.reached, right)

    def do(self) -> None:
        """Once: it may be put right before anybody looks."""
        if not self.written:
            self.written = patched(self.reached, self.how, self.how["false"])

    def lacking(self) -> list[str]:
        found = (self.written.get("status") or {}).get(self.how["field"])
        return [] if found == self.how["false"] else [f"the API server: {self.how['field']} is {found}"]


def corrupt(placed: Placed, fault: Fault, _aimed: Aimed) -> Corrupting:
    head, told = placed.resource["metadata"], placed.resource.get("status") or {}
    path = f"{API}/namespaces/{head['namespace']}/{KIND}/{head['name']}"
    name = fault.how["field"]
    false = OTHER_STATE if WRONG[name] == told.get(name) else WRONG[name]
    how = {
        **address_of(placed.reached),
        "namespace": head["namespace"],
        "path": path,
        "uid": head["uid"],
        "field": name,
        "was": told.get(name),
        "false": false,
    }
    return Corrupting(placed.reached, how)


def patched(reached: Reached, how: Mapping[str, Any], value: Any) -> Object:
    return reached.api.patch(f"{how['path']}/status", {"metadata": {"uid": how["uid"]}, "status": {how["field"]: value}})


def still_stands(reached: Reached, how: Mapping[str, Any]) -> bool:
    found = reached.api.get(how["path"]) or {}
    return bool((found.get("status") or {}).get(how["field"]) == how["false"])


def write_back(how: Mapping[str, Any]) -> None:
    """What nobody has put right."""
    with again(how) as reached:
        if still_stands(reached, how):
            patched(reached, how, how["was"])
