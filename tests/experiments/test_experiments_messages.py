"""What is wrong with an experiment is said at once, all of it, with what to write instead."""

from typing import Any

import pytest

from levee.experiments.checks.around import NodeFacts, Permits, of_nodes, of_permits, of_topology
from tests.experiments.texts import changed, experiment, said, step
from tests.topology.shop import topology_after

BAD: list[tuple[dict[str, Any], str, str]] = [
    (
        {"steps": [step()]},
        "spec.steps[0].arguments: crash_replica names nobody to hit.",
        "say operator, task, replica, node or role, such as operator: NAME",
    ),
    ({"steps": [step(role="any")]}, "spec.steps[0].arguments: crash_replica names nobody to hit.", "say operator"),
    (
        {"steps": [step("pause_node", node="node-1")]},
        "spec.steps[0].arguments: pause_node needs for_s.",
        "add for_s: a number",
    ),
    (
        {"steps": [step("pause_replica", operator="orders", for_s=0)]},
        "spec.steps[0].arguments.for_s: 0 s is no time.",
        "say for how many seconds it lasts",
    ),
    (
        {"steps": [step("crash_replicas", operator="orders")]},
        "spec.steps[0].action: there is no action 'crash_replicas'.",
        "use 'crash_replica'",
    ),
    (
        {"steps": [step(operator="orders", rôle="primary")]},
        "spec.steps[0].arguments.rôle: crash_replica has no argument 'rôle'.",
        "use 'role'",
    ),
    ({"steps": [step(operator="orders", role="first")]}, "spec.steps[0].arguments.role: 'first' is none.", "primary, secondary or any"),
    ({"steps": [step(operator=7)]}, "spec.steps[0].arguments.operator: is a number, but must be text.", "write text"),
    (
        {"steps": [step(operator="orders", task="totals/0")]},
        "spec.steps[0].arguments.task: task 'totals/0' is not of operator 'orders', and nothing is both.",
        "remove operator, or name another task",
    ),
    (
        {"steps": [step(operator="orders", when={"after": "1s", "epoch": 3})]},
        "spec.steps[0].when: has after and epoch, but a step has one moment.",
        "keep one of them",
    ),
    ({"steps": [step(operator="orders", when={})]}, "spec.steps[0].when: says no moment.", "say one of after, epoch, rate"),
    (
        {"steps": [step(operator="orders", when={"rate": {"atLeast": 1, "atMost": 2}})]},
        "spec.steps[0].when.rate: needs either atLeast or atMost.",
        "rows per second",
    ),
    (
        {"steps": [step(operator="orders", when={"transition": {"from": "running", "to": "running"}})]},
        "spec.steps[0].when.transition: goes from 'running' to itself.",
        "name two states",
    ),
    ({"steps": [{"arguments": {}}]}, "spec.steps[0]: does nothing.", "write either action: crash_replica or probe: goes_on"),
    (
        {"steps": [step(operator="orders") | {"probe": "ready"}]},
        "spec.steps[0]: has both an action and a probe, 'crash_replica' and 'ready'.",
        "or make two steps of it",
    ),
    (
        {"steps": [step(operator="orders") | {"name": "a"}, step(operator="orders") | {"name": "a"}]},
        "spec.steps[1].name: 'a' is the name of an earlier step.",
        "a name of its own",
    ),
    (
        {"steps": [step("crash_node", node="node-1", command="reboot {node}")]},
        "spec.steps[0].arguments.command: an experiment on a cluster runs no commands of yours.",
        "driver: sysrq",
    ),
    (
        {"steps": [step("crash_node", node="node-1", driver="cluster")]},
        "spec.steps[0].arguments.driver: 'cluster' crashes nodes from outside of the cluster, where no Job is.",
        "say driver: sysrq, or use chaos run",
    ),
    (
        {"steadyState": {"probes": [{"probe": "lag_below"}]}},
        "spec.steadyState.probes[0].arguments: lag_below needs epochs.",
        "add epochs: a whole number",
    ),
    (
        {"steadyState": {"probes": [{"probe": "state", "equals": "Settled", "atLeast": 1}]}},
        "spec.steadyState.probes[0]: is to equal a text and to be within limits.",
        "keep equals",
    ),
    (
        {"steadyState": {"probes": [{"probe": "recovery_time", "atLeast": 2, "atMost": 1}]}},
        "spec.steadyState.probes[0]: nothing is both at least 2 and at most 1.",
        "exchange the two",
    ),
    (
        {"safety": {"timeLimit": "10s", "lostFor": "5s"}},
        "spec.safety.timeLimit: is 10s, but its steps wait for 10s.",
        "make it longer",
    ),
    ({"safety": {"lostFor": "1h"}}, "spec.safety.lostFor: is 1h, but all of it may take 30m only.", "shorter than timeLimit"),
    (
        {"topology": "Clicks"},
        "spec.topology: 'Clicks' is not a name: only lower-case letters, digits and '-' may stand in it, and a letter comes first.",
        "use 'clicks'",
    ),
    ({"steps": []}, "spec.steps: is empty.", "add at least one"),
    ({"steadyStates": {}}, "spec.steadyStates: is not a known field.", "use 'steadyState'"),
]


@pytest.mark.parametrize(("spec", "wrong", "fix"), BAD, ids=[wrong.strip()[:70] for _, wrong, _ in BAD])
def test_a_mistake_is_named_with_its_place_and_its_remedy(spec: dict[str, Any], wrong: str, fix: str) -> None:
    [told] = said(changed(**spec))
    assert told.startswith(f"  {wrong}\n    Fix: "), told
    assert fix in told


