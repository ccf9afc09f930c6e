"""One topology of a cluster: where it is, what is seen of it, and how it is; as `kubectl levee status` sees it.

Called by: world; deeds.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from levee.cli.kube.looking import Looked, instant, loaded, look, newest, owner_of, pods_of, seen_of
from levee.cli.kube.picture import rows_in, summary_in
from levee.cli.kube.tail import secret
from levee.control.names import WorkerName
from levee.topology.names import NodeName
from levee.topology.spec import Resource
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.api import Denied, Object, Unreachable
from levee.worlds.kubernetes.person import Reached
from levee_chaos.aim import Seen
from levee_chaos.limits import Limits, current
from levee_chaos.worlds.kubernetes.plainly import plainly
from levee_chaos.worlds.kubernetes.store import opened
from levee_chaos.worlds.kubernetes.targets import Target, target
from levee_chaos.worlds.rates import rates_in
from levee_chaos.worlds.world import Guarantee, Health, Passage
from levee_spark.log.wiring import Wiring
from levee_spark.store.driver import StoreDriver

LINES = 2_000  # of a log, at the end
PLACE = Path(".levee/chaos")  # of this machine; one folder for each topology


@dataclass(frozen=True)
class Placed:
    reached: Reached
    resource: Object

    @property
    def is_shared(self) -> bool:
        return True

    @property
    def topology(self) -> str:
        return owner_of(self.resource).key

    @property
    def namespace(self) -> str:
        return owner_of(self.resource).namespace

    @property
    def uid(self) -> str:
        return owner_of(self.resource).uid

    @property
    def folder(self) -> Path:
        return PLACE.absolute() / self.uid

    @property
    def limits(self) -> Limits:
        return current()

    @property
    def state(self) -> str:
        return str((self.resource.get("status") or {}).get("state") or "submitted")

    @property
    def passages(self) -> tuple[Passage, ...]:
        told = self.resource.get("status") or {}
        history = tuple(Passage(str(one["state"]), str(one["since"])) for one in told.get("history") or ())
        now = Passage(self.state, str(told.get("since") or ""))
        return history if history[-1:] == (now,) else (*history, now)

    def condition(self, kind: str) -> Mapping[str, Any]:
        conditions = (self.resource.get("status") or {}).get("conditions") or ()
        return next((one for one in conditions if one["type"] == kind), {})

    @property
    def reason(self) -> str:
        """Of Ready, which says why it is not."""
        return str(self.condition("Ready").get("reason", ""))

    @property
    def guarantee(self) -> Guarantee:
        found = self.condition("GuaranteeMet")
        holds = {"True": True, "False": False}.get(found.get("status", ""))
        return Guarantee(holds, str(found.get("message") or "its operator has not said it yet"))

    @property
    def configuration(self) -> str | None:
        return (self.resource.get("status") or {}).get("configuration")

    def declared(self) -> Resource:
        found = loaded(self.resource).resource
        assert found is not None, "it runs"
        return found

    # ---- what is seen

    @cached_property
    def looked(self) -> Looked:
        with plainly(self.reached):
            return look(self.reached, self.resource, datetime.now(UTC))

    @cached_property
    def nodes(self) -> Sequence[Object]:
        """None, where nodes may not be seen."""
        try:
            return list(self.reached.api.ask("GET", "/api/v1/nodes")["items"])
        except Denied:
            return []

    def seen(self) -> Seen:
        """A zone is all of its nodes, whether or not something of this topology is there."""
        with plainly(self.reached):
            zones = {NodeName(one["metadata"]["name"]): zone for one in self.nodes if (zone := names.labels_of(one).get(names.ZONE))}
        lives = {NodeName(one["metadata"]["name"]): is_ready(one) for one in self.nodes}
        return Seen(self.topology, rows_in(self.looked), {**{one.node: one.alive for one in self.looked.seen.nodes}, **lives}, zones)

    def rates(self) -> Mapping[str, float]:
        return rates_in(self.looked.table, rows_in(self.looked))

    def health(self) -> Health:
        rows = rows_in(self.looked)
        summary = summary_in(self.looked, rows)
        idle = tuple(f"{row.replica} ({row.status})" for row in rows if row.role == "none")
        return Health(self.looked.table.ready, idle, summary.lag_epochs, summary.epoch)

    def pods(self, workers: Sequence[WorkerName]) -> list[Target]:
        """Of these workers, as they are now."""
        found = {one["metadata"]["name"]: one for one in self.own_pods()}
        known = newest(seen_of(list(found.values()), instant(datetime.now(UTC))))
        return [target(found[one.name]) for one in known if one.worker.worker in workers and not one.leaving]

    def secret(self) -> Mapping[str, str]:
        with plainly(self.reached):
            return secret(self.reached, self.resource["spec"].get("store", {}).get("secret"))

    def own_pods(self) -> list[Object]:
        return list(pods_of(self.reached, owner_of(self.resource)))

    def has_told(self, text: str) -> bool:
        """In the logs of its pods, as far as these live."""
        return any(text in self.log_of(one["metadata"]["name"]) for one in self.own_pods())

    def log_of(self, pod: str) -> str:
        try:
            answer = self.reached.api.stream(f"/api/v1/namespaces/{self.namespace}/pods/{pod}/log", {"tailLines": str(LINES)}, silent_s=5.0)
            return str(answer.read().decode(errors="replace"))
        except (Denied, Unreachable):
            return ""  # it has not begun, or has gone

    @contextmanager
    def reading(self) -> Iterator[tuple[Wiring, StoreDriver]]:
        with plainly(self.reached), opened(self.reached, self.resource) as reading:
            yield reading


def is_ready(node: Object) -> bool:
    return any(one["type"] == "Ready" and one["status"] == "True" for one in node.get("status", {}).get("conditions") or ())
