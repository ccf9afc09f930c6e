"""Ready experiments with objects that are corrupt, on a topology whose workers obey: what is noticed, and that nothing comes of it."""

from collections.abc import Iterator

import pytest

from tests.chaos.toys import Toy, disturbed_toy, passed, whole

REPORTED = {"reported by a worker", "reported by a replica that cannot go on without it"}
SIGNS = {  # what has happened to it when it is first seen to be noticed
    "corrupt-epoch": REPORTED | {"a rebuild was asked for", "rebuilt under its second key"},
    "corrupt-checkpoint": {"reported by a worker"},
    "corrupt-control-record": REPORTED,
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    with disturbed_toy(tmp_path_factory.mktemp("corrupted")) as toy:
        yield toy


@pytest.fixture
def toy(running: Toy) -> Iterator[Toy]:
    with whole(running):
        yield running


@pytest.mark.parametrize(
    ("name", "variables", "folder"),
    [
        ("corrupt-epoch", {"operator": "total", "task": "double/0"}, "/epochs/"),
        ("corrupt-checkpoint", {"task": "total/0", "for_s": "10"}, "/files/"),
        ("corrupt-control-record", {}, "/control/"),
    ],
)
def test_the_toy_notices_what_is_corrupt_and_takes_it_for_nothing_else(name: str, variables: dict[str, str], folder: str, toy: Toy) -> None:
    ended = passed(toy, name, variables)
    [corrupt] = [one["output"]["name"] for one in ended.journal["run"] if one["activity"]["provider"]["func"] == "corrupt_object"]
    assert folder in corrupt
    assert ended.run("it-was-noticed")["output"] in SIGNS[name]
