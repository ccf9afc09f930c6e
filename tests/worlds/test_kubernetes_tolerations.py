"""Who loses its node is moved soon, whatever else a template lets its pods tolerate."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from levee.worlds.kubernetes import trial
from levee.worlds.kubernetes.pods import PodTerms, pod
from levee.worlds.kubernetes.trial import Trial
from levee_spark.check.edits import Edited
from tests.worlds.test_kubernetes_executors import START, TERMS, template
from tests.worlds.test_kubernetes_pods import BIRTH

NOT_READY, UNREACHABLE = "node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"
SPOT = {"key": "spot", "operator": "Exists", "effect": "NoSchedule"}
PATIENT = {"key": UNREACHABLE, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 60}
Made = Callable[[PodTerms], Mapping[str, Any]]


def worker(terms: PodTerms) -> dict[str, Any]:
    return pod(START, terms, BIRTH)


def tried(terms: PodTerms) -> dict[str, Any]:
    return trial.pod(Trial(2, Edited(("vwap",))), terms)


@pytest.fixture(params=[worker, template, tried], ids=["worker", "executor", "trial"])
def made(request: pytest.FixtureRequest) -> Made:
    found: Made = request.param
    return found


def tolerated(manifest: Mapping[str, Any]) -> list[tuple[str | None, int | None]]:
    return [(one.get("key"), one.get("tolerationSeconds")) for one in manifest["spec"]["tolerations"]]


def told(*tolerations: Mapping[str, Any]) -> PodTerms:
    return replace(TERMS, tolerate_s=7, template=json.loads(json.dumps({"spec": {"tolerations": tolerations}})))


def test_what_a_template_tolerates_comes_beside_what_levee_does(made: Made) -> None:
    assert tolerated(made(told(SPOT))) == [("spot", None), (NOT_READY, 7), (UNREACHABLE, 7)]


def test_what_a_template_says_of_a_lost_node_holds(made: Made) -> None:
    assert tolerated(made(told(PATIENT))) == [(UNREACHABLE, 60), (NOT_READY, 7)]


def test_who_tolerates_everything_still_leaves_a_lost_node(made: Made) -> None:
    assert tolerated(made(told({"operator": "Exists"}))) == [(None, None), (NOT_READY, 7), (UNREACHABLE, 7)]


def test_no_template_takes_them_away(made: Made) -> None:
    ours = [(NOT_READY, 7), (UNREACHABLE, 7)]
    assert tolerated(made(told())) == tolerated(made(replace(TERMS, tolerate_s=7))) == ours
    assert tolerated(made(replace(TERMS, tolerate_s=7, template={"spec": {"tolerations": None}}))) == ours
