"""What a worker says of itself: /state, /metrics, /healthz, /readyz, and its log."""

import http.client
import io
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from prometheus_client.parser import text_string_to_metric_families

from levee.control import seen
from levee.topology.names import TaskId
from levee.worlds.local.asking import replica_in
from levee_spark.store.counts import Counts
from levee_spark.worker.due import Due
from levee_spark.worker.judging import Processed
from levee_spark.worker.logs import Log
from levee_spark.worker.metrics import metrics_of
from levee_spark.worker.order import Order, ReplicaName
from levee_spark.worker.serve import Sources, serve
from levee_spark.worker.status import Doing, Passed, Phase, Status
from levee_spark.worker.usage import cpu_seconds

PAGE = Path(__file__).parents[2] / "docs" / "metrics.md"
WHO = {"topology": "shop/clicks", "task": "vwap/1", "replica": "vwap/1/0"}
ORDER = Order(Path("topology.yaml"), "uid", "node-1-0.1", "node-1", Path("work"), (ReplicaName(TaskId("vwap/1"), 0),))


def operator() -> Status:
    status = Status("vwap/1/0", "vwap/1", Doing.RUNNING, epoch=7, rank=0, last="won", lag_epochs=3)
    status.read = {"trades": Passed(70, 7), "quotes": Passed(7, 7)}
    status.emitted = Passed(35, 7)
    status.counts = {"won": 5, "lost": 2, "diverged": 1}
    status.processed = Processed(5, in_time=70, late=6, lost=1)
    status.heard(12, 0)
    for seconds in (0.004, 0.015, 99.0):
        status.took(Phase.COMPUTE, seconds)
    return status


def source() -> Status:
    status = Status("market/0/1", "market/0", Doing.IDLE, offered=120, waiting=20, emitted=Passed(100, 10))
    status.read = {"market": Passed(100, 10)}
    return status


def metrics(*statuses: Status) -> dict[str, dict[frozenset[tuple[str, str]], float]]:
    """By name and labels."""
    text = metrics_of("shop/clicks", lambda: statuses, lambda: Counts({("get", "found"): 9}, 0, 0, 0))().decode()
    found: dict[str, dict[frozenset[tuple[str, str]], float]] = {}
    for family in text_string_to_metric_families(text):
        for one in family.samples:
            found.setdefault(one.name, {})[frozenset(one.labels.items())] = one.value
    return found


def labels(**more: str) -> frozenset[tuple[str, str]]:
    return frozenset({**WHO, **more}.items())


def test_rows_and_epochs_are_counted_by_stream_and_direction() -> None:
    found = metrics(operator())
    assert found["levee_rows_total"] == {
        labels(stream="trades", direction="in"): 70,
        labels(stream="quotes", direction="in"): 7,
        labels(stream="vwap", direction="out"): 35,
    }
    assert set(found["levee_epochs_total"].values()) == {7}


def test_what_roles_report_is_counted() -> None:
    found = metrics(operator())
    values = {name: one[labels()] for name, one in found.items() if labels() in one}
    assert (values["levee_races_won_total"], values["levee_races_lost_total"], values["levee_divergences_total"]) == (5, 2, 1)
    assert (values["levee_epoch"], values["levee_lag_epochs"], values["levee_active"], values["levee_failed"]) == (7, 3, 1, 0)


def test_rows_are_counted_by_what_became_of_them_and_the_newest_record_is_told() -> None:
    found = metrics(operator(), source())
    assert found["levee_rows_processed_total"] == {labels(outcome="in_time"): 70, labels(outcome="late"): 6, labels(outcome="lost"): 1}
    assert found["levee_control_record"][labels()] == 12


def test_epoch_times_are_a_histogram_by_phase() -> None:
    found = metrics(operator())
    buckets = {dict(one)["le"]: value for one, value in found["levee_epoch_seconds_bucket"].items()}
    assert (buckets["0.002"], buckets["0.005"], buckets["0.01"], buckets["0.02"], buckets["30.0"], buckets["+Inf"]) == (0, 1, 1, 2, 2, 3)
    assert found["levee_epoch_seconds_count"] == {labels(phase="compute"): 3}
    assert found["levee_epoch_seconds_sum"][labels(phase="compute")] == pytest.approx(99.019)


def test_only_sources_have_an_offered_rate() -> None:
    found = metrics(operator(), source())
    assert list(found["levee_rows_offered_total"].values()) == [120]
    assert found["levee_active"][frozenset({**WHO, "task": "market/0", "replica": "market/0/1"}.items())] == 0


def test_who_wins_leads_and_who_follows_does_not() -> None:
    first, second = (Status(f"market/0/{number}", "market/0", Doing.RUNNING, last=last) for number, last in enumerate(("won", "lost")))
    idle = Status("market/0/2", "market/0", Doing.IDLE, last="won")
    assert list(metrics(first, second, idle)["levee_leads"].values()) == [1, 0, 0]


def test_rows_that_wait_are_told_where_the_source_tells_or_the_lag_does() -> None:
    paced = Status("market/0/0", "market/0", Doing.RUNNING, offered=100, paced=True, lag_epochs=3, emitted=Passed(100, 10))
    silent = Status("market/0/2", "market/0", Doing.RUNNING, offered=100, emitted=Passed(100, 10))
    found = metrics(source(), paced, silent)
    assert sorted(found["levee_rows_waiting"].values()) == [20, 30]
    assert sorted(found["levee_rows_offered_total"].values()) == [100, 120, 130]


