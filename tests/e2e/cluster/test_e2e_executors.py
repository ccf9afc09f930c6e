"""An operator whose rows and state executors compute, as pods that its worker has asked for: its output is that of a worker alone, also
where they are lost.

Pods are what takes time, so these tests follow each other on one life of it, in this order; each alone begins a life for itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.e2e.cluster.chart import rendered
from tests.e2e.cluster.kube import Kube, condition
from tests.e2e.cluster.trades import ALONE, KILL_JAVA, LINUX, Trades, compare, living, no_pod_moves, resource, undisturbed

pytestmark = [pytest.mark.e2e, pytest.mark.needs_store]

DRIVER = "levee-driver"
EXECUTORS = {"instances": 2, "memory": "512m"}


@pytest.fixture(scope="module")
def life(shared: Kube, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trades]:
    """Both executors run, and it has begun."""
    words = (f"--set=watchNamespaces={{{shared.namespace}}}", "--set=workers.executors.enabled=true")
    for document in rendered(*words, "--show-only=templates/executors.yaml"):
        shared.create(document)
    with living(shared, tmp_path_factory.mktemp("operators")) as life:
        life.operators.start(LEVEE_DRIVER_SERVICE_ACCOUNT=DRIVER)
        life.create(operators=operators_with(EXECUTORS), faultTolerance=ALONE, placement=LINUX)
        life.wait(lambda: len(ready(shared)) == EXECUTORS["instances"] and life.delivered() != (), "both executors run, it has begun")
        yield life


def operators_with(executors: dict[str, Any]) -> list[dict[str, Any]]:
    """The one that keeps state has them."""
    found: list[dict[str, Any]] = resource({}, "")["spec"]["operators"]
    return [one | {"executors": executors} if one["name"] == "aggregator" else one for one in found]


def executors(kube: Kube) -> list[Any]:
    found: list[Any] = kube.get("pods", "--selector=levee.dev/driver")["items"]
    return found


def ready(kube: Kube) -> set[str]:
    return {one["metadata"]["name"] for one in executors(kube) if condition(one, "Ready")}


def test_the_replica_that_has_them_shares_its_worker_with_nobody(life: Trades) -> None:
    [driver] = {one["metadata"]["ownerReferences"][0]["name"] for one in executors(life.kube)}
    assert life.kube.get("pod", driver)["metadata"]["annotations"]["levee.dev/replicas"] == "aggregator/0/0"


@contextmanager
def one_replaced(life: Trades) -> Iterator[str]:
    """That one, and no other, while there is something to compute."""
    before = ready(life.kube)
    victim = max(before)
    yield victim
    life.wait(lambda: victim not in (now := ready(life.kube)) and len(now) == EXECUTORS["instances"], f"{victim} is replaced")
    assert before - ready(life.kube) == {victim}
    life.goes_on()


def test_an_executor_that_is_lost_is_replaced_alone(life: Trades) -> None:
    with no_pod_moves(life):
        with one_replaced(life) as victim:
            life.kube.run("exec", victim, "--", "sh", "-c", KILL_JAVA)
        with one_replaced(life) as victim:
            life.kube.run("delete", "pod", victim, "--grace-period=0", "--force")


def test_they_compute_what_a_worker_computes_and_go_with_it(life: Trades) -> None:
    for _ in range(3):
        life.goes_on()
    life.end_its_sources()
    life.wait(lambda: life.state() == "completed" and not executors(life.kube), "it has come to its end, and its executors with it")
    (last,) = set(life.last_epochs().values())
    compare(life.rows(), undisturbed(last))
    life.delete()
    life.wait(lambda: not life.is_there, "it is gone")
