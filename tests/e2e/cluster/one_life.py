"""One life of a topology on three nodes, that tests of a file follow each other on: pods are what takes time.

Called by: test_e2e_operator, test_e2e_nodes, test_e2e_fit.
"""

from collections.abc import Iterator
from functools import partial

import pytest

from tests.e2e.cluster.homes import on_nodes
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.operators import Operator
from tests.e2e.cluster.trades import WITH_CODE, Trades, code, living, resource

PODS = 3  # one on each node
TASKS = ("aggregator/0", "market/0", "out/0", "trade-filter/0")
REPLICAS = sorted(f"{task}/{number}" for task in TASKS for number in (0, 1))
CODE = code(
    edited="from levee_spark.examples import bargains\n\n\ndef aggregator(inputs):\n    return bargains.aggregator(inputs)\n",
)


@pytest.fixture(scope="module")
def life(shared: Kube, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Trades]:
    folder = tmp_path_factory.mktemp("operators")
    with on_nodes(shared, PODS) as placement, living(shared, folder, make=partial(resource, placement=placement)) as life:
        shared.create(CODE)
        yield life


@pytest.fixture
def running(life: Trades) -> Iterator[Trades]:
    """It runs well, one operator leads; and whatever a test does to it, no epoch that was there becomes another one."""
    lead(life)
    if not life.is_there:
        life.create(podTemplate=WITH_CODE)
    life.wait(lambda: life.state() == "running" and life.is_settled(REPLICAS), "it runs, all pods are ready")
    life.goes_on()
    before = life.epochs()
    yield life
    if not life.is_there:
        return
    after = life.epochs()
    assert {path: tag for path, tag in before.items() if path in after and after[path] != tag} == {}
    assert life.status()["attempts"] == 0, "it was never begun anew"


def lead(life: Trades, *, hurried: bool = False) -> Operator:
    """Somebody does; whoever has died is waited for."""
    if not any(one.lives for one in life.operators.started):
        life.operators.start(hurried=hurried)
    life.wait(lambda: life.operators.leader() is not None, "an operator leads")
    found = life.operators.leader()
    assert found is not None
    return found
