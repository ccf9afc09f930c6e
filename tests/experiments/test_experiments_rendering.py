"""An experiment as a document of Chaos Toolkit: complete, valid to Chaos Toolkit itself, and the same on a laptop and on a cluster."""

from typing import Any

import pytest
from chaoslib.experiment import ensure_experiment_is_valid

from levee.experiments.rendering import document
from tests.experiments.texts import experiment, step

CLUSTER = ("shop", "levee-system")


def func(activity: Any) -> str:
    return f"{activity['provider']['module'].rpartition('.')[2]}.{activity['provider']['func']}"


def own(activity: Any) -> Any:
    """Its arguments, without which topology is meant."""
    told = activity["provider"]["arguments"]
    assert {name: told[name] for name in ("directory", "topology", "namespace")} == {
        "directory": "${directory}",
        "topology": "${topology}",
        "namespace": "${namespace}",
    }
    return {name: value for name, value in told.items() if name not in {"directory", "topology", "namespace"}}


MOMENTS = [
    ({"epoch": 500}, "triggers.at_epoch", {"epoch": 500, "timeout_s": 600.0}),
    (
        {"rate": {"source": "web", "atLeast": 700}, "within": "1m"},
        "triggers.at_rate",
        {"source": "web", "at_least": 700, "timeout_s": 60.0},
    ),
    ({"rate": {"atMost": 0}}, "triggers.at_rate", {"source": "", "at_most": 0, "timeout_s": 600.0}),
    ({"state": "updating"}, "triggers.in_state", {"state": "updating", "timeout_s": 600.0}),
    (
        {"transition": {"from": "running", "to": "updating"}},
        "triggers.on_transition",
        {"entered": "updating", "left": "running", "timeout_s": 600.0},
    ),
    ({"transition": {"to": "running"}}, "triggers.on_transition", {"entered": "running", "left": "", "timeout_s": 600.0}),
]


@pytest.mark.parametrize(("when", "called", "arguments"), MOMENTS, ids=[called for _, called, _ in MOMENTS])
def test_a_moment_is_an_action_before_its_step_so_that_the_experiment_ends_where_it_does_not_come(
    when: Any, called: str, arguments: Any
) -> None:
    waits, done, recovers, gap = document(experiment(steps=[step(operator="orders", when=when)]))["method"]
    assert (waits["name"], waits["type"], func(waits), own(waits)) == ("1-crash-replica-waits", "action", called, arguments)
    assert (done["name"], func(done), own(done)) == ("1-crash-replica", "actions.crash_replica", {"operator": "orders"})
    assert (func(recovers), func(gap)) == ("probes.recovered", "probes.recovery_time")


def test_a_time_is_a_pause_before_the_step() -> None:
    [done, _, _] = document(experiment())["method"]
    assert done["pauses"] == {"before": 10.0}


def test_where_no_fault_is_done_no_gap_is_asked_for() -> None:
    method = document(experiment(steps=[{"probe": "goes_on", "arguments": {"epochs": 5}}]))["method"]
    assert [(one["type"], func(one)) for one in method] == [("probe", "probes.goes_on"), ("probe", "probes.recovered")]


def test_what_holds_before_holds_after_and_is_looked_at_between() -> None:
    probes = [
        {"probe": "state", "equals": "Settled"},
        {"probe": "recovery_time", "atMost": 3},
        {"probe": "goes_on", "arguments": {"epochs": 2}, "atLeast": 1},
    ]
    told = document(experiment(steadyState={"probes": probes, "every": "500ms"}, safety={"lostFor": "30s", "timeLimit": "5m"}))
    assert [one["tolerance"] for one in told["steady-state-hypothesis"]["probes"]] == [
        "Settled",
        {"type": "range", "range": [0.0, 3.0]},
        {"type": "range", "range": [1.0, 1e12]},
    ]
    [control] = told["controls"]
    assert {name: control["provider"]["arguments"][name] for name in ("every_s", "lost_for_s", "time_limit_s")} == {
        "every_s": 0.5,
        "lost_for_s": 30.0,
        "time_limit_s": 300.0,
    }


def test_without_probes_of_its_own_it_has_the_usual_ones() -> None:
    probes = document(experiment())["steady-state-hypothesis"]["probes"]
    assert [(func(one), one["tolerance"]) for one in probes] == [
        ("probes.ready", True),
        ("probes.lag_below", True),
        ("probes.no_epoch_lost_or_changed", True),
    ]


def test_on_a_cluster_it_says_what_may_be_touched_and_how_nodes_crash() -> None:
    found = experiment(steps=[step("crash_node", node="node-2")], safety={"targets": {"operators": ["orders"], "nodes": ["node-2"]}})
    there, here = document(found, CLUSTER), document(found)
    limits = {name: value for name, value in there["controls"][0]["provider"]["arguments"].items() if name in LIMITS}
    assert limits == {"namespaces": list(CLUSTER), "only_operators": ["orders"], "only_nodes": ["node-2"]}
    assert there["configuration"] == {"directory": "", "topology": "clicks", "namespace": "shop"}
    assert here["configuration"] == {"directory": "", "topology": "clicks", "namespace": ""}
    assert own(there["method"][0]) == {"node": "node-2", "driver": "sysrq"}
    assert own(here["method"][0]) == {"node": "node-2"}
    assert there["steady-state-hypothesis"] == here["steady-state-hypothesis"]


LIMITS = {"namespaces", "only_operators", "only_nodes"}


def test_rollbacks_are_always_played() -> None:
    told = document(experiment())
    assert told["runtime"] == {"rollbacks": {"strategy": "always"}}
    assert [func(one) for one in told["rollbacks"]] == ["actions.undo_faults"]


@pytest.mark.parametrize("namespaces", [(), CLUSTER])
def test_chaos_toolkit_finds_nothing_wrong(namespaces: tuple[str, ...]) -> None:
    steps = [step(operator="orders", when=when) | {"name": f"step-{number}"} for number, (when, _, _) in enumerate(MOMENTS)] + [
        step("pause_replica", role="primary", for_s=2.5),
        step("slow_replica", task="orders/1", for_s=1),
    ]
    ensure_experiment_is_valid(document(experiment(steps=steps), namespaces))
