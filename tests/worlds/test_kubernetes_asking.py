"""What pods say of their replicas, and for how long it is believed."""

from dataclasses import replace
from typing import Any

import pytest

from levee.control.names import Instant, ReplicaName, WorkerName
from levee.control.seen import Phase, WorkerSeen
from levee.topology.names import NodeName
from levee.worlds.kubernetes import asking
from levee.worlds.kubernetes.asking import UNHEARD_MS, Asker
from levee.worlds.kubernetes.seen import PodSeen

SAID: dict[str, Any] = {
    "replicas": [{"replica": "market/0/0", "status": "running", "epoch": 7, "rows_per_s": 200.0, "offered_per_s": 200.0}]
}


def test_of_who_does_not_answer_any_more_all_is_kept_but_the_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    answers: list[Any] = [SAID]
    monkeypatch.setattr(asking, "state_of", lambda *_: answers[-1])
    asker, pods = Asker(), [pod()]
    asker.refresh(pods, Instant(0))
    [said] = asker.states("u")
    answers.append(None)
    asker.refresh(pods, Instant(UNHEARD_MS))
    assert asker.states("u") == (said,)
    asker.refresh(pods, Instant(UNHEARD_MS + 1))
    assert asker.states("u") == (replace(said, measured=False),)
    answers.append(SAID)
    asker.refresh(pods, Instant(UNHEARD_MS + 2))
    assert asker.states("u") == (said,)


def pod() -> PodSeen:
    name = WorkerName("node-1")
    worker = WorkerSeen(name, NodeName("node-1"), (ReplicaName("market/0/0"),), 1, Phase.READY, Instant(0), Instant(0))
    return PodSeen("clicks-node-1-0-1", "u", "1", "127.0.0.1", 1, leaving=False, worker=worker)
