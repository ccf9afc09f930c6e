"""What workers of an exporter would do, as far as an importer waits for it: they commit the first epoch of the stream.

Why: nothing computes on simulated nodes, and a topology that imports waits until its exporter has a control record, which the operator
writes, and one epoch, which a worker would commit as soon as it is ready.
Called by: jobs.
"""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field

from benchmarks.cluster.namespace import STORE
from benchmarks.lifecycle.states import State
from levee.topology.names import TaskId
from levee.worlds.kubernetes.api import Object
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Done, Exists, PutIfAbsent
from levee_spark.log.values import GENESIS, EpochObject, Kind, Manifest
from levee_spark.store.address import open_store
from levee_spark.store.driver import StoreDriver
from levee_spark.store.shared import Shared

FIRST = 1
PAYLOAD = b"nobody reads it"


@dataclass(slots=True)
class Exports:
    """`streams`: those that are imported, by the name of the topology that emits them."""

    driver: StoreDriver
    namespace: str
    streams: Mapping[str, Set[str]]
    begun: set[str] = field(default_factory=set)

    def begin(self, running: Iterable[State]) -> None:
        """Of those that run and have not begun yet; what the store does not take is tried again at the next look."""
        for one in running:
            if one.name not in self.begun and all(self.commit(one, stream) for stream in sorted(self.streams.get(one.name, ()))):
                self.begun.add(one.name)

    def commit(self, one: State, stream: str) -> bool:
        key = Layout(f"{self.namespace}/{one.name}", one.uid).epoch(TaskId(f"{stream}/0"), FIRST)
        manifest = Manifest(FIRST, Kind.FINAL, rows=1, digest="bench", lineage=GENESIS, position=1, writer="bench")
        answer = self.driver.answer(PutIfAbsent(key, EpochObject(manifest, PAYLOAD)))
        return isinstance(answer, Done | Exists)


def of(made: Iterable[Object], namespace: str, store: str) -> Exports:
    return Exports(StoreDriver(open_store(store, secret=STORE), looks_ahead=False, shared=Shared(0)), namespace, streams_in(made))


def streams_in(made: Iterable[Object]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for told in made:
        for source in told["spec"]["sources"]:
            if "import" in source:
                found.setdefault(source["import"]["topology"], set()).add(source["import"]["stream"])
    return found
