"""Where the time of an epoch goes, and how late a replica is."""

from collections.abc import Iterator

import pytest

from levee_spark.log.clock import StoreClock
from levee_spark.log.keys import Layout
from levee_spark.log.requests import (
    Answer,
    Compute,
    Deliver,
    Done,
    Get,
    Ingest,
    PutIfAbsent,
    Report,
    Request,
    Restore,
    Script,
    Snapshot,
    Wait,
)
from levee_spark.log.values import Anchor, EpochObject, Kind, Manifest, Probe
from levee_spark.worker.due import Due, due_epoch
from levee_spark.worker.phases import Phases
from levee_spark.worker.status import Doing, Phase, Status
from levee_spark.worker.wiring import wiring_of
from tests.worker.topologies import resource

DONE = Done(0, 0)
EPOCH = EpochObject(Manifest(1, Kind.FINAL, 0, "", "", 0, "somebody"))
PUT = PutIfAbsent("epoch", Probe(""))


def told(*requests: Request) -> list[tuple[Phase, float]]:
    """Each request takes as many seconds as its place in the list, beginning with 1."""
    found: list[tuple[Phase, float]] = []
    clock = iter(readings(len(requests)))
    script = Phases(lambda phase, seconds: found.append((phase, seconds)), lambda: next(clock)).watch(asking(requests))
    assert ended(script) == "the end"
    return found


def ended(script: Script[str]) -> str:
    try:
        next(script)
        while True:
            script.send(DONE)
    except StopIteration as end:
        return str(end.value)


def readings(count: int) -> Iterator[float]:
    at = 0.0
    for seconds in range(1, count + 1):
        yield at
        at += seconds
        yield at


def asking(requests: tuple[Request, ...]) -> Script[str]:
    for request in requests:
        answer = yield request
        assert answer is DONE
    return "the end"


def test_an_operator_waits_reads_computes_holds_and_commits() -> None:
    found = told(Wait(5), Get("input"), Compute(1, ()), Wait(9), Get("epoch"), PUT, Report("won", 1))
    assert found == [(Phase.WAIT, 1), (Phase.READ, 2), (Phase.COMPUTE, 3), (Phase.HOLD, 4), (Phase.COMMIT, 5 + 6 + 7)]


def test_a_checkpoint_is_the_time_of_the_epoch_after_it() -> None:
    found = told(Compute(1, ()), Report("lost", 1), Snapshot(), PUT, Wait(5), Compute(2, ()), Report("won", 2))
    assert found[2:] == [(Phase.PUBLISH, 3 + 4), (Phase.WAIT, 5), (Phase.COMPUTE, 6), (Phase.COMMIT, 7)]


def test_a_detour_begins_the_epoch_anew() -> None:
    found = dict(told(Compute(1, ()), Report("forks again"), Wait(5), Restore(0, ()), Compute(1, ()), Report("won", 1)))
    assert found == {Phase.COMPUTE: 1 + 5, Phase.COMMIT: 2 + 6, Phase.WAIT: 3, Phase.FORK: 4}


def test_an_epoch_whose_function_raised_is_held_and_committed_like_any_other() -> None:
    found = told(Compute(1, ()), Report("failed", 1), Wait(5), PUT, Report("won", 1))
    assert found == [(Phase.COMPUTE, 1), (Phase.COMMIT, 2 + 4 + 5), (Phase.HOLD, 3)]


def test_sources_compute_and_sinks_deliver() -> None:
    assert told(Ingest(1, None), Report("won", 1)) == [(Phase.COMPUTE, 1), (Phase.COMMIT, 2)]
    assert told(Wait(1), Deliver(0, EPOCH), Wait(1), Deliver(0, EPOCH)) == [
        (Phase.WAIT, 1),
        (Phase.DELIVER, 2),
        (Phase.WAIT, 3),
        (Phase.DELIVER, 4),
    ]


ANCHORS = [Anchor(1, 1, 10_000), Anchor(2, 21, 60_000)]


@pytest.mark.parametrize(
    ("time_ms", "due"),
    [
        pytest.param(9_999, 0, id="before the first anchor"),
        pytest.param(10_000, 1, id="at it"),
        pytest.param(12_999, 3, id="between two epochs"),
        pytest.param(59_999, 20, id="an outage: those of the next anchor are not due by the one before"),
        pytest.param(60_000, 21, id="at the next anchor"),
        pytest.param(63_500, 24, id="after it"),
    ],
)
def test_epochs_are_due_from_the_newest_anchor_that_has_begun(time_ms: int, due: int) -> None:
    assert due_epoch(ANCHORS, time_ms, 1_000) == due


def test_a_replica_lags_by_what_is_due_and_not_computed() -> None:
    """By the store's clock: this machine's own says something quite different. The epoch just due is not late yet."""
    due = Due(wiring_of(resource("{period: 1s}"), "uid"), "worker")
    status = Status("vwap/0/0", "vwap/0", Doing.RUNNING, epoch=20)
    assert due.measure(status, 500).lag_epochs == 0  # nothing is known yet
    due.anchors.anchors, due.clock = ANCHORS, StoreClock(500, 65_000, 65_005)
    assert due.measure(status, 500).lag_epochs == 26 - 1 - 20
    assert due.measure(status, 2_600).lag_epochs == 28 - 1 - 20
    status.epoch = 27
    assert due.measure(status, 2_600).lag_epochs == 0
    status.epoch, status.doing = 3, Doing.IDLE
    assert due.measure(status, 2_600).lag_epochs == 0  # nobody waits for it


def test_looking_at_what_is_due_costs_a_request_and_the_time_two_more_now_and_then() -> None:
    due = Due(wiring_of(resource("{period: 1s}"), "uid"), "worker")
    layout = Layout("tests/wired", "uid")
    first, second = list(requests_of(due.refresh())), list(requests_of(due.refresh()))
    assert second == [Get(layout.anchor(1))] or len(second) <= 2
    assert len(first) > len(second)


def requests_of(script: Script[None]) -> Iterator[Request]:
    from levee_spark.log.requests import Absent, Found, Overwrite

    answer: Answer | None = None
    try:
        while True:
            request = next(script) if answer is None else script.send(answer)
            yield request
            clock = isinstance(request, Get) and "clock" in request.key
            answer = Found(Probe("worker"), 65_000, 0, 1) if clock else DONE if isinstance(request, Overwrite) else Absent(0, 0)
    except StopIteration:
        return
