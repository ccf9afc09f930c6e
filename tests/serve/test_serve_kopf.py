"""Kopf watches, and writes nothing of its own: the resource's finalizer is ours to put and to take."""

import asyncio
import json
import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import kopf
import pytest

from levee.experiments.spec import KIND as EXPERIMENT
from levee.experiments.spec import PLURAL as EXPERIMENTS
from levee.lifecycle.documents import text_of
from levee.lifecycle.load import load
from levee.serve import app
from levee.topology.crd import PLURAL
from levee.topology.spec import GROUP, KIND, VERSION
from levee.worlds.kubernetes.names import FINALIZER

EXTENSIONS = "apiextensions.k8s.io"
TOPOLOGIES = f"/apis/{GROUP}/{VERSION}/{PLURAL}"


def resource(version: int, **metadata: Any) -> Any:
    known = {"name": "clicks", "namespace": "shop", "uid": "the-uid", "generation": 1, "resourceVersion": str(version)}
    return {"apiVersion": f"{GROUP}/{VERSION}", "kind": KIND, "metadata": known | metadata, "spec": {}, "status": {"state": "running"}}


@dataclass
class Server:
    """As much of an API server as kopf asks for: what there is, one resource, and what happens to it."""

    first: Any
    later: list[Any]
    patches: list[Any] = field(default_factory=list)
    over: Event = field(default_factory=Event)

    def answer(self, path: str) -> Any:
        served = {
            "/api": {"versions": ["v1"]},
            "/api/v1": {"resources": [kind("Namespace", "namespaces"), kind("Event", "events")]},
            "/apis": {"groups": [group(GROUP, VERSION), group(EXTENSIONS, "v1")]},
            f"/apis/{GROUP}/{VERSION}": {"resources": [kind(KIND, PLURAL), kind(EXPERIMENT, EXPERIMENTS)]},
            f"/apis/{EXTENSIONS}/v1": {"resources": [kind("CustomResourceDefinition", "customresourcedefinitions")]},
            TOPOLOGIES: {"metadata": {"resourceVersion": "1"}, "items": [self.first]},
            f"/apis/{GROUP}/{VERSION}/{EXPERIMENTS}": {"metadata": {"resourceVersion": "1"}, "items": [resource(1) | {"kind": EXPERIMENT}]},
        }
        return served.get(path, {"metadata": {"resourceVersion": "1"}, "items": []})

    @contextmanager
    def serving(self) -> Iterator[str]:
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = urlsplit(self.path)
                watches = "watch" in parse_qs(asked.query)
                self.tell([served.answer(asked.path)] if not watches else served.later if asked.path == TOPOLOGIES else [])
                if watches:
                    served.over.wait(10)

            def do_PATCH(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                served.patches.append(json.loads(body))
                self.tell([served.first])

            def tell(self, things: list[Any]) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(b"".join(json.dumps(one).encode() + b"\n" for one in things))
                self.wfile.flush()

            def log_message(self, *_: object) -> None:
                """Nobody wants to read it."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            self.over.set()
            server.shutdown()
            server.server_close()


def group(name: str, version: str) -> Any:
    return {"name": name, "preferredVersion": {"version": version}, "versions": [{"version": version}]}


def kind(name: str, plural: str) -> Any:
    return {"name": plural, "singularName": name.lower(), "kind": name, "namespaced": True, "verbs": ["list", "watch", "patch", "get"]}


@dataclass
class Seen:
    """In place of a hub."""

    enough: int
    resources: list[Any] = field(default_factory=list)
    done: asyncio.Event = field(default_factory=asyncio.Event)

    def resource_seen(self, found: Any) -> None:
        self.resources.append(found)
        if len(self.resources) == self.enough:
            self.done.set()


@dataclass
class Tried:
    """In place of who follows experiments."""

    resources: list[Any] = field(default_factory=list)

    def seen(self, found: Any) -> None:
        self.resources.append(found)


async def watched(server: Server, url: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    monkeypatch.setattr(kopf, "login_via_client", lambda **_: kopf.ConnectionInfo(server=url))
    seen, tried, stop = Seen(1 + len(server.later)), Tried(), asyncio.Event()
    registry = app.registry(seen, tuple, tried)  # type: ignore[arg-type]  # fakes
    operator = asyncio.create_task(
        kopf.operator(registry=registry, settings=app.tuned(), standalone=True, clusterwide=True, stop_flag=stop)
    )
    await asyncio.wait_for(seen.done.wait(), 20)
    await asyncio.sleep(0.5)  # for what kopf does after its handlers
    server.over.set()
    stop.set()
    await operator
    assert [one["kind"] for one in tried.resources] == [EXPERIMENT]
    return seen.resources


@pytest.mark.parametrize(
    "metadata", [{}, {"finalizers": [FINALIZER]}, {"finalizers": [FINALIZER], "deletionTimestamp": "2026-01-01T00:00:00Z"}]
)
def test_whatever_happens_to_a_resource_kopf_leaves_it_as_it_is(metadata: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """By itself it would take away a finalizer that it holds for its own and sees no use for, every time."""
    server = Server(resource(1, **metadata), [{"type": "MODIFIED", "object": resource(2, **metadata)}])
    with server.serving() as url:
        seen = asyncio.run(watched(server, url, monkeypatch))
    assert [one["metadata"]["resourceVersion"] for one in seen] == ["1", "2"]
    assert server.patches == []


def test_an_operator_that_lacks_a_handler_does_not_begin() -> None:
    app.check(app.LIFECYCLES)
    wrong = load(text_of("job").replace("read_spec", "read_specs")).machine
    assert wrong is not None
    with pytest.raises(SystemExit, match="has no handler"):
        app.check([wrong])


def test_whatever_kopf_would_note_on_a_resource_bears_levees_name() -> None:
    kept, patch, body = app.tuned().persistence, kopf.Patch(), kopf.Body(resource(1))
    record: Any = {"started": "2026-01-01T00:00:00", "retries": 1}
    kept.progress_storage.store(key="topology", record=record, body=body, patch=patch)  # type: ignore[arg-type]  # a name of a handler
    kept.diffbase_storage.store(body=body, patch=patch, essence=kept.diffbase_storage.build(body=body))
    noted = dict(patch)
    assert noted.keys() == {"metadata"}
    assert len(noted["metadata"]["annotations"]) >= 2
    assert {name.partition("/")[0] for name in [kept.finalizer, *noted["metadata"]["annotations"]]} == {"levee.dev"}


def test_kopf_answers_500_as_long_as_something_is_wrong_and_200_after(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(resource(1), [])
    wrong = ["the watch of /api/v1/pods has heard nothing for 226 s"]
    with server.serving() as url:
        monkeypatch.setattr(kopf, "login_via_client", lambda **_: kopf.ConnectionInfo(server=url))
        assert asyncio.run(asyncio.wait_for(probed(server, wrong), 20)) == [500, 500, 200]


async def probed(server: Server, wrong: list[str]) -> list[int]:
    registry, stop = app.registry(Seen(1), lambda: wrong, Tried()), asyncio.Event()  # type: ignore[arg-type]  # fakes
    url = f"http://127.0.0.1:{free_port()}/healthz"
    operator = asyncio.create_task(
        kopf.operator(registry=registry, settings=app.tuned(), standalone=True, clusterwide=True, liveness_endpoint=url, stop_flag=stop)
    )
    found = [await status_at(url), await status_at(url)]
    wrong.clear()
    found.append(await status_at(url))
    server.over.set()
    stop.set()
    await operator
    return found


def free_port() -> int:
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


async def status_at(url: str) -> int:
    while True:
        try:
            return await asyncio.to_thread(asked, url)
        except OSError:
            await asyncio.sleep(0.05)  # it has yet to begin


def asked(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=5) as found:  # noqa: S310
            return int(found.status)
    except urllib.error.HTTPError as failed:
        return failed.code
