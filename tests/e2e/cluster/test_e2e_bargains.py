"""The example with the most operators, all of them, on the cluster: five of two tasks each, a join among them, in few pods."""

from pathlib import Path

import pytest

from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.trades import BARGAINS, LINUX, bargains, compare, living, undisturbed
from tests.examples.by_hand import BARGAINS as COLUMNS
from tests.examples.by_hand import bargains_by_hand

pytestmark = [pytest.mark.e2e, pytest.mark.needs_store]

EPOCHS = 20
OPERATORS = {"trade-filter", "quote-filter", "aggregator", "vwap", "bargain-index"}


def test_bargain_discovery_delivers_row_by_row_what_a_loop_over_the_events_finds(kube: Kube, tmp_path: Path) -> None:
    with living(kube, tmp_path, BARGAINS, bargains) as life:
        life.operators.start()
        life.create(epochs=EPOCHS, placement=LINUX)
        life.wait(lambda: life.state() == "completed", "all rows have been computed")
        life.wait(lambda: life.watch.there() == [], "its pods are gone")
        pods, nodes = life.watch.born(), kube.nodes()
        assert len(pods) <= len(nodes), "one on a node, none of them twice"
        tasks = {replica.rpartition("/")[0] for pod in pods for replica in pod.replicas}
        assert tasks >= {f"{operator}/{task}" for operator in OPERATORS for task in (0, 1)}
        assert life.status()["attempts"] == 0
        found = life.rows()
    wanted = undisturbed(EPOCHS, bargains_by_hand, COLUMNS)
    assert len(wanted) > 1, "there are bargains to be found"
    compare(found, wanted)