def test_all_mistakes_are_told_at_once_also_where_the_shape_is_wrong() -> None:
    told = said(changed(steps=[step(), step("pause_replicas", operator="orders")], safety={"lostFor": 7}, topologie="x"))
    assert [one.split(":")[0].strip() for one in told] == [
        "spec.safety.lostFor",
        "spec.topologie",
        "spec.steps[0].arguments",
        "spec.steps[1].action",
    ]


@pytest.mark.parametrize(
    "steps",
    [
        [step(role="primary")],
        [step("pause_replica", task="orders/1", for_s=2.5, when={"epoch": 100})],
        [step("slow_replica", replica="orders/0/1", for_s=5, share=0.5, when={"rate": {"source": "web", "atLeast": 700}})],
        [step("crash_node", node="node-2", when={"state": "running"}), {"probe": "goes_on", "arguments": {"epochs": 5}}],
        [step("crash_operator", when={"transition": {"from": "running", "to": "updating"}, "within": "1h"})],
    ],
)
def test_what_makes_sense_is_accepted(steps: list[Any]) -> None:
    assert said(changed(steps=steps)) == []


# ---- around it


def wrongs(found: Any) -> list[str]:
    return [f"{one.where}: {one.wrong}" for one in found]


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"steps": [step(operator="order")]}, "spec.steps[0].arguments.operator: the topology has no operator 'order'"),
        ({"steps": [step(task="orders/2")]}, "spec.steps[0].arguments.task: the topology has no task 'orders/2'"),
        ({"steps": [step(replica="orders/0/2")]}, "spec.steps[0].arguments.replica: the topology has no replica 'orders/0/2'"),
        (
            {"steps": [step(operator="web", when={"rate": {"source": "orders", "atLeast": 1}})]},
            "spec.steps[0].when.rate.source: the topology has no source 'orders'",
        ),
        (
            {"steps": [step(operator="totals")], "safety": {"targets": {"operators": ["orders", "joined/1"]}}},
            "spec.steps[0].arguments.operator: 'totals' may not be hit, only orders and joined/1",
        ),
        (
            {"steps": [step(operator="joined")], "safety": {"targets": {"operators": ["joined/1"]}}},
            "spec.steps[0].arguments.operator: 'joined' may not be hit, only joined/1",
        ),
        (
            {"steps": [step(operator="orders")], "safety": {"targets": {"operators": ["orders", "order/0"]}}},
            "spec.safety.targets.operators[1]: the topology has no operator or task 'order/0'",
        ),
    ],
)
def test_whom_a_topology_does_not_have_or_an_experiment_may_not_hit_is_refused(spec: dict[str, Any], wrong: str) -> None:
    assert wrongs(of_topology(experiment(**spec), topology_after())) == [wrong]


def test_what_is_there_and_allowed_is_no_matter() -> None:
    steps = [step(task="joined/1"), step(operator="report"), step(replica="orders/1/0")]
    found = experiment(steps=steps, safety={"targets": {"operators": ["joined/1", "report", "orders"]}})
    assert wrongs(of_topology(found, topology_after())) == []


NOBODY = "and nobody could undo what is done without it"
NODES = {"node-1": NodeFacts(True, True), "node-2": NodeFacts(True, False), "node-3": NodeFacts(False, False)}


@pytest.mark.parametrize(
    ("steps", "wrong"),
    [
        ([step("crash_node", node="node-4")], "spec.steps[0].arguments.node: there is no node 'node-4'"),
        (
            [step("crash_node", node="node-1")],
            f"spec.steps[0].arguments.node: 'node-1' has the last copy of the cluster's control plane, {NOBODY}",
        ),
    ],
)
def test_a_node_that_is_not_there_or_has_the_last_control_plane_is_refused(steps: list[Any], wrong: str) -> None:
    assert wrongs(of_nodes(experiment(steps=steps), NODES)) == [wrong]


def test_two_steps_that_take_all_nodes_are_too_much() -> None:
    nodes = {"node-2": NodeFacts(True, False), "node-3": NodeFacts(True, False)}
    steps = [step("crash_node", node="node-2"), step("pause_node", node="node-3", for_s=5)]
    assert wrongs(of_nodes(experiment(steps=steps), nodes)) == [
        "spec.steps[1].arguments.node: with 'node-3' no node would be left: that is too much"
    ]
    assert wrongs(of_nodes(experiment(steps=steps), nodes | {"node-4": NodeFacts(True, False)})) == []


def test_a_replica_on_the_last_node_of_the_control_plane_may_be_crashed() -> None:
    assert wrongs(of_nodes(experiment(steps=[step(node="node-1")]), NODES)) == []


def test_a_release_allows_nothing_unless_it_says_so() -> None:
    found = experiment(steps=[step("pause_replica", operator="orders", for_s=5)])
    assert wrongs(of_permits(found, Permits(False, (), False))) == ["chaos.enabled: experiments are not allowed by this release"]
    assert wrongs(of_permits(found, Permits(True, ("orders", "test"), False))) == [
        "metadata.namespace: experiments are not allowed in namespace shop, only in orders and test",
        "spec.steps[0].action: pause_replica needs a privileged pod on a node, which this release does not allow",
    ]
    assert wrongs(of_permits(found, Permits(True, ("shop",), True))) == []
    assert wrongs(of_permits(experiment(), Permits(True, (), False))) == [], "a pod is deleted without any privilege"
