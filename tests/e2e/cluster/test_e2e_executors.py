"""An operator whose rows and state executors compute, as pods that its worker has asked for: its output is that of a worker alone, also
where they are lost.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cluster.chart import rendered
from tests.e2e.cluster.kube import Kube, condition
from tests.e2e.cluster.trades import ALONE, KILL_JAVA, LINUX, Trades, Undisturbed, compare, living, no_pod_moves, resource

pytestmark = [pytest.mark.e2e, pytest.mark.own_cluster(because="its store is that of the test cluster")]

EPOCHS = 40
DRIVER = "levee-driver"
EXECUTORS = {"instances": 2, "memory": "512m"}


@pytest.fixture
def life(kube: Kube, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    words = (f"--set=watchNamespaces={{{kube.namespace}}}", "--set=workers.executors.enabled=true")
    for document in rendered(*words, "--show-only=templates/executors.yaml"):
        kube.create(document)
    monkeypatch.setenv("LEVEE_DRIVER_SERVICE_ACCOUNT", DRIVER)
    with living(kube, tmp_path) as life:
        life.operators.start()
        yield life


def operators_with(executors: dict[str, Any]) -> list[dict[str, Any]]:
    """The one that keeps state has them."""
    found: list[dict[str, Any]] = resource({}, "")["spec"]["operators"]
    return [one | {"executors": executors} if one["name"] == "aggregator" else one for one in found]


def executors(kube: Kube) -> list[Any]:
    found: list[Any] = kube.get("pods", "--selector=levee.dev/driver")["items"]
    return found


def test_two_executors_compute_what_a_worker_computes_and_go_with_it(life: Trades, undisturbed: Undisturbed) -> None:
    wanted = undisturbed.rows(EPOCHS)
    life.create(epochs=EPOCHS, operators=operators_with(EXECUTORS), faultTolerance=ALONE, placement=LINUX)
    life.wait(lambda: sum(condition(one, "Ready") for one in executors(life.kube)) == EXECUTORS["instances"], "both executors run")
    [driver] = {one["metadata"]["ownerReferences"][0]["name"] for one in executors(life.kube)}
    assert life.kube.get("pod", driver)["metadata"]["annotations"]["levee.dev/replicas"] == "aggregator/0/0", "nobody shares it"
    life.wait(lambda: set(life.delivered()) >= wanted.keys(), "all epochs are delivered")
    compare(life.rows(), wanted)
    if life.is_there:
        life.delete()
    life.wait(lambda: not life.is_there and not executors(life.kube), "it is gone, and its executors with it")


def test_an_executor_that_is_killed_is_replaced_alone_and_the_output_is_that_of_an_undisturbed_run(
    life: Trades, undisturbed: Undisturbed
) -> None:
    life.create(epochs=EPOCHS, operators=operators_with(EXECUTORS), faultTolerance=ALONE, placement=LINUX)
    life.wait(lambda: len(ready(life.kube)) == EXECUTORS["instances"] and life.delivered() != (), "both executors run, it has begun")
    with no_pod_moves(life):
        with one_replaced(life) as victim:
            life.kube.run("exec", victim, "--", "sh", "-c", KILL_JAVA)
        with one_replaced(life) as victim:
            life.kube.run("delete", "pod", victim, "--grace-period=0", "--force")
        life.wait(lambda: len(life.delivered()) == EPOCHS, "all epochs are delivered")
    compare(life.rows(), undisturbed.rows(EPOCHS))


def ready(kube: Kube) -> set[str]:
    return {one["metadata"]["name"] for one in executors(kube) if condition(one, "Ready")}


@contextmanager
def one_replaced(life: Trades) -> Iterator[str]:
    """That one, and no other, while there is something left to compute."""
    before = ready(life.kube)
    victim = max(before)
    assert len(life.delivered()) < EPOCHS
    yield victim
    life.wait(lambda: victim not in (now := ready(life.kube)) and len(now) == EXECUTORS["instances"], f"{victim} is replaced")
    assert before - ready(life.kube) == {victim}
