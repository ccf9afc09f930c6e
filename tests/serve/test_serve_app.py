"""The operator as a whole, at an API server that has nothing: it listens, is asked how it is, and ends when it is told to."""

import asyncio
import json
import os
import signal
from http import HTTPStatus
from pathlib import Path

import pytest

from levee.serve import app, health
from tests.serve.test_serve_kopf import Server, free_port, resource, status_at


def kubeconfig(folder: Path, url: str) -> Path:
    context = {"name": "it", "context": {"cluster": "it", "user": "it", "namespace": "levee"}}
    told = {"clusters": [{"name": "it", "cluster": {"server": url}}], "users": [{"name": "it", "user": {}}], "contexts": [context]}
    path = folder / "kubeconfig"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "it"} | told))
    return path


async def asked(server: Server, metrics: str, alive: str, ready: str, page: str) -> list[int]:
    operator = asyncio.create_task(app.serving(app.Settings.read()))
    found = [await status_at(metrics), await status_at(alive), await in_the_end(ready), await status_at(page)]
    server.over.set()
    os.kill(os.getpid(), signal.SIGTERM)
    await operator
    return found


async def in_the_end(url: str) -> int:
    """Its answer when it is ready, or the last one."""
    found = 0
    for _ in range(200):
        if (found := await status_at(url)) == HTTPStatus.OK:
            break
        await asyncio.sleep(0.05)
    return found


@pytest.mark.parametrize(("suspect_s", "answer"), [(225.0, 200), (-1.0, 500)])
def test_it_is_alive_while_its_watches_hear_something_and_shows_its_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, suspect_s: float, answer: int
) -> None:
    """Readiness is another question: all was listed once."""
    server, metrics, probes, page = Server(resource(1), []), free_port(), free_port(), free_port()
    monkeypatch.setattr(health, "SUSPECT_S", suspect_s)
    with server.serving() as url:
        monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(kubeconfig(tmp_path, url)))
        monkeypatch.setenv("LEVEE_LIVENESS", f"http://127.0.0.1:{probes}/healthz")
        monkeypatch.setenv("LEVEE_METRICS_PORT", str(metrics))
        monkeypatch.setenv("LEVEE_PAGE_PORT", str(page))
        beside, alive = f"http://127.0.0.1:{metrics}", f"http://127.0.0.1:{probes}/healthz"
        paged = f"http://127.0.0.1:{page}/picture.json"
        found = asyncio.run(asyncio.wait_for(asked(server, f"{beside}/metrics", alive, f"{beside}/readyz", paged), 30))
    assert found == [200, answer, 200, 200]
