"""The operator is upgraded by its chart while a topology runs, which notices nothing and comes to its end."""

from pathlib import Path

import pytest

from tests.e2e.cluster.chart import CHART, IMAGES, RELEASE, asked, helm, previous, put
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.operators import Operators
from tests.e2e.cluster.pod_watch import watching
from tests.e2e.cluster.trades import NAME, ONE_POD, SECRET, Trades, Undisturbed, compare

pytestmark = [pytest.mark.e2e, pytest.mark.own_cluster(because="its store is that of the test cluster")]

EPOCHS = 60


def test_an_upgrade_of_the_operator_moves_no_pod_and_the_new_one_brings_it_to_its_end(
    kube: Kube, tmp_path: Path, undisturbed: Undisturbed
) -> None:
    kube.create(SECRET)
    operators = Operators(kube, tmp_path)  # those of the chart are others; it is asked who leads
    with watching(kube, NAME) as watch:
        life = Trades(kube, watch, operators)
        try:
            helm(*put(kube), previous(tmp_path), *IMAGES, kube=kube)
            life.create(epochs=EPOCHS, **ONE_POD)
            life.wait(lambda: life.state() == "running" and len(life.delivered()) > 2, "the first epochs are delivered")
            former = operators.holder()
            helm(*put(kube), CHART, *IMAGES, "--set-string=podAnnotations.release=next", kube=kube)
            life.wait(lambda: operators.holder() not in {"", former}, "the new operator leads")
            life.wait(lambda: life.state() == "completed", "all rows have been computed")
        finally:
            asked("uninstall", RELEASE, "--wait", kube=kube)
        assert life.status()["attempts"] == 0
        assert len(watch.born()) == 1, "one pod has done it all"
        life.wait(lambda: watch.there() == [], "and is gone")
        compare(life.rows(), undisturbed.rows(EPOCHS))
