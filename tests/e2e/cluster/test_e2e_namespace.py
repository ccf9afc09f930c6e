"""A namespace in which a topology runs is deleted: nothing holds it back."""

from pathlib import Path

import pytest

from tests.e2e.cluster.conftest import new_namespace
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.trades import living

pytestmark = [pytest.mark.e2e, pytest.mark.needs_store]

GONE_WITHIN_S = 120.0


def test_a_namespace_with_a_running_topology_goes_within_two_minutes(kube: Kube, tmp_path: Path) -> None:
    """Its operator lives elsewhere, as one of the chart does."""
    with new_namespace() as elsewhere, living(kube, tmp_path) as life:
        one = life.operators.start(lease_in=elsewhere.namespace)
        life.create(**life.one_pod())
        life.wait(lambda: life.state() == "running" and len(life.delivered()) > 2, "it runs")
        kube.run("delete", "namespace", kube.namespace, "--wait=false")
        life.wait(lambda: not is_there(kube), "the namespace is gone, and all that was in it", within_s=GONE_WITHIN_S)
        assert one.lives
        life.wait(lambda: life.watch.there() == [], "the watch has heard of it")
        assert len(life.watch.born()) == 1, "nothing is started in a namespace that goes"


def is_there(kube: Kube) -> bool:
    return f"namespace/{kube.namespace}" in kube.run("get", "namespaces", "--output=name").split()
