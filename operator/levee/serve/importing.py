"""Sources that import streams of other topologies, as the operator looks after them: exporters are found, registered with, and released.

Why: a topology whose exporter is missing would start replicas that can do nothing; so it waits in `mapping`, and says what for. From then
on what it has yet to import is held, also while its pods start.
Called by: making, in threads.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias
from uuid import uuid4

from levee.control.events import Event
from levee.lifecycle.handlers import Context, NotYet
from levee.serve import importers
from levee.serve.shop import Shop
from levee.topology.crd import PLURAL
from levee.topology.imports import Exports, Import
from levee.topology.spec import API_VERSION, Resource
from levee.worlds.kubernetes.api import Denied
from levee.worlds.kubernetes.names import Owner
from levee.worlds.local.book import StoreSilent, answered
from levee_spark.log import ask, exporter, floor, head, registration
from levee_spark.log.exporter import CannotImport, Waiting
from levee_spark.log.imports import Reached
from levee_spark.log.keys import Layout
from levee_spark.log.registration import Registrar
from levee_spark.log.requests import Script, T
from levee_spark.log.values import Floor, Imported
from levee_spark.log.wiring import Wiring
from levee_spark.store.drive import respond, unexpected
from levee_spark.store.driver import StoreDriver
from levee_spark.worker import imports

Object: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Imports:
    """Of one topology."""

    shop: Shop
    owner: Owner
    tell: Callable[[Event], None]

    # ---- before it is planned

    def map(self, resource: Resource, wiring: Wiring, driver: StoreDriver) -> None:
        """NotYet, as long as an exporter is missing."""
        for source, said in imports.imports_in(resource).items():
            uid = self.exporter(resource, said)["metadata"]["uid"]
            wanted = imports.wanted_of(resource, source)
            try:
                found = carry_out(driver, exporter.mapped(wiring.layout, replace(wanted, uid=wanted.uid or uid)))
                if not isinstance(found, Waiting):
                    carry_out(driver, self.hold(resource, wiring, found))
            except CannotImport as wrong:
                raise NotYet(str(wrong)) from None
            except StoreSilent as silent:
                raise NotYet(f"the store does not answer: {silent}") from None
            if isinstance(found, Waiting):
                raise NotYet(f"source '{source}' waits: {found.why}")

    def exporter(self, resource: Resource, said: Import) -> Object:
        """The resource, if it is there and may be imported from."""
        namespace = said.namespace or self.owner.namespace
        name = f"{namespace}/{said.topology}"
        try:
            found = self.shop.api.get(f"/apis/{API_VERSION}/namespaces/{namespace}/{PLURAL}/{said.topology}")
        except Denied as denied:
            wrong = f"this operator may not look for {name} ({denied})"
            raise NotYet(f"{wrong}: add {namespace} to its watchNamespaces") from None
        if found is None or found["metadata"].get("deletionTimestamp") is not None:
            state = "is being deleted" if found is not None else "is not there yet"
            raise NotYet(f"it imports '{said.stream}' of {name}, which {state}")
        allowed = Exports(**(found["spec"].get("exports") or {}))
        if namespace != self.owner.namespace and not allowed.allow(self.owner.namespace):
            fix = f"add spec.exports: {{namespaces: [{self.owner.namespace}]}} there"
            raise NotYet(f"{name} does not let namespace {self.owner.namespace} import its streams: {fix}")
        mine, other = resource.spec.store.uri, str(found["spec"]["store"]["uri"])
        if place(mine) != place(other):
            raise NotYet(f"{name} keeps its streams in {other}, and this topology in {mine}: a stream is imported within one store")
        return found

    def hold(self, resource: Resource, wiring: Wiring, found: Imported) -> Script[None]:
        """What follows the last epoch that was imported, or all that is there, until the source's replicas see to that themselves."""
        layout, lease_ms = Layout(found.topology, found.uid), imports.lease_ms(imports.imports_in(resource)[found.source])
        tasks = yield from exporter.tasks_of(layout, found)
        oldest = 1
        for task in tasks:
            oldest = max(oldest, (yield from floor.latest(layout, task, Floor(0, 0))).epoch)
        for task in (one for one, wired in wiring.tasks.items() if wired.operator == found.source):
            before = yield from head.find(wiring.layout, task)
            reached = Reached.of(before.offsets).epoch if before is not None and before.offsets else oldest - 1
            importer, holder = imports.importer_of(resource, wiring, task), f"controller-{self.shop.identity}-{uuid4().hex[:8]}"
            registrar = Registrar(layout, found.stream, importer, holder, lease_ms, wiring.times.resolution_ms)
            yield from registrar.keep(reached, tasks)  # what is lost is told by the source itself

    # ---- when it is over

    def release(self, resource: Object, context: Context, store: Callable[[], StoreDriver]) -> None:
        """Of what is gone for good. Whatever is left ends with its lease: a namespace must not wait for a silent store."""
        if resource["metadata"].get("deletionTimestamp") is None and context.record.ending != "completed":
            return
        self.tell_of_readers(resource)
        if not any("import" in source for source in resource["spec"].get("sources") or ()):
            return
        try:
            carry_out(store(), self.releasing(Layout(self.owner.key, self.owner.uid)))
        except (NotYet, StoreSilent) as why:
            self.tell(Event("RegistrationsLeft", f"its registrations with exporters end with their lease: {why}"))

    def releasing(self, layout: Layout) -> Script[None]:
        for name in (yield from ask.names(f"{layout.root()}/imports")):
            found = yield from ask.read(name, Imported)
            if found is not None:
                yield from registration.release(Layout(found.topology, found.uid), found.stream, layout.uid)

    def tell_of_readers(self, resource: Object) -> None:
        allowed = (resource["spec"].get("exports") or {}).get("namespaces") or ()
        if resource["metadata"].get("deletionTimestamp") and (readers := importers.of(self.shop.api, self.owner, allowed)):
            note = f"its streams are still imported by {', '.join(readers)}, which get what is there, and nothing more"
            self.tell(Event("StillImported", note, grave=True))


def carry_out(driver: StoreDriver, script: Script[T]) -> T:
    """A store that is silent is asked again at the next turn, and not for ever in this one."""
    waiter = driver.waiter()
    try:
        request = next(script)
        while True:
            request = script.send(answered(request, respond(request, driver, waiter, unexpected)))
    except StopIteration as end:
        value: T = end.value
        return value


def place(uri: str) -> str:
    """Without what says how it is written to."""
    return uri.partition("?")[0].rstrip("/")
