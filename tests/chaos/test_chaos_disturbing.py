"""Ready experiments with network, store, disk and clocks, on a topology whose workers obey."""

from collections.abc import Iterator

import pytest

from levee_chaos.disturbed.place import Place
from levee_chaos.journal import Step
from tests.chaos.toys import Toy, disturbed_toy, passed, whole

NODE = {"node": "node-2", "role": "any"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    with disturbed_toy(tmp_path_factory.mktemp("disturbed")) as toy:
        yield toy


@pytest.fixture
def toy(running: Toy) -> Iterator[Toy]:
    with whole(running):
        yield running


@pytest.mark.parametrize(
    ("name", "variables"),
    [
        ("partition-of-a-node", {**NODE, "for_s": "8"}),
        ("network-delay", {**NODE, "ms": "40", "jitter_ms": "10", "for_s": "8"}),
        ("network-loss", {**NODE, "share": "0.2", "for_s": "8"}),
        ("narrow-network", {**NODE, "kib_per_s": "64", "for_s": "8"}),
        ("store-fails", {"share": "0.5", "for_s": "8"}),
        ("store-slow", {"ms": "50", "for_s": "8"}),
        ("disk-full", {"for_s": "8"}),
        ("clock-jumps", {**NODE, "for_s": "8"}),
        ("store-clock-is-set", {"for_s": "8"}),
    ],
)
def test_the_toy_survives(name: str, variables: dict[str, str], toy: Toy) -> None:
    passed(toy, name, variables)
    assert [line.step for line in toy.keeping.lines()][-2:] == [Step.DONE, Step.UNDONE]  # its effect was seen
    assert list(Place(toy.directory).folder.iterdir()) == []
