"""Which of several operators acts: the holder of a Lease.

Why: a second operator takes over within seconds. It is no fence: for a moment two may act, and every act is made so that this does no harm.
Called by: app.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

from levee.worlds.kubernetes.api import Api, Conflict, Denied, Object, Unreachable

log = logging.getLogger("levee")
DURATION_S, RENEW_S, PATIENCE_S = 10, 2.0, 7.0


@dataclass(slots=True)
class Leader:
    api: Api
    namespace: str
    identity: str
    name: str = "levee-operator"
    renewed_s: float | None = None  # on this process's own clock
    seen: tuple[str, float] = ("", 0.0)  # the other one's last word, and when it was heard
    tried_s: float = field(default_factory=time.monotonic)  # whatever came of it
    trouble: str = ""  # why it could not be tried the last time

    def leads(self) -> bool:
        """It stops before another one may begin."""
        return self.renewed_s is not None and time.monotonic() - self.renewed_s < PATIENCE_S

    async def follow(self, begins: Callable[[], object]) -> None:
        """`begins` is called whenever it leads and has not before: those whom it looks after rest meanwhile."""
        led = False
        while True:
            await asyncio.to_thread(self.renew)
            leads = self.leads()
            if leads and not led:
                begins()
            led = leads
            await asyncio.sleep(RENEW_S)

    def renew(self) -> None:
        """Whatever goes wrong: who stops trying leaves nobody to lead. What was had runs out by itself."""
        self.tried_s = began_s = time.monotonic()
        try:
            if self.taken(self.api.get(f"{self.path()}/{self.name}"), began_s):
                self.renewed_s = began_s
            self.trouble = ""
        except Conflict:
            return  # another one was faster
        except Exception as trouble:  # noqa: BLE001
            self.tell(f"{type(trouble).__name__}: {trouble}")

    def tell(self, trouble: str) -> None:
        """Once, not every two seconds."""
        if trouble != self.trouble:
            log.warning("the lease cannot be renewed, and is tried again: %s", trouble)
        self.trouble = trouble

    def taken(self, lease: Object | None, now_s: float) -> bool:
        if lease is None:
            return self.api.create(self.path(), self.lease({"metadata": {"name": self.name, "namespace": self.namespace}}, 0)) is not None
        spec = lease["spec"]
        holder = spec.get("holderIdentity") or ""
        if holder not in {"", self.identity} and not self.is_silent(f"{holder} {spec.get('renewTime')}", now_s, spec):
            return False
        transitions = int(spec.get("leaseTransitions") or 0) + (holder != self.identity)
        self.api.replace(f"{self.path()}/{self.name}", self.lease(lease, transitions))
        return True

    def is_silent(self, word: str, now_s: float, spec: Object) -> bool:
        """By one's own clock: those of two machines differ."""
        if word != self.seen[0]:
            self.seen = word, now_s
        return now_s - self.seen[1] > float(spec.get("leaseDurationSeconds") or DURATION_S)

    def lease(self, before: Object, transitions: int) -> Object:
        now = datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
        spec = {"holderIdentity": self.identity, "leaseDurationSeconds": DURATION_S, "renewTime": now, "leaseTransitions": transitions}
        acquired = before.get("spec", {}).get("acquireTime") if before.get("spec", {}).get("holderIdentity") == self.identity else now
        head = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": before["metadata"]}
        return head | {"spec": spec | {"acquireTime": acquired}}

    def release(self) -> None:
        """So that the next one need not wait."""
        if not self.leads():
            return
        self.renewed_s = None
        try:
            found = self.api.get(f"{self.path()}/{self.name}")
            if found is not None and found["spec"].get("holderIdentity") == self.identity:
                found["spec"]["holderIdentity"] = ""
                self.api.replace(f"{self.path()}/{self.name}", found)
        except (Unreachable, Conflict, Denied):
            return

    def path(self) -> str:
        return f"/apis/coordination.k8s.io/v1/namespaces/{self.namespace}/leases"
