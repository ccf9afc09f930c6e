"""A large topology is looked at in parts between two looks at the whole, and nothing comes out otherwise for that."""

from collections.abc import Iterator
from copy import copy
from pathlib import Path
from typing import Any

import pytest

from benchmarks.lifecycle.stub import StubApi
from benchmarks.lifecycle.turn import Stage
from levee.control.names import Instant
from levee.worlds.kubernetes.api import Denied, Object
from levee.worlds.kubernetes.world import KubernetesWorld

NEVER, NOW = Instant(10**15), Instant(0)


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage.make(Path(tmp_path_factory.mktemp("parts")), 400)
    made.until_running()
    made.turn()
    made.life.whole_due = NEVER
    yield made
    made.close()


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[Instant]:
    """At the whole."""
    found, observe = [], KubernetesWorld.observe

    def counted(world: KubernetesWorld, now: Instant) -> object:
        found.append(now)
        return observe(world, now)

    monkeypatch.setattr(KubernetesWorld, "observe", counted)
    return found


def test_a_lost_pod_is_replaced_without_a_look_at_all_others(stage: Stage, looks: list[Instant]) -> None:
    before = {pod["metadata"]["name"] for pod in stage.pods()}
    stage.lose_a_pod()
    after = {pod["metadata"]["name"] for pod in stage.pods()}
    assert (len(after - before), len(before - after)) == (1, 1)
    assert not looks
    assert stage.life.parts is not None
    assert not stage.life.parts.left


class Untouched(tuple[Any, ...]):
    """Single ones may be taken of it."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        raise AssertionError("somebody goes through all of them")


def test_a_lost_pod_is_replaced_without_going_through_all_workers_and_nodes(stage: Stage) -> None:
    parts = stage.life.parts
    assert parts is not None
    whole, parts.whole = parts.whole, copy(parts.whole)
    object.__setattr__(parts.whole, "workers", Untouched(whole.workers))
    object.__setattr__(parts.whole, "nodes", Untouched(whole.nodes))
    try:
        stage.lose_a_pod()
    finally:
        parts.whole = whole
    assert stage.life.parts is parts
    assert not parts.left


def test_the_look_at_the_whole_that_follows_finds_nothing_to_do_and_nothing_to_tell(stage: Stage, looks: list[Instant]) -> None:
    stage.lose_a_pod()
    writes = stage.api.writes
    stage.life.whole_due = NOW
    stage.turn()
    assert len(looks) == 1
    assert stage.settled()
    assert stage.api.writes == writes


def test_an_edit_is_answered_by_a_look_at_the_whole(stage: Stage, looks: list[Instant]) -> None:
    stage.life.whole_due = NEVER
    stage.turn()
    assert not looks
    stage.life.look_at_whole()  # as the hub does when the resource has changed
    stage.turn()
    assert len(looks) == 1


def test_a_pod_that_is_refused_is_told_of_and_not_asked_for_at_every_turn(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    stage.life.whole_due = NEVER
    stage.turn()
    assert stage.life.parts is not None
    asked, create = 0, StubApi.create

    def refused(api: StubApi, path: str, body: Object) -> Object | None:
        nonlocal asked
        if path.endswith("/pods"):
            asked += 1
            raise Denied(403, "Forbidden", "exceeded quota")
        return create(api, path, body)

    with monkeypatch.context() as patch:
        patch.setattr(StubApi, "create", refused)
        stage.lose_a_pod()
        first = asked
        for _ in range(5):
            stage.turn()
        assert asked <= first + 2
        [healthy] = [one for one in stage.life.written["conditions"] if one["type"] == "Healthy"]
        assert (healthy["status"], healthy["reason"]) == ("False", "CannotAct")
        assert "exceeded quota" in healthy["message"]
    stage.life.hindrance = None  # its pause is over
    stage.turn()
    stage.turn()
    assert stage.settled()


def test_a_node_that_dies_is_answered_by_a_look_at_the_whole(stage: Stage, looks: list[Instant]) -> None:
    stage.life.whole_due = NEVER
    stage.turn()
    looks.clear()
    name = next(iter(stage.shop.cluster.all_nodes))
    dead = {"type": "Ready", "status": "Unknown", "lastTransitionTime": "2026-01-01T00:00:00Z"}
    stage.shop.cluster.keep_node({"metadata": {"name": name, "labels": {}}, "status": {"conditions": [dead]}})
    stage.turn()
    assert looks
