"""What people read of a replica that computes something else than the others."""

from dataclasses import replace

import pytest

from levee.control.chronicle import Chronicle
from levee.control.decide import decide
from levee.control.events import REBASED, divergences, losses
from levee.control.names import ReplicaName
from levee.control.seen import Observation, Status
from levee.worlds.local.asking import replicas_in
from tests.control.stage import HEALTHY, NOW, PLACED, WANTED, running, with_worker

VWAP = ReplicaName("vwap/0/0")


def diverged(times: int, status: Status = Status.RUNNING) -> Observation:
    states = tuple(running(one, diverged=times, status=status) if one == VWAP else running(one) for one in PLACED[0].replicas)
    return with_worker(0, replace(HEALTHY.workers[0], states=states))


def test_it_is_told_at_once_and_then_more_and_more_seldom() -> None:
    told = [event for times in range(100) for event in divergences(diverged(times), diverged(times + 1))]
    assert {(event.subject, event.grave) for event in told} == {(VWAP, True)}
    assert [event.text.split(", ")[1] for event in told] == [
        f"{times} times by now; levee check says which column" for times in (1, 2, 4, 8, 16, 32, 64)
    ]


def test_a_replica_that_fails_for_it_says_so_itself() -> None:
    assert list(divergences(HEALTHY, diverged(1, Status.FAILED))) == []


def test_the_live_view_tells_it() -> None:
    settled = decide(WANTED, HEALTHY, NOW)
    assert [event.subject for event in Chronicle().events(HEALTHY, diverged(1), settled, settled)] == [VWAP]


def test_workers_say_how_often() -> None:
    entries = [
        {"replica": VWAP, "status": "running", "counts": {"won": 3, "diverged": 2, "dead": 1, "skips": 5, "adopts": 4}},
        {"replica": "out/0/0", "status": "idle"},
    ]
    counted = [(one.diverged, one.dropped, one.sealed, one.adopted) for one in replicas_in({"replicas": entries})]
    assert counted == [(2, 1, 5, 4), (0, 0, 0, 0)]


def lost(**counts: int) -> Observation:
    states = tuple(running(one, **counts) if one == VWAP else running(one) for one in PLACED[0].replicas)
    return with_worker(0, replace(HEALTHY.workers[0], states=states))


@pytest.mark.parametrize(
    ("count", "text"),
    [
        ("dropped", "raised and was skipped (onError: skip), {} times by now; levee tail --dead says which and why"),
        ("sealed", "has sealed late epochs of its inputs without rows (late: skip), {} by now; levee tail --dead says which"),
        (
            "adopted",
            f"goes on from a state of its own, since nobody computes what was committed, {{}} times by now: {REBASED}",
        ),
    ],
)
def test_rows_that_are_lost_or_others_are_told_at_once_and_then_more_and_more_seldom(count: str, text: str) -> None:
    told = [event for epochs in range(9) for event in losses(lost(**{count: epochs}), lost(**{count: epochs + 1}))]
    assert {(event.subject, event.grave) for event in told} == {(VWAP, True)}
    assert [event.text for event in told] == [text.format(times) for times in (1, 2, 4, 8)]
    settled = decide(WANTED, HEALTHY, NOW)
    assert [event.subject for event in Chronicle().events(HEALTHY, lost(**{count: 1}), settled, settled)] == [VWAP]
