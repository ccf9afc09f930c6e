"""What the operator's probes are told: a watch that hears nothing and a leader that no longer tries are not alive."""

import asyncio
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import pytest
from kubernetes.client import ApiClient, Configuration
from prometheus_client import CollectorRegistry, Gauge

from levee.serve import health
from levee.serve.health import Health
from levee.serve.leader import Leader
from levee.worlds.kubernetes import watching
from levee.worlds.kubernetes.api import Api, Object, Unreachable
from levee.worlds.kubernetes.watching import Watch

LIST = b'{"items": [], "metadata": {"resourceVersion": "7"}}'


class Listener:
    """Hears of nothing, or makes mistakes."""

    def __init__(self, mistakes: int = 0) -> None:
        self.mistakes, self.lists, self.done = mistakes, 0, Event()

    def listed(self, things: list[Object], version: int) -> None:
        self.lists += 1
        if self.lists <= self.mistakes:
            raise KeyError("a bug")
        self.done.set()

    def changed(self, thing: Object) -> None:
        """No news."""

    gone = changed


@contextmanager
def server(answers: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[Api]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answers(self)

        def log_message(self, *_: object) -> None:
            """Nobody wants to read it."""

    opened = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    opened.daemon_threads = True
    Thread(target=opened.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    settings = Configuration(host=f"http://127.0.0.1:{opened.server_port}")
    settings.retries = False
    try:
        yield Api(ApiClient(settings), lambda *_: None)
    finally:
        opened.shutdown()
        opened.server_close()


def answer(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    handler.send_response(200)
    handler.end_headers()
    handler.wfile.write(body)


def leader_at(api: Any) -> Leader:
    return Leader(api, "levee", "one")


def watched(api: Any, listener: Listener, over: Event, synced: Callable[[], object] = lambda: None) -> Watch:
    made = Watch(api, "/api/v1/pods", listener, stopping=over.is_set, synced=synced)
    Thread(target=made.follow, daemon=True).start()
    return made


@pytest.fixture
def over() -> Iterator[Event]:
    made = Event()
    yield made
    made.set()


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "AGAIN_S", 0.01)
    monkeypatch.setattr(watching, "CLIENT_TIMEOUT_S", 0.1)


def later(alive: Health, seconds: float) -> tuple[str, ...]:
    """What it complains of when nothing is heard any more for so long."""
    return tuple(alive.found_at(max(one.heard_s for one in alive.watches) + seconds))


def test_a_watch_is_suspect_when_three_rounds_have_brought_no_word() -> None:
    alive = Health(leader_at(None), bool, [Watch(None, "/api/v1/pods", Listener())])  # type: ignore[arg-type]  # nobody is asked
    alive.watches[0].heard_s, alive.leader.tried_s = 1000.0, 2000.0
    assert later(alive, 225) == ()
    assert later(alive, 226) == ("the watch of /api/v1/pods has heard nothing for 226 s",)


def test_a_leader_that_no_longer_tries_is_not_alive() -> None:
    alive = Health(leader_at(None), bool)
    alive.leader.tried_s = 1000.0
    assert tuple(alive.found_at(1060.0)) == ()
    assert tuple(alive.found_at(1061.0)) == ("nobody has tried to lead for 61 s",)


@pytest.mark.usefixtures("soon")
def test_a_server_that_lists_and_then_says_nothing_is_no_word(over: Event) -> None:
    """Each of its rounds ends by the client's patience, and begins with a list: that is one."""
    rounds: list[str] = []

    def stalls(handler: BaseHTTPRequestHandler) -> None:
        if "watch=true" not in handler.path:
            if len(rounds) > 1:
                over.wait(10)
            return answer(handler, LIST)
        rounds.append(handler.path)
        over.wait(10)
        return None

    with server(stalls) as api:
        listener = Listener()
        alive = Health(leader_at(api), bool, [watched(api, listener, over)])
        assert listener.done.wait(5)
        while len(rounds) < 2:
            over.wait(0.02)
        heard_s = alive.watches[0].heard_s
        over.wait(0.5)
        assert alive.watches[0].heard_s == heard_s
        assert later(alive, 226)
        over.set()


@pytest.mark.usefixtures("soon")
def test_a_listener_that_raises_is_told_everything_anew(over: Event, caplog: pytest.LogCaptureFixture) -> None:
    def lists(handler: BaseHTTPRequestHandler) -> None:
        if "watch=true" in handler.path:
            over.wait(10)
        answer(handler, LIST)

    with server(lists) as api:
        listener = Listener(mistakes=3)
        made = watched(api, listener, over)
        began_s = made.heard_s
        assert listener.done.wait(5)
        assert "is watched anew: this is a bug in Levee" in caplog.text
        while made.heard_s == began_s:
            over.wait(0.02)
        over.set()


def test_a_listener_that_always_raises_has_heard_nothing(over: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "AGAIN_S", 0.01)
    monkeypatch.setattr(watching, "DOUBLED_MAX", 0)
    with server(lambda handler: answer(handler, LIST)) as api:
        listener = Listener(mistakes=1000)
        made = watched(api, listener, over)
        began_s = made.heard_s
        while listener.lists < 5:
            over.wait(0.02)
        assert made.heard_s == began_s
        over.set()


def test_an_answer_that_is_no_json_is_no_answer() -> None:
    with server(lambda handler: answer(handler, b"<html>a proxy</html>")) as api, pytest.raises(Unreachable, match="no JSON"):
        api.get("/api/v1/pods")


def test_whoever_begins_to_lead_tells_those_who_rest_at_once_and_not_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("levee.serve.leader.RENEW_S", 0.0)
    made, begun, leads = leader_at(None), list[int](), iter([False, True, True, False, True])
    monkeypatch.setattr(Leader, "renew", lambda _: None)
    monkeypatch.setattr(Leader, "leads", lambda _: next(leads))
    with pytest.raises(RuntimeError):  # as a coroutine's StopIteration
        asyncio.run(made.follow(lambda: begun.append(1)))
    assert len(begun) == 2


def test_a_leader_whose_answer_is_no_json_goes_on_trying(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr("levee.serve.leader.RENEW_S", 0.01)
    asked, enough = list[str](), Event()

    def answers(handler: BaseHTTPRequestHandler) -> None:
        asked.append(handler.path)
        answer(handler, b"<html>a proxy</html>")
        if len(asked) > 2:
            enough.set()

    async def some(made: Leader) -> None:
        task = asyncio.create_task(made.follow(lambda: None))
        assert await asyncio.to_thread(enough.wait, 30)
        assert not task.done()
        task.cancel()

    with server(answers) as api:
        made = leader_at(api)
        began_s = made.tried_s
        asyncio.run(some(made))
        assert not made.leads()
        assert made.tried_s > began_s
    assert caplog.text.count("the lease cannot be renewed") == 1


def test_a_leader_survives_a_lease_that_makes_no_sense() -> None:
    class Nonsense:
        def get(self, _: str) -> Object:
            return {"metadata": {}}

    made = leader_at(Nonsense())
    made.renew()
    assert not made.leads()
    assert "KeyError" in made.trouble


def test_it_is_ready_when_all_has_been_listed_and_beside_that_tells_its_metrics() -> None:
    registry, listed = CollectorRegistry(), Event()
    Gauge("levee_of_a_test", "Of a test.", registry=registry).set(3)
    serving = health.serve(0, registry, listed.is_set)
    url = f"http://127.0.0.1:{serving.server_port}"
    assert asked_for(f"{url}/readyz")[0] == 503
    listed.set()
    assert asked_for(f"{url}/readyz")[0] == 200
    assert "levee_of_a_test 3.0" in asked_for(f"{url}/metrics")[1]
    serving.shutdown()
    serving.server_close()


def asked_for(url: str) -> Sequence[Any]:
    try:
        with urllib.request.urlopen(url, timeout=10) as found:  # noqa: S310
            return found.status, found.read().decode()
    except urllib.error.HTTPError as failed:
        return failed.code, failed.read().decode()
