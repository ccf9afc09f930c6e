"""Two operators of the chart, of which one goes with its node: the other takes the lease, and topologies elsewhere notice nothing."""

from pathlib import Path

import pytest

from tests.e2e.cluster.chart import CHART, IMAGES, RELEASE, asked, helm, put
from tests.e2e.cluster.conftest import cluster, mend
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.operators import Operators
from tests.e2e.cluster.pod_watch import watching
from tests.e2e.cluster.trades import NAME, SECRET, Trades, compare, no_pod_moves, one_pod, undisturbed

pytestmark = [pytest.mark.e2e, pytest.mark.breaks_nodes]

OPERATORS = "--selector=app.kubernetes.io/component=operator"


def test_when_the_node_of_the_leader_crashes_the_other_operator_leads_and_no_pod_moves(whole: Kube, tmp_path: Path) -> None:
    kube = whole
    kube.create(SECRET)
    operators = Operators(kube, tmp_path)  # those of the chart are others; it is asked who leads
    with watching(kube, NAME) as watch:
        life = Trades(kube, watch, operators)
        try:
            helm(*put(kube), CHART, *IMAGES, "--set=replicas=2", kube=kube)
            life.wait(lambda: operators.holder() in homes(kube), "one of them leads")
            assert len(set(homes(kube).values())) == 2, "they are on different nodes"
            life.create(**one_pod(min(set(kube.nodes()) - set(homes(kube).values()))))
            life.wait(lambda: life.state() == "running" and len(life.delivered()) > 2, "the first epochs are delivered")
            former = operators.holder()
            with no_pod_moves(life):
                cluster("crash", homes(kube)[former])
                life.wait(lambda: operators.holder() not in {"", former}, "the other one leads")
                life.goes_on()
            life.delete()
            life.wait(lambda: not life.is_there and watch.there() == [], "the other one has ended it")
        finally:
            mend(kube)
            asked("uninstall", RELEASE, "--wait", kube=kube)
            if life.is_there:  # the test has failed, and nobody else lets it go
                life.patch({"metadata": {"finalizers": None}})
        assert len(watch.born()) == 1
        (last,) = set(life.last_epochs().values())
        compare(life.rows(), undisturbed(last))


def homes(kube: Kube) -> dict[str, str]:
    """The nodes of the operators by the names of their pods, under which they hold the lease."""
    pods = kube.get("pods", OPERATORS)["items"]
    return {one["metadata"]["name"]: one["spec"]["nodeName"] for one in pods if one["spec"].get("nodeName")}
