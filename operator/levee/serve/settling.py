"""What becomes of a topology's data when its resource goes: kept, or deleted piece by piece.

Why: a stream may be millions of objects, and whoever deletes them may die in it; so each call deletes a bounded number, and what is left
is found by whoever comes next. Sinks' files are not ours and stay.
Called by: deeds, in cleanup, when all else is gone.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from levee.control.events import Event
from levee.lifecycle.handlers import Context, GoesOn, NotYet
from levee.serve import importers
from levee.serve.importing import carry_out
from levee.serve.recorded import instant
from levee.serve.shop import Shop
from levee.topology.wanted import DeletionPolicy
from levee.topology.wording import listed
from levee.worlds.kubernetes.names import Owner
from levee.worlds.local.book import StoreSilent
from levee_spark.log import clock, registration
from levee_spark.log.ask import CorruptRecord
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Script
from levee_spark.store.blobs import Trouble
from levee_spark.store.driver import StoreDriver

Object: TypeAlias = Mapping[str, Any]

AT_ONCE = 5_000  # objects: seconds of work
STUCK_MS = 120_000  # a pod that should have been gone for so long is not waited for
LET_GO = "spec.deletionPolicy: retain lets it go without"
UNTIL_LET_GO = "its data are deleted when they let them go, or are silent until their lease has run out"
LIVED = {"dispatching", "running", "updating", "reshaping", "reverting", "completing", "suspending", "suspended"}


@dataclass(slots=True)
class Settling:
    shop: Shop
    owner: Owner
    tell: Callable[[Event], None]
    calls: int = 0
    deleted: int = 0

    def settle(self, resource: Object, context: Context, store: Callable[[], StoreDriver]) -> None:
        """NotYet, as long as something is left. A namespace that goes waits for nobody."""
        if not is_to_go(resource):
            return
        if self.shop.namespace_goes(self.owner.namespace):
            self.keep("its namespace goes, and waits for nobody")
            return
        self.wait_for_others((resource["spec"].get("exports") or {}).get("namespaces") or ())
        try:
            readers, count = self.clear(store())
        except (NotYet, StoreSilent, Trouble, CorruptRecord) as why:
            self.give_up(context, why)
            return
        if readers:
            raise NotYet(f"its streams are held by {listed(readers, 'and')}; {UNTIL_LET_GO}; {LET_GO}")
        self.deleted += count
        if count == AT_ONCE:
            self.go_on()
        if self.deleted:
            self.tell(Event("DataDeleted", f"its streams and checkpoints are deleted: {self.deleted} objects"))

    def clear(self, driver: StoreDriver) -> tuple[tuple[str, ...], int]:
        """Who holds its streams, or how many objects are deleted: importers are no resources that this operator sees where a notebook
        reads, a run elsewhere, or a namespace that is no longer exported to; but all of them are registered, and end with their lease."""
        layout = Layout(self.owner.key, self.owner.uid)
        readers = carry_out(driver, self.registered(layout, driver.blobs.resolution_ms))
        return readers, 0 if readers else driver.blobs.clear(layout.root(), AT_ONCE)

    def registered(self, layout: Layout, resolution_ms: int) -> Script[tuple[str, ...]]:
        now = yield from clock.ask_time(layout, f"controller-{self.shop.identity}", None, resolution_ms)
        return (yield from registration.importers(layout, now))

    def wait_for_others(self, allowed: Sequence[str]) -> None:
        """Who still writes would leave what nobody deletes, and who still reads would miss it."""
        if self.is_left():
            raise NotYet("its pods are still ending; its data are deleted after them")
        if readers := importers.of(self.shop.api, self.owner, allowed):
            raise NotYet(f"its streams are imported by {', '.join(readers)}; its data are deleted when that is gone; {LET_GO}")

    def is_left(self) -> bool:
        return any(not self.is_stuck(pod["metadata"]) for pod in self.shop.pods(self.owner))

    def is_stuck(self, metadata: Object) -> bool:
        stamp = metadata.get("deletionTimestamp")
        return stamp is not None and self.shop.wall_ms() - instant(stamp) > STUCK_MS

    def go_on(self) -> None:
        """The more often, the more seldom it is told."""
        self.calls += 1
        if self.calls.bit_count() == 1:
            self.tell(Event("DeletingData", f"{self.deleted} objects are deleted so far"))
        raise GoesOn(f"{self.deleted} objects of its data are deleted so far; the rest follows")

    def give_up(self, context: Context, why: Exception) -> None:
        """A topology that has never begun must not hang: most of those have a store that cannot be used."""
        if any(one.state in LIVED for one in context.record.history):
            raise NotYet(f"its data cannot be deleted: {why}; {LET_GO}")
        self.keep(str(why))

    def keep(self, why: str) -> None:
        self.tell(Event("DataKept", f"what it may have left in its store is not deleted: {why}", grave=True))


def is_to_go(resource: Object) -> bool:
    says = resource["spec"].get("deletionPolicy") or DeletionPolicy.RETAIN
    return says == DeletionPolicy.DELETE and resource["metadata"].get("deletionTimestamp") is not None
