"""A Secret that is changed while its topology runs: the operator goes on with what it says now."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from levee.control.names import Instant
from levee.serve import access
from levee.serve.renewing import PAUSE_MS_MAX, Opened, RenewingBlobs, StillClosed
from levee_spark.store.address import open_store
from levee_spark.store.blobs import Blobs, Trouble
from tests.serve.plant import PATH, Operator, Plant, operator, topology

SECRET = "/api/v1/namespaces/shop/secrets/levee-store"  # noqa: S105  (a path)


@dataclass
class Guarded:
    """A store that knows one key at a time."""

    folder: Path
    key: str = "old"
    opened_with: list[str] = field(default_factory=list)

    def open(self, uri: str, *, secret: Mapping[str, str] | None = None, check: bool = True) -> Blobs:
        given = (secret or {})["AWS_ACCESS_KEY_ID"]
        self.opened_with.append(given)
        return Behind(open_store(uri), lambda: self.key == given)


@dataclass
class Behind:
    inner: Blobs
    is_let_in: Callable[[], bool]

    def __getattr__(self, name: str) -> Any:
        if name not in {"where", "resolution_ms"} and not self.is_let_in():
            raise Trouble("403 Forbidden")
        return getattr(self.inner, name)


def rotate(plant: Plant, key: str) -> None:
    data = {"AWS_ACCESS_KEY_ID": base64.b64encode(key.encode()).decode()}
    plant.put(SECRET, {"kind": "Secret", "metadata": {"name": "levee-store", "uid": "of-the-secret"}, "data": data})


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Guarded:
    made = Guarded(tmp_path / "store")
    monkeypatch.setattr(access, "open_store", made.open)
    for pause in ("PAUSE_MS_MIN", "PAUSE_MS_MAX"):
        monkeypatch.setattr(f"levee.serve.renewing.{pause}", 1)
    return made


@pytest.fixture
def plant(store: Guarded) -> Plant:
    made = Plant()
    rotate(made, "old")
    told = topology(store.folder)
    told["spec"]["store"]["secret"] = "levee-store"  # noqa: S105  (a name)
    made.apply(told)
    return made


def healthy(plant: Plant) -> tuple[str, str]:
    found = next(one for one in plant.things[PATH]["status"]["conditions"] if one["type"] == "Healthy")
    return found["reason"], found["message"]


def running(plant: Plant) -> Operator:
    made = operator(plant)
    made.run("running")
    made.go_on(3)
    return made


def test_a_rotated_secret_is_read_again_when_the_store_refuses_the_old_one(plant: Plant, store: Guarded) -> None:
    made = running(plant)
    store.key = "new"
    made.go_on(3)
    assert healthy(plant)[0] == "StoreSilent"
    assert store.opened_with == ["old"]
    rotate(plant, "new")
    made.go_on(5)
    assert store.opened_with == ["old", "new"]
    assert healthy(plant)[0] != "StoreSilent"
    assert made.state() == "running"


def test_no_pod_is_started_again_for_it(plant: Plant, store: Guarded) -> None:
    made = running(plant)
    born = list(plant.born)
    store.key = "new"
    rotate(plant, "new")
    made.go_on(6)
    assert (plant.born, plant.ended) == (born, [])


def test_a_secret_that_is_gone_is_told(plant: Plant, store: Guarded) -> None:
    made = running(plant)
    store.key = "new"
    plant.things.pop(SECRET)
    made.go_on(3)
    assert "there is no such Secret" in healthy(plant)[1]


def test_a_deleted_topology_ends_with_the_keys_of_now(plant: Plant, store: Guarded) -> None:
    made = running(plant)
    store.key = "new"
    rotate(plant, "new")
    plant.delete_topology()
    made.run("canceling")


class Refusing:
    where, resolution_ms = "s3://bucket", 1

    def get(self, *_: object) -> None:
        raise Trouble("403 Forbidden")


def test_a_secret_that_has_not_changed_is_asked_for_more_and_more_seldom() -> None:
    asked: list[int] = []
    now = 0

    def reopen(_: str) -> Opened | None:
        asked.append(now)
        return None

    blobs = RenewingBlobs(Opened(Refusing(), "1"), reopen, lambda: Instant(now))  # type: ignore[arg-type]  # a fake
    while now < 400_000:
        with pytest.raises(Trouble, match="403 Forbidden"):
            blobs.get("key")
        now += 1_000
    pauses = [later - earlier for earlier, later in pairwise(asked)]
    assert pauses[:3] == [2_000, 4_000, 8_000]
    assert pauses[-1] == PAUSE_MS_MAX


def test_one_request_that_is_refused_among_many_that_are_not_asks_no_more_often() -> None:
    """As where a key may write and not delete."""
    asked: list[int] = []
    now = 0

    def reopen(_: str) -> Opened | None:
        asked.append(now)
        return None

    class Half(Refusing):
        def names(self, *_: object) -> tuple[str, ...]:
            return ()

    blobs = RenewingBlobs(Opened(Half(), "1"), reopen, lambda: Instant(now))  # type: ignore[arg-type]  # a fake
    while now < 10_000:
        assert blobs.names("", "", 1) == ()
        with pytest.raises(Trouble):
            blobs.get("key")
        now += 100
    assert {later - earlier for earlier, later in pairwise(asked)} == {2_000}


def test_a_secret_that_makes_no_sense_is_told(plant: Plant, store: Guarded) -> None:
    made = running(plant)
    store.key = "new"
    plant.put(SECRET, {"kind": "Secret", "metadata": {"name": "levee-store", "uid": "of-the-secret"}, "data": {"KEY": "/w=="}})
    made.go_on(3)
    assert "Secret levee-store holds what is no text" in healthy(plant)[1]


def test_why_it_stays_closed_stands_beside_what_the_store_said() -> None:
    def reopen(_: str) -> Opened | None:
        raise StillClosed("there is no such Secret")

    blobs = RenewingBlobs(Opened(Refusing(), "1"), reopen, lambda: Instant(0))  # type: ignore[arg-type]  # a fake
    with pytest.raises(Trouble, match="403 Forbidden; there is no such Secret"):
        blobs.get("key")


def test_while_the_store_is_silent_a_pod_that_ended_is_made_again_and_no_lead_is_told(plant: Plant, store: Guarded) -> None:
    made = running(plant)
    store.key = "new"
    made.go_on(3)
    assert healthy(plant)[0] == "StoreSilent"
    before, gone = len(plant.born), plant.pods()[0]["metadata"]["name"]
    plant.fail(gone)
    made.go_on(6)
    assert len(plant.born) == before + 1
    assert "SurvivorsLead" not in [reason for reason, _ in plant.told()]
    rotate(plant, "new")
    made.go_on(5)
    assert healthy(plant)[0] != "StoreSilent"
