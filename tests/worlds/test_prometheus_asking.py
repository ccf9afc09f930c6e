"""Asking a Prometheus that is down, slow, somebody else, or wants to know who asks."""

import base64
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from urllib.parse import parse_qs, urlsplit

import pytest

from levee.topology.names import TaskId
from levee.worlds.prometheus import asking
from levee.worlds.prometheus.asking import Address, Prometheus
from levee.worlds.prometheus.following import Following, OfTopology
from levee.worlds.prometheus.question import question
from levee.worlds.prometheus.reading import Reading, Unreadable
from tests.control.stage import HEALTHY

EMPTY = json.dumps({"status": "success", "data": {"resultType": "vector", "result": []}}).encode()
SOURCES = (TaskId("market/0"), TaskId("market/1"))


@dataclass
class Server:
    """Answers as it is told, and remembers what it was asked."""

    status: int = 200
    kind: str = "application/json"
    body: bytes = EMPTY
    headers: dict[str, str] = field(default_factory=dict)
    drip_s: float = 0.0
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    tenants: list[str | None] = field(default_factory=list)
    port: int = 0

    def handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked.append((self.path, self.headers.get("Authorization")))
                server.tenants.append(self.headers.get("X-Scope-OrgID"))
                self.send_response(server.status)
                self.send_header("Content-Type", server.kind)
                for name, value in server.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                for place in range(len(server.body) if server.drip_s else 1):
                    self.wfile.write(server.body[place : place + 1] if server.drip_s else server.body)
                    self.wfile.flush()
                    time.sleep(server.drip_s)

            def log_message(self, *_: object) -> None: ...

            def handle(self) -> None:
                try:
                    super().handle()
                except OSError:
                    return

        return Handler


@pytest.fixture
def server() -> Iterator[Server]:
    told = Server()
    listening = ThreadingHTTPServer(("127.0.0.1", 0), told.handler())
    listening.daemon_threads = True
    told.port = listening.server_port
    Thread(target=listening.serve_forever, args=(0.05,), daemon=True).start()
    yield told
    listening.shutdown()
    listening.server_close()


def asks(server: Server, path: str = "", secrets: Path | None = None, patience_s: float = 5.0) -> Prometheus:
    return Prometheus(Address(f"http://127.0.0.1:{server.port}{path}", secrets), 60, patience_s)


def refused(prometheus: Prometheus) -> str:
    with pytest.raises(Unreadable) as why:
        prometheus.ask()
    return str(why.value)


def test_one_query_is_asked_below_the_address(server: Server) -> None:
    assert asks(server, "/tenants/one/").ask().rates == {}
    [(path, who)] = server.asked
    assert urlsplit(path).path == "/tenants/one/api/v1/query"
    assert parse_qs(urlsplit(path).query) == {"query": [question(60, {})]}
    assert who is None


def test_of_several_clusters_and_tenants_the_named_ones_are_asked(server: Server) -> None:
    labels = {"cluster": 'the "east"', "stage": "prod"}
    Prometheus(Address(f"http://127.0.0.1:{server.port}", more={"X-Scope-OrgID": "shop"}), 60, labels=labels).ask()
    [(path, _)] = server.asked
    [asked] = parse_qs(urlsplit(path).query)["query"]
    assert asked == question(60, labels)
    assert asked.count('{cluster="the \\"east\\"", stage="prod"}') == 5
    assert server.tenants == ["shop"]


def test_a_token_goes_before_a_password_and_both_are_read_anew(server: Server, tmp_path: Path) -> None:
    prometheus = asks(server, secrets=tmp_path)
    prometheus.ask()
    (tmp_path / "username").write_text("levee\n")
    (tmp_path / "password").write_text("secret\n")
    prometheus.ask()
    (tmp_path / "token").write_text("first\n")
    prometheus.ask()
    (tmp_path / "token").write_text("second\n")
    prometheus.ask()
    basic = "Basic " + base64.b64encode(b"levee:secret").decode()
    assert [who for _, who in server.asked] == [None, basic, "Bearer first", "Bearer second"]


@pytest.mark.parametrize(
    ("told", "why"),
    [
        ({"kind": "text/html; charset=utf-8", "body": b"<html>"}, "a page of HTML came"),
        ({"body": b"<html>"}, "it is no JSON"),
        ({"status": 401}, "it refuses with 401: prometheus.auth"),
        ({"status": 403, "kind": "text/html"}, "it refuses with 403"),
        ({"status": 302, "headers": {"Location": "http://127.0.0.1:1/login"}}, "it sends elsewhere with 302"),
        ({"status": 404, "kind": "text/html", "body": b"<html>"}, "it answers 404"),
        ({"status": 503, "body": b'{"status":"error","errorType":"unavailable","error":"starting"}'}, "503 unavailable: starting"),
        ({"status": 204, "body": b""}, "it answers 204"),
        ({"headers": {"Content-Encoding": "gzip"}}, "it does not answer"),
    ],
)
def test_who_answers_otherwise_is_told_by_what_he_did(server: Server, told: dict[str, object], why: str) -> None:
    for name, value in told.items():
        setattr(server, name, value)
    assert why in refused(asks(server))
    assert len(server.asked) == 1


