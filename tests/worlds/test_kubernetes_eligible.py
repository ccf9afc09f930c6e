"""The nodes that a topology is planned for are those that take its pods."""

from typing import Any

import pytest

from levee.worlds.kubernetes import eligible
from levee.worlds.kubernetes.cluster import essence

TAINT = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
VALUED = {"key": "team", "value": "red", "effect": "NoExecute"}


def node(name: str, *taints: dict[str, str], ready: str = "True", **spec: Any) -> Any:
    conditions = [{"type": "Ready", "status": ready, "lastTransitionTime": "2026-01-01T00:00:00Z"}]
    told = {"metadata": {"name": name, "labels": {"disk": "fast"}}, "spec": {"taints": list(taints), **spec}}
    return essence(told | {"status": {"conditions": conditions, "allocatable": {"cpu": "4"}}})


def names(there: list[Any], **spec: Any) -> list[str]:
    return [one.name for one in eligible.nodes(there, spec)]


def template(*tolerations: dict[str, str]) -> dict[str, Any]:
    return {"podTemplate": {"spec": {"tolerations": list(tolerations)}}}


def test_nodes_that_are_not_ready_cordoned_or_kept_for_others_are_left_out() -> None:
    there = [node("open"), node("dead", ready="Unknown"), node("cordoned", unschedulable=True), node("control", TAINT)]
    assert names(there) == ["open"]


def test_a_taint_that_only_asks_for_others_first_keeps_nobody_away() -> None:
    assert names([node("last-choice", TAINT | {"effect": "PreferNoSchedule"})]) == ["last-choice"]


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        ({"operator": "Exists"}, True),
        ({"key": "team", "operator": "Exists"}, True),
        ({"key": "team", "operator": "Equal", "value": "red"}, True),
        ({"key": "team", "value": "red", "effect": "NoExecute"}, True),
        ({"key": "team", "value": "blue"}, False),
        ({"key": "team", "value": "red", "effect": "NoSchedule"}, False),
        ({"key": "other", "operator": "Exists"}, False),
    ],
)
def test_what_the_pods_tolerate_is_open_to_them(toleration: dict[str, str], tolerated: bool) -> None:
    assert names([node("red", VALUED)], **template(toleration)) == (["red"] if tolerated else [])


def test_every_taint_of_a_node_counts() -> None:
    assert names([node("both", TAINT, VALUED)], **template({"key": "team", "operator": "Exists"})) == []


def test_labels_that_are_asked_for_have_to_be_there() -> None:
    assert names([node("one")], placement={"nodeSelector": {"disk": "slow"}}) == []
    assert names([node("one")], placement={"nodeSelector": {"disk": "fast"}}) == ["one"]
