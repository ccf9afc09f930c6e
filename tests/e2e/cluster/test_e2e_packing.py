"""A pod for each replica, as it is unless a topology says otherwise: other tests have one for each node, which starts faster."""

from pathlib import Path

import pytest

from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.trades import LINUX, compare, living, undisturbed

pytestmark = [pytest.mark.e2e, pytest.mark.needs_store]

EPOCHS = 6
TASKS = ("aggregator/0", "market/0", "out/0", "trade-filter/0")


def test_each_replica_computes_in_a_pod_of_its_own_and_those_of_a_task_on_different_nodes(kube: Kube, tmp_path: Path) -> None:
    with living(kube, tmp_path) as life:
        life.operators.start()
        life.create(epochs=EPOCHS, placement={key: told for key, told in LINUX.items() if key != "packing"})
        life.wait(lambda: life.state() == "completed", "all rows have been computed")
        life.wait(lambda: life.watch.there() == [], "its pods are gone")
        homes = {pod.replicas: pod.node for pod in life.watch.born()}
        assert len(life.watch.born()) == len(homes), "none of them twice"
        assert sorted(homes) == [(f"{task}/{number}",) for task in TASKS for number in (0, 1)]
        assert all(homes[f"{task}/0",] != homes[f"{task}/1",] for task in TASKS)
        assert life.status()["attempts"] == 0
        compare(life.rows(), undisturbed(EPOCHS))
