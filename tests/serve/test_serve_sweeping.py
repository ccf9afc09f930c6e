"""The texts that edits leave: deleted when nobody reads them, and never before."""

import copy
from pathlib import Path
from typing import Any

import pytest

from levee.control.names import Instant
from levee.serve import sweeping
from levee.serve.life import Life
from levee.serve.shop import Shop
from levee.worlds.kubernetes.api import Denied, Unreachable
from tests.serve.plant import Operator, Plant, operator, topology

TEXTS = "/api/v1/namespaces/shop/configmaps"


class Time:
    """Of the operator: it goes on by itself, and is put forward."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead_ms = 0
        now, wall_ms = Shop.now, Shop.wall_ms
        monkeypatch.setattr(Shop, "now", lambda shop: Instant(now(shop) + self.ahead_ms))
        monkeypatch.setattr(Shop, "wall_ms", lambda shop: wall_ms(shop) + self.ahead_ms)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    made = Plant()
    made.apply(topology(tmp_path / "store"))
    return made


def texts(plant: Plant) -> set[str]:
    return {path.rpartition("/")[2] for path in plant.things if path.startswith(f"{TEXTS}/")}


def mounted(plant: Plant) -> set[str]:
    return {volume["configMap"]["name"] for pod in plant.pods() for volume in pod["spec"]["volumes"] if "configMap" in volume}


def edit(plant: Plant, folder: Path, one: Operator, target: float) -> None:
    """Another guarantee is another text, and with the same placement no other pod."""
    plant.apply(topology(folder / "store", faultTolerance={"target": {"completeness": target}}))
    one.go_on(12)


def edited(plant: Plant, folder: Path) -> Operator:
    one = operator(plant)
    one.run("running")
    one.go_on(2)
    for target in (0.8, 0.7, 0.6):
        edit(plant, folder, one, target)
    return one


def pass_on(one: Operator, time: Time, ms: int = sweeping.SETTLED_MS + 1_000) -> None:
    time.ahead_ms += ms
    one.go_on(3)


def test_what_neither_a_pod_nor_the_plan_in_force_needs_is_deleted(plant: Plant, tmp_path: Path, time: Time) -> None:
    one = edited(plant, tmp_path)
    assert len(texts(plant)) == 4, "each edit leaves one"
    used = mounted(plant)
    pass_on(one, time)
    left = texts(plant)
    assert used <= left
    assert left == used | {one.life.ground.world.terms.config_map}  # type: ignore[union-attr]  # it runs
    assert len(left) < 4
    assert one.state() == "running"


def test_what_an_earlier_operator_has_left_goes_with_the_next(plant: Plant, tmp_path: Path, time: Time) -> None:
    edited(plant, tmp_path)
    other = operator(plant)
    other.go_on(3)
    assert len(texts(plant)) == 4
    pass_on(other, time)
    assert len(texts(plant)) < 4


def test_what_a_pod_needs_stays_until_that_is_gone(plant: Plant, tmp_path: Path, time: Time) -> None:
    """Also one that is only on its way out."""
    one = edited(plant, tmp_path)
    old = min(mounted(plant) - {one.life.ground.world.terms.config_map})  # type: ignore[union-attr]  # it runs
    pass_on(one, time)
    assert old in texts(plant)
    plant.apply(topology(tmp_path / "store", restartNonce=1))
    one.go_on(20)
    assert old not in mounted(plant)
    pass_on(one, time)
    assert texts(plant) == mounted(plant)


def test_nothing_is_deleted_soon_after_a_change(plant: Plant, tmp_path: Path, time: Time) -> None:
    one = edited(plant, tmp_path)
    pass_on(one, time, sweeping.SETTLED_MS // 2)
    assert len(texts(plant)) == 4


def test_what_another_topology_of_that_name_has_left_is_not_touched(plant: Plant, tmp_path: Path, time: Time) -> None:
    one = edited(plant, tmp_path)
    other = copy.deepcopy(plant.things[f"{TEXTS}/{min(texts(plant))}"])
    other["metadata"] |= {"name": "of-another", "ownerReferences": [{"uid": "another"}]}
    plant.put(f"{TEXTS}/of-another", other)
    pass_on(one, time)
    assert "of-another" in texts(plant)


def test_many_are_found_page_by_page(plant: Plant, tmp_path: Path, time: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "PAGE", 1)
    one = edited(plant, tmp_path)
    pass_on(one, time)
    assert mounted(plant) <= texts(plant)
    assert len(texts(plant)) < 4


@pytest.mark.parametrize("trouble", [Denied(403, "Forbidden", "cannot list"), Unreachable("nobody there")])
def test_where_it_cannot_be_done_the_topology_goes_on(
    plant: Plant, tmp_path: Path, time: Time, monkeypatch: pytest.MonkeyPatch, trouble: Exception
) -> None:
    one = edited(plant, tmp_path)
    refuse(monkeypatch, trouble)
    pass_on(one, time)
    assert len(texts(plant)) == 4
    assert one.state() == "running"
    assert life(one).sweeping.is_due(Instant(10**15)) is isinstance(trouble, Unreachable)


def refuse(monkeypatch: pytest.MonkeyPatch, trouble: Exception) -> None:
    def listed(*_: object) -> Any:
        raise trouble

    monkeypatch.setattr(sweeping.Sweeping, "listed", listed)


def life(one: Operator) -> Life:
    assert one.life is not None
    return one.life