def test_rows_offered_never_fall_though_what_waits_is_an_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    paced = Status("market/0/0", "market/0", Doing.RUNNING, offered=100, paced=True, lag_epochs=3, emitted=Passed(100, 10))
    monkeypatch.setattr(Due, "epoch", lambda *_: 14)
    wiring = SimpleNamespace(layout=None, times=SimpleNamespace(period_ms=100))
    due = Due(wiring, "worker")  # type: ignore[arg-type]
    paced.epoch = 10
    assert due.measure(paced, 0).offered_rows == 130
    paced.offered, paced.emitted, paced.epoch = 101, Passed(101, 13), 13  # epochs with fewer rows than were thought
    assert due.measure(paced, 0).offered_rows == 130


def test_the_page_lists_all_metrics_and_phases_and_no_others() -> None:
    page = PAGE.read_text()
    listed = set(re.findall(r"^\| `(levee_(?!operator_)\w+)` \|", page, re.MULTILINE))
    suffixes = re.compile(r"_(bucket|count|sum|created)$")
    made = {suffixes.sub("", name) for name in metrics(operator(), source()) if name.startswith("levee_")}
    assert listed == made
    assert re.findall(r"^\| `(\w+)` \|", page.partition("## Phases")[2].partition("\n## ")[0], re.MULTILINE) == sorted(
        Phase, key=PHASES_ON_PAGE.index
    )


PHASES_ON_PAGE = [Phase.WAIT, Phase.READ, Phase.COMPUTE, Phase.HOLD, Phase.COMMIT, Phase.DELIVER, Phase.PUBLISH, Phase.FORK]


def test_cpu_time_is_that_of_the_whole_family_by_kind(tmp_path: Path) -> None:
    for pid, command, parent, ticks in ((10, "python", 1, 100), (11, "java", 10, 300), (12, "py (x) y", 11, 50), (13, "other", 1, 999)):
        (tmp_path / str(pid)).mkdir()
        stat = f"{pid} ({command}) S {parent} {' '.join(['0'] * 9)} {ticks} 0 0 {ticks} 20"
        (tmp_path / str(pid) / "stat").write_text(stat)
    (tmp_path / "14").mkdir()  # it has just ended
    spent = cpu_seconds(10, tmp_path)
    per_s = os.sysconf("SC_CLK_TCK")
    assert spent == {"worker": 200 / per_s, "jvm": 600 / per_s, "python": 100 / per_s}


def test_cpu_time_is_known_on_any_machine(tmp_path: Path) -> None:
    assert set(cpu_seconds(os.getpid(), tmp_path)) == {"worker"}
    assert cpu_seconds(os.getpid())["worker"] > 0


@dataclass
class Worker:
    port: int
    ready: bool

    def get(self, path: str, method: str = "GET") -> tuple[int, str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request(method, path)
        answer = connection.getresponse()
        body = answer.read().decode()
        connection.close()
        return answer.status, body


@pytest.fixture
def worker() -> Worker:
    made = Worker(0, ready=False)
    made.port = serve(Sources(ORDER, lambda: [operator()], lambda: made.ready, lambda: b"levee_epoch 7\n"), "127.0.0.1", 0)
    return made


def test_a_worker_tells_its_state(worker: Worker) -> None:
    status, body = worker.get("/state?pretty")
    state = json.loads(body)
    assert (status, state["worker"], state["node"], state["ready"]) == (200, "node-1-0.1", "node-1", False)
    [replica] = state["replicas"]
    assert replica["replica"] == "vwap/1/0"
    assert (replica["status"], replica["epoch"], replica["rank"], replica["last"]) == ("running", 7, 0, "won")
    assert (replica["lag_epochs"], replica["rows"], replica["counts"]["diverged"]) == (3, 35, 1)
    assert (replica["record"], replica["read_ago_ms"] >= 0, replica["forked_ago_ms"]) == (12, True, None)
    assert replica["processed"] == {"epochs": 5, "in_time": 70, "late": 6, "lost": 1}
    assert replica_in(replica).processed == seen.Processed(5, 70, 6, 1)


def test_a_worker_tells_what_it_has_spent_and_who_has_computed(worker: Worker) -> None:
    status, body = worker.get("/spent")
    told = json.loads(body)
    [replica] = told["replicas"]
    assert (status, told["worker"]) == (200, "node-1-0.1") and told["cpu_s"] > 0
    assert (replica["replica"], replica["operator"]) == ("vwap/1/0", "vwap")
    assert replica["busy_s"] >= 0 and replica["emitted"] == 35 and set(replica["read"]) == set(operator().read)


def test_a_worker_is_healthy_at_once_and_ready_when_it_is(worker: Worker) -> None:
    assert worker.get("/healthz") == (200, "ok\n")
    assert worker.get("/readyz") == (503, "starting\n")
    worker.ready = True
    assert worker.get("/readyz") == (200, "ready\n")


def test_a_worker_can_be_asked_and_not_told(worker: Worker) -> None:
    assert worker.get("/metrics") == (200, "levee_epoch 7\n")
    assert worker.get("/") == (404, "there are /state, /spent, /metrics, /healthz and /readyz\n")
    assert worker.get("/state", "POST")[0] == 501


def test_an_event_is_one_line_of_json_with_who_and_where() -> None:
    out = io.StringIO()
    Log("shop/clicks", "node-1-0.1", out).say("failed", level="error", task="vwap/1", replica="vwap/1/0", epoch=7, error="two\nlines")
    [line] = out.getvalue().splitlines()
    said = json.loads(line)
    assert said.pop("time").endswith("+00:00")
    assert said == {
        "level": "error",
        "event": "failed",
        "topology": "shop/clicks",
        "worker": "node-1-0.1",
        "task": "vwap/1",
        "replica": "vwap/1/0",
        "epoch": 7,
        "error": "two\nlines",
    }