def test_who_is_not_there_does_not_answer() -> None:
    assert "it does not answer" in refused(Prometheus(Address("http://127.0.0.1:9"), 60, 1.0))
    assert "it does not answer" in refused(Prometheus(Address("no address"), 60, 1.0))


def test_who_is_silent_or_answers_drop_by_drop_is_not_waited_for(server: Server) -> None:
    server.drip_s = 0.1
    began_s = time.monotonic()
    refused(asks(server, patience_s=0.5))
    assert time.monotonic() - began_s < 3


def test_an_answer_without_end_is_cut_off(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "BYTES_MAX", 10)
    assert "MiB came" in refused(asks(server))


def test_an_authority_that_is_none_is_told(server: Server, tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_text("no certificate")
    assert "it does not answer" in refused(Prometheus(Address(f"https://127.0.0.1:{server.port}", tmp_path), 60, 1.0))


# ---- beside everything else


@dataclass
class Clock:
    now_s: float = 100.0

    def __call__(self) -> float:
        return self.now_s


def following(*answers: Reading | str) -> tuple[Following, Clock]:
    clock, left = Clock(), list(answers)

    def ask() -> Reading:
        found = left.pop(0)
        if isinstance(found, str):
            raise Unreadable(found)
        return found

    return Following(ask, 15.0, clock), clock


def at(second: float, *rates: float) -> Reading:
    return Reading(second, {("shop/clicks", task): rate for task, rate in zip(SOURCES, rates, strict=False)})


def told(one: Following) -> tuple[list[float], str]:
    found = OfTopology("shop/clicks", one).told(SOURCES, HEALTHY)
    return list(found.rates.values()), found.missing


def test_before_the_first_answer_nothing_is_known() -> None:
    one, _ = following()
    assert told(one) == ([], "Prometheus: it has not been asked yet")


def test_all_source_tasks_or_none() -> None:
    one, _ = following(at(1, 10.0), Reading(2, {}, {("shop/clicks", SOURCES[0]): "market/0/0 has begun anew"}), at(3, 10.0, 20.0))
    one.refresh()
    assert told(one) == ([10.0], "Prometheus: market/1: it has no such series")
    one.refresh()
    assert told(one)[1] == "Prometheus: market/0: market/0/0 has begun anew; market/1: it has no such series"
    one.refresh()
    assert told(one) == ([10.0, 20.0], "")


def test_the_last_answer_holds_for_three_intervals_and_then_nothing_is_known() -> None:
    one, clock = following(at(1, 10.0, 20.0), "it does not answer: refused", "it does not answer: refused")
    one.refresh()
    clock.now_s += 15
    one.refresh()
    assert told(one) == ([10.0, 20.0], "")
    clock.now_s += 30
    assert told(one) == ([10.0, 20.0], "")
    clock.now_s += 1
    assert told(one) == ([], "Prometheus: its last answer is 46 s old: it does not answer: refused")


def test_the_same_answer_again_is_no_answer() -> None:
    one, clock = following(at(7, 10.0, 20.0), at(7, 10.0, 20.0))
    one.refresh()
    clock.now_s += 46
    one.refresh()
    assert "its clock stands still" in told(one)[1]


def test_a_clock_of_prometheus_that_jumps_back_is_followed() -> None:
    one, _ = following(at(7_000, 10.0, 20.0), at(7, 11.0, 21.0))
    one.refresh()
    one.refresh()
    assert told(one) == ([11.0, 21.0], "")


def test_a_bug_in_the_asking_is_told_and_asked_again() -> None:
    def broken() -> Reading:
        raise KeyError("task")

    one = Following(broken, 15.0)
    one.refresh()
    assert told(one)[1] == "Prometheus: KeyError: 'task'"


def test_nobody_waits_for_an_answer_and_whoever_does_not_lead_asks_nothing() -> None:
    asked, answered, stop, leads = Event(), Event(), Event(), [False]

    def slow() -> Reading:
        asked.set()
        answered.wait(10)
        return at(1, 10.0, 20.0)

    one = Following(slow, 0.01)
    Thread(target=one.follow, args=(stop, lambda: leads[0]), daemon=True).start()
    assert not asked.wait(0.1)
    leads[0] = True
    assert asked.wait(5)
    assert "not been asked" in told(one)[1]  # at once
    answered.set()
    assert wait(lambda: told(one)[1] == "")
    stop.set()


def wait(holds: Callable[[], bool]) -> bool:
    until_s = time.monotonic() + 5
    while not holds() and time.monotonic() < until_s:
        time.sleep(0.01)
    return holds()
