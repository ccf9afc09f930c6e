"""Events of a topology and of its pods, oldest first.

Called by: cli.kube.looking, cli.kube.events.
"""

from collections.abc import Collection
from dataclasses import dataclass

from levee.worlds.kubernetes.api import Object
from levee.worlds.kubernetes.person import Reached
from levee.worlds.local.table import Told


@dataclass(frozen=True, slots=True)
class Happening:
    at: str  # as the API server writes moments
    kind: str  # Normal | Warning
    reason: str
    about: str  # "clicks", or "pod/clicks-node-1-0-1"
    times: int
    text: str

    @property
    def told(self) -> Told:
        return Told(self.at, self.reason, self.text, self.kind != "Normal")


def happened_to(reached: Reached, resource: Object) -> list[Happening]:
    metadata = resource["metadata"]
    found = asked(reached, f"involvedObject.uid={metadata['uid']}")
    return sorted((happening(one, metadata["name"]) for one in found), key=lambda one: one.at)


def happened_to_pods(reached: Reached, pods: Collection[Object]) -> list[Happening]:
    uids = {one["metadata"]["uid"] for one in pods}
    found = [one for one in asked(reached, "involvedObject.kind=Pod") if one["involvedObject"].get("uid") in uids]
    return sorted((happening(one, f"pod/{one['involvedObject']['name']}") for one in found), key=lambda one: one.at)


def asked(reached: Reached, selector: str) -> list[Object]:
    return list(reached.api.ask("GET", f"/api/v1/namespaces/{reached.namespace}/events", query={"fieldSelector": selector})["items"])


def happening(event: Object, about: str) -> Happening:
    series = event.get("series") or {}
    at = (
        series.get("lastObservedTime") or event.get("lastTimestamp") or event.get("eventTime") or event["metadata"].get("creationTimestamp")
    )
    times = int(series.get("count") or event.get("count") or 1)
    return Happening(
        str(at or ""), str(event.get("type") or "Normal"), str(event.get("reason")), about, times, str(event.get("message") or "")
    )
