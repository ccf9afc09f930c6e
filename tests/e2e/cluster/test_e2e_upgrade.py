"""The operator is upgraded by its chart while a topology runs: from chart, definition and code of one change ago to those of today.
The topology notices nothing and comes to its end."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cluster.chart import CHART, RELEASE, asked, helm, previous, put, settings
from tests.e2e.cluster.conftest import cluster
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.operators import Operators
from tests.e2e.cluster.pod_watch import watching
from tests.e2e.cluster.trades import NAME, SECRET, Trades, compare, undisturbed

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.own_cluster(because="older images are put into its nodes"),
    pytest.mark.alone(because="it puts the resource definitions of an older chart in place of today's"),
]

FORMER, TODAY = "former", "dev"


def images(tag: str) -> list[str]:
    operator = settings(image__repository="localhost/levee/operator", image__tag=tag, image__pullPolicy="Never")
    return [*operator, *settings(workers__image__repository="localhost/levee/worker", workers__image__tag=tag)]


def test_an_upgrade_to_another_image_moves_no_pod_and_the_new_operator_brings_what_the_former_began_to_its_end(
    kube: Kube, tmp_path: Path
) -> None:
    kube.create(SECRET)
    chart = previous(tmp_path)
    cluster("load-image", "--image", "operator", "--image", "worker", "--tag", FORMER, "--source", str(tmp_path))
    operators = Operators(kube, tmp_path)  # those of the chart are others; it is asked who leads
    with watching(kube, NAME) as watch:
        life = Trades(kube, watch, operators)
        try:
            helm(*put(kube), chart, *images(FORMER), kube=kube)
            life.create(image=None, **life.one_pod())
            life.wait(lambda: life.state() == "running" and len(life.delivered()) > 2, "the first epochs are delivered")
            former = operators.holder()
            assert image_of(kube.get("pod", former)) == f"localhost/levee/operator:{FORMER}"
            helm(*put(kube), CHART, *images(TODAY), kube=kube)
            life.wait(lambda: operators.holder() not in {"", former}, "the new operator leads")
            assert image_of(kube.get("pod", operators.holder())) == f"localhost/levee/operator:{TODAY}"
            life.goes_on()
            life.end_its_sources()
            life.wait(lambda: life.state() == "completed", "all rows have been computed")
        finally:
            asked("uninstall", RELEASE, "--wait", kube=kube)
            if life.is_there:  # and nobody else lets it go
                life.patch({"metadata": {"finalizers": None}})
        assert life.status()["attempts"] == 0
        (born,) = watch.born()
        assert image_of(born.told) == f"localhost/levee/worker:{FORMER}", "one pod has done it all, with the image that it began with"
        life.wait(lambda: watch.there() == [], "and is gone")
        (last,) = set(life.last_epochs().values())
        compare(life.rows(), undisturbed(last))


def image_of(pod: Any) -> str:
    return str(pod["spec"]["containers"][0]["image"])
