"""A topology that imports a stream of another one: what it waits for, what it holds, and who is told when its exporter goes."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from levee.topology.names import OperatorName, TaskId
from levee.worlds.kubernetes.api import Object
from levee_spark.lane import rows
from levee_spark.log import ask, control
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Done, PutIfAbsent
from levee_spark.log.values import EpochObject, Imported, Kind, Live, Manifest, Record, Registration, Shape
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from levee_spark.store.shared import Shared
from tests.serve.plant import PATH, Operator, Plant, operator, stamp, topology

STREAM = OperatorName("pairs")


@dataclass
class Shop:
    """`shop/clicks` imports from a topology called prices."""

    root: Path
    plant: Plant = field(default_factory=Plant)
    driver: StoreDriver = field(init=False)

    def __post_init__(self) -> None:
        self.driver = StoreDriver(open_store(self.root.as_uri(), durable=False), looks_ahead=False, shared=Shared(0))

    def imports(self, **said: str) -> Operator:
        told = topology(self.root)
        told["spec"]["sources"][0] = {"name": "market", "import": {"topology": "prices", "stream": "pairs", **said}} | {
            "configurations": [{"rate": 10}]
        }
        self.plant.apply(told)
        return operator(self.plant)

    def exports(self, namespace: str = "shop", uid: str = "u1", **spec: Any) -> Object:
        path = f"{PATH.rpartition('/')[0]}/prices".replace("/shop/", f"/{namespace}/")
        metadata = {"name": "prices", "namespace": namespace, "uid": uid}
        told = {"store": {"uri": self.root.as_uri()}, "sources": [], **spec}
        return self.plant.put(path, {"metadata": metadata, "spec": told})

    def put(self, key: str, record: Record) -> None:
        assert isinstance(self.driver.answer(PutIfAbsent(key, record)), Done)

    def begins(self, namespace: str = "shop") -> Layout:
        """It has an epoch."""
        layout = Layout(f"{namespace}/prices", "u1")
        self.put(layout.control(1), control.first(Shape(), Live((("pairs/0/0", 0),)), "test"))
        payload = rows.encode(pa.table({"n": [1]}))
        self.put(layout.epoch(TaskId("pairs/0"), 1), EpochObject(Manifest(1, Kind.FINAL, 1, "d", "l", 1, "w"), payload))
        return layout

    def registered(self, layout: Layout) -> list[Registration]:
        found = [drive(ask.look(name), self.driver) for name in drive(ask.names(layout.registrations(STREAM)), self.driver)]
        return [one.record for one in found if hasattr(one, "record") and isinstance(one.record, Registration)]

    def status(self) -> tuple[str, str, str]:
        status = self.plant.things[PATH]["status"]
        [ready] = [one for one in status["conditions"] if one["type"] == "Ready"]
        return status["state"], ready["reason"], ready["message"]

    def told(self, reason: str) -> list[str]:
        events = [thing for thing in self.plant.things.values() if thing.get("kind") == "Event"]
        return [one["note"] for one in events if one["reason"] == reason]


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path / "store")


def test_it_waits_until_its_exporter_is_there_and_has_begun_and_then_it_runs(shop: Shop) -> None:
    one = shop.imports()
    one.go_on(8)
    assert shop.status() == ("mapping", "Waiting", "map_streams: it imports 'pairs' of shop/prices, which is not there yet")
    assert len(shop.told("Waiting")) == 1
    shop.exports()
    again = operator(shop.plant)
    again.go_on(3)
    assert shop.status()[2] == "map_streams: source 'market' waits: there is no topology shop/prices in this store yet" or (
        shop.status()[2] == "map_streams: source 'market' waits: shop/prices has not begun yet"
    )
    assert not shop.plant.born
    layout = shop.begins()
    last = operator(shop.plant)
    last.run("running")
    uid = shop.plant.things[PATH]["metadata"]["uid"]
    own = Layout("shop/clicks", uid)
    mapped = drive(ask.read(own.imported(OperatorName("market")), Imported), shop.driver)
    assert mapped == Imported(OperatorName("market"), "shop/prices", "u1", STREAM)
    assert [(held.importer, held.uid, held.epoch) for held in shop.registered(layout)] == [("shop/clicks", uid, 0)]


@pytest.mark.parametrize(
    ("exports", "wrong"),
    [
        (
            {"namespace": "other"},
            "other/prices does not let namespace shop import its streams: add spec.exports: {namespaces: [shop]} there",
        ),
        ({"namespace": "other", "exports": {"namespaces": ["*"]}, "store": {"uri": "s3://elsewhere/x"}}, "a stream is imported within one"),
    ],
)
def test_an_exporter_that_does_not_allow_it_or_has_another_store_is_not_imported_from(
    shop: Shop, exports: dict[str, Any], wrong: str
) -> None:
    shop.exports(**exports)
    shop.imports(namespace="other").go_on(4)
    assert shop.status()[0] == "mapping"
    assert wrong in shop.status()[2]


def test_an_exporter_in_another_namespace_may_allow_it(shop: Shop) -> None:
    shop.exports(namespace="other", exports={"namespaces": ["shop"]})
    shop.begins("other")
    shop.imports(namespace="other").run("running")


def test_an_exporter_that_is_being_deleted_is_waited_for(shop: Shop) -> None:
    exporter = shop.exports()
    exporter["metadata"]["deletionTimestamp"] = stamp()
    shop.plant.put(f"{PATH.rpartition('/')[0]}/prices", exporter)
    shop.imports().go_on(4)
    assert shop.status()[2].endswith("of shop/prices, which is being deleted")


def test_whoever_is_deleted_keeps_nothing_any_more_of_what_it_has_imported(shop: Shop) -> None:
    shop.exports()
    layout = shop.begins()
    one = shop.imports()
    one.run("running")
    assert shop.registered(layout)
    shop.plant.namespace_goes = True
    shop.plant.delete_topology()
    one.run("gone", 40)
    assert shop.registered(layout) == []


def test_who_still_imports_from_a_topology_that_is_deleted_is_told(shop: Shop) -> None:
    """Here `shop/clicks` is the exporter."""
    reader = {"name": "prices", "namespace": "shop", "uid": "u7"}
    spec = {"sources": [{"name": "in", "import": {"topology": "clicks", "stream": "count"}}]}
    shop.plant.put(f"{PATH.rpartition('/')[0]}/prices", {"metadata": reader, "spec": spec})
    shop.plant.apply(topology(shop.root))
    one = operator(shop.plant)
    one.run("running")
    shop.plant.namespace_goes = True
    shop.plant.delete_topology()
    one.run("gone", 40)
    assert shop.told("StillImported") == ["its streams are still imported by prices, which get what is there, and nothing more"]
