"""What becomes of its data when a topology is deleted, in a real store that another one shares."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.cluster.homes import homes
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.pod_watch import watching
from tests.e2e.cluster.trades import NAME, Trades, living, one_pod

pytestmark = [pytest.mark.e2e, pytest.mark.needs_store]


@pytest.fixture
def life(kube: Kube, tmp_path: Path) -> Iterator[Trades]:
    with living(kube, tmp_path) as life:
        yield life


def test_of_two_that_are_deleted_only_the_one_that_says_so_takes_its_data_with_it(life: Trades) -> None:
    life.operators.start()
    first, second = homes(life.kube, 2)
    with watching(life.kube, "brief") as watch:
        brief = Trades(life.kube, watch, life.operators, "brief")
        life.create(**one_pod(first), deletionPolicy="retain")
        brief.create(store={"uri": f"{life.prefix}/store", "secret": "store"}, **one_pod(second), deletionPolicy="delete")
        life.wait(lambda: min(len(life.delivered()), len(brief.delivered())) > 2, "both have delivered something")
        delivered, epochs = brief.delivered(), life.epochs()
        assert owners(life) == {NAME, "brief"}
        life.delete()
        brief.delete()
        life.wait(lambda: not life.is_there and not brief.is_there, "both are gone")
    assert owners(life) == {NAME}
    assert {path for path in epochs if f"/{NAME}/" in path} <= life.epochs().keys()
    assert set(delivered) <= set(brief.delivered()), "what sinks have delivered stays"


def owners(life: Trades) -> set[str]:
    """Whose data are in its store: namespace/name/..."""
    return {path.split("/")[1] for path in life.stored()}
