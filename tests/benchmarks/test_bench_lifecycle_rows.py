"""What a measurement of the lifecycle bench does from beginning to end, with an operator and a cluster that only seem to be there."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.cluster import gaps, operators, watched
from benchmarks.cluster.namespace import Namespace
from benchmarks.cluster.operators import Operator, Sample
from benchmarks.cluster.trades import TASK
from benchmarks.cluster.waiting import Unfinished
from benchmarks.cluster.watched import Watched as Life
from benchmarks.lifecycle import exports, failover, jobs, report, resources
from benchmarks.lifecycle.settings import QUICK
from benchmarks.lifecycle.states import State, States
from levee.control.names import ReplicaName
from levee.control.seen import ReplicaSeen, Status
from levee.worlds.kubernetes import names
from levee_spark.log.keys import Layout, number

TOOK = {"busy": False, "took_s": 1.0}


class Seeming:
    """An operator that has what is waited for at once, or never."""

    recovers = True

    def __init__(self, settles: bool = True) -> None:
        self.settles, self.killed = settles, False

    def await_value(self, name: str, wanted: float, within_s: float) -> float:
        if name == operators.SETTLED and not self.settles:
            raise Unfinished(f"{name} is {wanted:.0f}: not within {within_s:.0f} s; it is 0")
        return 2.0

    def writes(self) -> int:
        return 0

    def cpu_s(self) -> float:
        return 1.0

    def memory_mib(self) -> float:
        return 200.0

    def kill(self) -> None:
        self.killed = True


class SeemingApi:
    """Each look finds another pod: what was deleted is replaced."""

    def __init__(self) -> None:
        self.made: list[str] = []
        self.deleted = 0

    def create(self, path: str, body: Any) -> None:
        self.made.append(body["metadata"]["name"])

    def delete(self, path: str, **_: Any) -> None:
        self.deleted += 1

    def get(self, path: str) -> Any:
        return {"metadata": {"resourceVersion": "7"}}

    def ask(self, verb: str, path: str, **_: Any) -> Any:
        return {"items": [{"metadata": {"name": "pod", "uid": f"u{self.deleted}"}}], "metadata": {}}


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Seeming]:
    """Operators, as they are started; `Seeming.recovers` says whether those after the first settle."""
    found: list[Seeming] = []

    def start(*_: object) -> Seeming:
        found.append(Seeming(settles=not found or Seeming.recovers))
        return found[-1]

    monkeypatch.setattr(operators, "start", start)
    return found


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> jobs.Bench:
    for name in ("WATCHED_S", "QUIET_S", "LOOK_S"):
        monkeypatch.setattr(jobs, name, 0.001)
    monkeypatch.setattr(jobs, "all_writes", lambda _: 0)
    namespace = Namespace(SeemingApi(), "bench-1")  # type: ignore[arg-type]  # as far as it is asked
    made = resources.jobs(3, namespace.name, namespace.store)

    @contextmanager
    def followed(_: Namespace) -> Iterator[States]:
        yield States({one["metadata"]["name"]: State(one["metadata"]["name"], "u", "running") for one in made})

    monkeypatch.setattr(jobs, "followed", followed)
    monkeypatch.setattr(exports, "of", lambda *_: exports.Exports(None, "bench-1", {}))  # type: ignore[arg-type]  # nothing is imported
    return jobs.Bench(namespace, tmp_path, made)


def test_a_row_has_what_the_page_tells(bench: jobs.Bench, started: list[Seeming], tmp_path: Path) -> None:
    row = {"nodes": 10} | bench.measured(2) | TOOK
    assert (row["topologies"], row["tasks"], row["recover_s"]) == (3, 93, 2.0)
    assert len(started) == 3
    assert all(one.killed for one in started)
    report.write(QUICK, {"jobs": [row], "turn": [], "failover": []}, [], tmp_path / "page.md")
    assert "| 10 | 3 | 93 | 1 |" in (tmp_path / "page.md").read_text()


def test_an_operator_that_does_not_recover_is_killed_and_what_was_reached_is_told(
    bench: jobs.Bench, started: list[Seeming], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Seeming, "recovers", False)
    with pytest.raises(Unfinished, match="levee_operator_topologies_settled is 3: not within 300 s"):
        bench.measured(2)
    assert all(one.killed for one in started)
    assert len(bench.reached) == 1
    assert bench.reached[0].startswith("all 3 topologies ran after")


def test_an_operator_that_does_not_answer_is_not_one_that_has_written_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    answers = [[], [Sample({"verb": "POST", "answer": "201"}, 3.0), Sample({"verb": "PUT", "answer": "200"}, 9.0)]]
    monkeypatch.setattr(Operator, "samples", lambda *_: answers.pop(0))
    assert Operator(None, 0.0, tmp_path).writes() == 3  # type: ignore[arg-type]  # no process is needed for it
    assert answers == []


# ---- failover


FAULT_MS = 26_500.0
STAMPS = {epoch: 1000.0 * (epoch if epoch <= 26 else epoch + 4) for epoch in range(1, 31)}


def test_a_trial_tells_the_gap_and_what_was_computed_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    layout = Layout("bench-1/trades", "u")
    for folder, numbers in ((tmp_path / layout.epochs(TASK), STAMPS), (tmp_path / layout.checkpoints(TASK), (10, 20))):
        folder.mkdir(parents=True)
        for one in numbers:
            (folder / number(one)).touch()
    pods = iter([[pod("u1")], [pod("u1")], [pod("u2")]])
    life = Life(Namespace(SeemingApi(), "bench-1"), tmp_path, layout)  # type: ignore[arg-type]
    trials = failover.Trials(life, Random(1))
    for name, does in {"pods": lambda _: next(pods), "works": lambda _: True}.items():
        monkeypatch.setattr(Life, name, does)
    monkeypatch.setattr(failover.Trials, "kill", lambda *_: FAULT_MS)
    monkeypatch.setattr(failover, "CHECKPOINT_EVERY", 0)
    monkeypatch.setattr(watched, "replicas_of", lambda _: (leader(),))
    monkeypatch.setattr(gaps, "stamps", lambda _: STAMPS)
    found = trials.one()
    assert (found["gap_ms"], found["replayed"], trials.life.resumed_at) == (5000.0, 6, 30)
    assert found["undisturbed_ms"] == [1000.0] * watched.EVEN_EPOCHS


def test_the_pod_that_was_seen_is_deleted_at_once_and_no_namesake(tmp_path: Path) -> None:
    told: list[tuple[str, dict[str, Any]]] = []

    class Api(SeemingApi):
        def delete(self, path: str, **how: Any) -> None:
            told.append((path, how))

    failover.Trials(Life(Namespace(Api(), "bench-1"), tmp_path, Layout("bench-1/trades", "u")), Random(1)).kill(pod("u1"))  # type: ignore[arg-type]
    assert told == [("/api/v1/namespaces/bench-1/pods/trades-1", {"uid": "u1", "version": "7", "grace_s": 0})]


def leader() -> ReplicaSeen:
    return ReplicaSeen(ReplicaName(f"{TASK}/0"), Status.RUNNING, epoch=30, rank=0, last="won")


def pod(uid: str) -> dict[str, Any]:
    head = {"name": "trades-1", "uid": uid, "annotations": {names.REPLICAS: f"{TASK}/0"}}
    return {"metadata": head, "status": {"conditions": [{"type": "Ready", "status": "True"}]}}
