"""Events on the resource, as kubectl describe shows them.

Why: kopf would post every line of its log; people want what happened to their topology.
Called by: life; experiments, about their own kind.
"""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import uuid4

from levee.control.events import Event
from levee.topology.spec import API_VERSION, KIND
from levee.worlds.kubernetes.api import Api, Conflict, Denied, Object, Unreachable
from levee.worlds.kubernetes.names import Owner
from levee.worlds.local.table import Told

NOTE_MAX = 1_000
NAMED_MAX = 5
KEPT = 50


@dataclass(frozen=True, slots=True)
class Teller:
    api: Api
    identity: str
    kind: str = KIND  # of what it is told about
    told: deque[Told] = field(default_factory=lambda: deque(maxlen=KEPT), compare=False)  # the last ones, for the page

    def tell(self, owner: Owner, reason: str, note: str, *, grave: bool = False) -> None:
        """A word that is lost is no reason to stop."""
        event = self.event(owner, reason, note, grave=grave)
        self.told.append(Told(event["eventTime"], event["reason"], event["note"], grave))
        try:
            self.api.create(f"/apis/events.k8s.io/v1/namespaces/{owner.namespace}/events", event)
        except (Unreachable, Conflict, Denied):
            return

    def event(self, owner: Owner, reason: str, note: str, *, grave: bool) -> Object:
        return {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": f"{owner.name}.{uuid4().hex[:16]}", "namespace": owner.namespace},
            "eventTime": datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
            "reportingController": "levee.dev/operator",
            "reportingInstance": self.identity[:128],
            "action": "Reconcile",
            "reason": reason[:128],
            "note": note[:NOTE_MAX],
            "type": "Warning" if grave else "Normal",
            "regarding": {"apiVersion": API_VERSION, "kind": self.kind, "name": owner.name, "namespace": owner.namespace, "uid": owner.uid},
        }


def summed(events: Iterable[Event]) -> Iterator[Event]:
    """What many say alike is said once: a topology that starts is as many words as it has workers."""
    alike = defaultdict[tuple[str, bool], list[Event]](list)
    for event in events:
        alike[event.text, event.grave].append(event)
    for (text, grave), found in alike.items():
        if len(found) <= NAMED_MAX:
            yield from found
        else:
            named = ", ".join(event.subject for event in found[:NAMED_MAX])
            yield Event(f"each of {named} and {len(found) - NAMED_MAX} more", text, grave)


def words(event: Event) -> tuple[str, str]:
    """A reason in one word, and a note: decisions bear theirs, the rest is told by what it is about."""
    if event.subject[:1].isupper():
        return event.subject, event.text
    return ("Lost" if event.grave else "Changed"), f"{event.subject} {event.text}"
