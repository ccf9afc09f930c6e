"""Ready experiments with network, store, disk, objects and clocks, on a topology whose workers obey."""

from collections.abc import Iterator

import pytest

from levee_chaos import actions
from levee_chaos.disturbed.place import Place
from levee_chaos.journal import Step
from tests.chaos.toys import EXPERIMENTS, Ended, Toy, running_toy, until
from tests.worlds.toy import delivered, expected

REPORTED = {"reported by a worker", "reported by a replica that cannot go on without it"}
SIGNS = {  # what has happened to it when it is first seen to be noticed
    "corrupt-epoch": REPORTED | {"a rebuild was asked for", "rebuilt under its second key"},
    "corrupt-checkpoint": {"reported by a worker"},
    "corrupt-control-record": REPORTED,
}
NODE = {"node": "node-2", "role": "any"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Toy]:
    with running_toy(tmp_path_factory.mktemp("disturbed"), "tests.chaos.disturbed_toy") as toy:
        yield toy
        out = delivered(toy.place)
        assert out == expected(len(out))  # after all that has been done to it


@pytest.fixture
def toy(running: Toy) -> Iterator[Toy]:
    until("the toy is whole again", running.is_whole)
    yield running
    actions.undo_faults(directory=str(running.directory))


def passed(toy: Toy, name: str, variables: dict[str, str]) -> Ended:
    words = [word for variable, value in variables.items() for word in ("--var", f"{variable}={value}")]
    ended = toy.experiment(EXPERIMENTS / f"{name}.yaml", *words)
    assert (ended.code, ended.journal["status"], ended.journal["deviated"]) == (0, "completed", False), ended.told
    assert {one["status"] for one in ended.journal["run"]} == {"succeeded"}
    assert toy.standing() == []
    return ended


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
