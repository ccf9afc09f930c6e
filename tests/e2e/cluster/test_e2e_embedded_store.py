"""The embedded store: what the chart would run, run here."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from levee_spark.store.address import open_store
from servers.install import installed
from servers.ports import HOST, answers_ok, start_on_free_ports
from servers.process import Launch, Server, new_folder
from tests.e2e.cluster.chart import pod_specs, rendered, settings

pytestmark = [pytest.mark.e2e, pytest.mark.off_cluster(because="it runs on this machine what a pod would run")]

READ_FLAGS = "import runpy, sys; from pathlib import Path; print(runpy.run_path(sys.argv[1])['change_flags'](Path(sys.argv[2]), 0))"
SYNCHRONOUS = 0x8


def at(folder: Path, words: list[str]) -> list[str]:
    return [word.replace("/data", str(folder)) for word in words]


def gateway(spec: Any, secret: dict[str, str], port: int) -> Server:
    (prepare,), (container,) = spec["initContainers"], spec["containers"]
    folder = new_folder("embedded")
    words = [sys.executable, *prepare["command"][1:], *at(folder, prepare["args"])]
    if subprocess.run(words, check=False).returncode != 0:  # temporary files in memory have no flags
        subprocess.run([*words[:-1], "as-mounted"], check=True)
    arguments = [word.replace(":7070", f"{HOST}:{port}") for word in at(folder, container["args"])]
    extra = {one["name"]: secret[one["valueFrom"]["secretKeyRef"]["key"]] for one in container["env"]}
    path = container["readinessProbe"]["httpGet"]["path"]
    return Server(Launch("embedded", [installed("versitygw"), *arguments], lambda: answers_ok(port, path), extra), folder)


def test_it_takes_the_credentials_of_its_secret_creates_once_and_writes_at_once() -> None:
    found = rendered(*settings(store__embedded__enabled="true"))
    (secret,) = (one["stringData"] for one in found if one["kind"] == "Secret")
    (spec,) = (one for one in pod_specs(found) if one["containers"][0]["name"] == "versitygw")
    server, (port,) = start_on_free_ports(1, lambda ports: gateway(spec, secret, ports[0]))
    try:
        here = {**secret, "AWS_ENDPOINT_URL": f"http://{HOST}:{port}"}
        blobs = open_store("s3://levee/prefix", secret=here)
        assert blobs.create("epoch", b"first")
        assert not blobs.create("epoch", b"second")
        server.kill()
        server.restart()
        read = blobs.get("epoch")
        assert read is not None
        assert bytes(read.data) == b"first"
        (file,) = server.folder.rglob("epoch")
        top = flags(spec, server.folder, server.folder / "buckets")
        assert top is None or top & (flags(spec, server.folder, file) or 0) & SYNCHRONOUS
    finally:
        server.close()


def flags(spec: Any, folder: Path, path: Path) -> int | None:
    """None: this file system has none."""
    script = folder / "script.py"
    script.write_text(spec["initContainers"][0]["command"][2], encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", READ_FLAGS, script, path], capture_output=True, text=True, check=False)
    return int(done.stdout) if done.returncode == 0 else None
