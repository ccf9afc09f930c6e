"""A topology in the store that the chart brings says that it depends on one process and one volume."""

import base64
from pathlib import Path
from typing import Any

import pytest

from levee.worlds.kubernetes import embedded
from tests.serve.plant import PATH, Operator, Plant, operator, topology

ADDRESS = "http://levee-store.levee-system.svc:7070"
SECRET = "/api/v1/namespaces/shop/secrets/levee-store"  # noqa: S105  (a path)


def planned(plant: Plant) -> str:
    return next(str(one["message"]) for one in plant.things[PATH]["status"]["conditions"] if one["type"] == "Planned")


def warnings(plant: Plant) -> list[str]:
    return [note for reason, note in plant.told() if reason == "SinglePointOfFailure"]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


def plant_at(store: Path, endpoint: str) -> Plant:
    made = Plant()
    data = {"AWS_ENDPOINT_URL": base64.b64encode(endpoint.encode()).decode()}
    made.put(SECRET, {"kind": "Secret", "metadata": {"name": "levee-store", "uid": "of-the-secret"}, "data": data})
    made.apply(in_store(store))
    return made


def in_store(folder: Path, **spec: Any) -> Any:
    told = topology(folder, **spec)
    told["spec"]["store"]["secret"] = "levee-store"  # noqa: S105  (a name)
    return told


def knowing(plant: Plant) -> Operator:
    made = operator(plant)
    made.shop.embedded_store = ADDRESS
    return made


def test_the_plan_of_a_topology_in_the_charts_store_says_so_and_one_warning_does(store: Path) -> None:
    plant = plant_at(store, ADDRESS)
    one = knowing(plant)
    one.run("running")
    one.go_on(3)
    assert planned(plant).startswith("a guarantee of")
    assert planned(plant).endswith(f"; {embedded.SAYS}")
    assert warnings(plant) == [embedded.SAYS]
    assert next(one["type"] for one in plant.things.values() if one.get("reason") == "SinglePointOfFailure") == "Warning"


def test_neither_another_operator_nor_an_edit_says_it_again(store: Path) -> None:
    plant = plant_at(store, ADDRESS)
    knowing(plant).run("running")
    other = knowing(plant)
    plant.apply(in_store(store, faultTolerance={"target": {"completeness": 0.5}}))
    other.go_on(20)
    assert ("AllReady", "updating -> running") in plant.told()
    assert embedded.SAYS in planned(plant)
    assert len(warnings(plant)) == 1


@pytest.mark.parametrize("endpoint", ["https://s3.example.com", "http://levee-store.other.svc:7070", ""])
def test_a_topology_elsewhere_says_nothing_of_it(store: Path, endpoint: str) -> None:
    plant = plant_at(store, endpoint)
    one = knowing(plant)
    one.run("running")
    one.go_on(2)
    assert embedded.SAYS not in planned(plant)
    assert warnings(plant) == []


@pytest.mark.parametrize(
    ("endpoint", "same"),
    [
        (ADDRESS, True),
        (f"{ADDRESS}/", True),
        ("http://levee-store.levee-system:7070", True),
        ("http://levee-store.levee-system.svc.cluster.local:7070", True),
        ("http://LEVEE-store.levee-system.svc.cluster.local.:7070", True),
        ("http://levee-store.levee-system.svc:7071", False),
        ("http://levee-store.levee-system.example.com:7070", False),
        ("http://[nonsense", False),
    ],
)
def test_a_service_is_known_by_each_of_its_names(endpoint: str, same: bool) -> None:
    assert embedded.is_at(ADDRESS, {"AWS_ENDPOINT_URL": endpoint}) is same
    assert not embedded.is_at(None, {"AWS_ENDPOINT_URL": endpoint})
