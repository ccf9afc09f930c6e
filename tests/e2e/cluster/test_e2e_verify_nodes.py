"""`kubectl levee verify` where a node is taken with all that is on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.cluster.conftest import mend, new_namespace
from tests.e2e.cluster.test_e2e_verify import patient, verified
from tests.e2e.cluster.trades import LINUX, Trades, compare, epoch_of, living, undisturbed

pytestmark = [pytest.mark.e2e, pytest.mark.breaks_nodes, pytest.mark.needs_store]


@pytest.fixture(scope="module")
def life(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trades]:
    with new_namespace() as kube, living(kube, tmp_path_factory.mktemp("verify"), make=patient) as life:
        life.operators.start()
        life.create(placement=LINUX)
        life.wait(lambda: life.state() == "running" and life.condition("Ready")["status"] == "True", "it runs")
        life.goes_on()
        yield life
        mend(life.kube)
        life.delete()
        life.wait(lambda: not life.is_there, "it is gone")


def test_a_node_is_crashed_and_comes_back_and_the_promise_is_kept(life: Trades, tmp_path: Path) -> None:
    primary = life.primary("aggregator/0")
    assert primary is not None
    verified(life, tmp_path, "--only", f"node:{primary.node}@c0", "--driver", "cluster")
    assert life.kube.ready(primary.node)
    life.goes_on()
    rows = life.rows()
    compare(rows, undisturbed(max(map(epoch_of, rows))))
