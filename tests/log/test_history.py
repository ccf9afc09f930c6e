from dataclasses import replace

from levee.topology.names import TaskId
from levee_spark.log import history
from levee_spark.log.digest import lineage
from levee_spark.log.keys import Layout, numbered
from levee_spark.log.requests import Absent, Answer, Found, Get, List, Listed, Request, Script, T
from levee_spark.log.values import GENESIS, EpochObject, Kind, Manifest


def line(epochs: int) -> tuple[Manifest, ...]:
    found: list[Manifest] = []
    for epoch in range(1, epochs + 1):
        digest = f"d{epoch}"
        found.append(Manifest(epoch, Kind.FINAL, 3, digest, lineage(found[-1].lineage if found else GENESIS, digest), 1, "vwap/0/0"))
    return tuple(found)


LINE = line(6)
LAYOUT, TASK = Layout("levee", "uid"), TaskId("vwap/0")


def told(script: Script[T], there: tuple[int, ...], listed: tuple[int, ...]) -> T:
    """By a store that has some epochs, and lists some."""
    try:
        request = next(script)
        while True:
            request = script.send(answer(request, there, listed))
    except StopIteration as end:
        found: T = end.value
        return found


def answer(request: Request, there: tuple[int, ...], listed: tuple[int, ...]) -> Answer:
    if isinstance(request, List):
        return Listed(tuple(name for epoch in listed if (name := LAYOUT.epoch(TASK, epoch)) > request.after), 0, 0)
    assert isinstance(request, Get)
    epoch = numbered(request.key)
    return Found(EpochObject(LINE[epoch - 1]), 0, 0, 0) if epoch in there else Absent(0, 0)


def test_an_epoch_that_a_listing_passes_over_is_not_missing() -> None:
    found = told(history.manifests(LAYOUT, TASK), there=(1, 2, 3, 4, 5), listed=(1, 2, 3, 5))
    assert found == LINE[:5]
    assert told(history.manifests(LAYOUT, TASK, after=3), there=(1, 2, 3, 4, 5), listed=(1, 2, 3, 4, 5)) == LINE[3:5]


def test_an_epoch_that_is_not_there_is_missing_and_told() -> None:
    found = told(history.manifests(LAYOUT, TASK), there=(1, 2, 5), listed=(1, 2, 3, 5))
    assert list(history.complaints(found)) == ["epochs 3 to 4 are missing"]


def test_before_the_first_epoch_there_is_no_history() -> None:
    assert told(history.manifests(LAYOUT, TASK), there=(), listed=()) == ()


def test_a_stream_of_one_execution_has_nothing_wrong_from_wherever_one_looks() -> None:
    assert list(history.complaints(LINE)) == list(history.complaints(LINE[3:])) == list(history.complaints(())) == []


def test_each_thing_that_is_wrong_is_told_with_its_epoch() -> None:
    assert list(history.complaints((*LINE[:2], *LINE[4:]))) == ["epochs 3 to 4 are missing"]
    assert list(history.complaints((*LINE[:5], replace(LINE[5], lineage="other")))) == ["epoch 6 does not continue epoch 5"]
    assert list(history.complaints((*LINE[:5], replace(LINE[5], rebased=True)))) == [
        "epoch 6 goes on from another state than that of the epoch before"
    ]
    assert list(history.complaints((*LINE[:5], replace(LINE[5], kind=Kind.FAILED)))) == ["epoch 6 was sealed as failed: its rows are lost"]
