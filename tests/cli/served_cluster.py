"""An API server in a dictionary, behind real HTTP: what people's rights, mistakes and bad days look like from a laptop.

What it keeps of the real one: paths, lists with selectors, Status documents for refusals, pods' proxy, and exec over a WebSocket.
"""

import base64
import hashlib
import json
import os
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar
from urllib.parse import parse_qs, urlsplit

import yaml

from levee.control.actions import StartWorker
from levee.control.names import ReplicaName, WorkerName
from levee.topology.names import NodeName
from levee.worlds.kubernetes import companions
from levee.worlds.kubernetes.names import Owner
from levee.worlds.kubernetes.pods import Birth, PodTerms, pod
from tests.serve.plant import PATH, PODS, topology

OWNER = Owner("shop", "clicks", "the-uid")
SINCE = "2026-01-02T03:00:00Z"
PROTOCOL = "v5.channel.k8s.io"
MAGIC = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


@dataclass
class Served:
    """`refuses`: (status, reason, message) for all paths that begin so."""

    folder: Path
    things: dict[str, Any] = field(default_factory=dict)
    states: dict[str, Any] = field(default_factory=dict)  # of workers, by pod
    spent: dict[str, int] = field(default_factory=dict)  # how often each was asked for it, by pod
    refuses: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    patched: list[Any] = field(default_factory=list)
    order: dict[str, Any] = field(default_factory=dict)  # of the worker in whose pod something is run
    without_definition: bool = False

    @property
    def kubeconfig(self) -> Path:
        return self.folder / "kubeconfig"

    # ---- what there is

    def add_topology(self, told: Any, **status: Any) -> None:
        metadata = {"name": "clicks", "namespace": "shop", "uid": OWNER.uid, "resourceVersion": "7", "generation": 1}
        self.things[PATH] = told | {"metadata": metadata, "status": status}

    def add_worker(self, number: int, replicas: dict[str, dict[str, Any]], told: Any, *, ready: bool = True) -> str:
        node = f"node-{number}"
        start = StartWorker(WorkerName(f"{node}-0"), NodeName(node), tuple(map(ReplicaName, replicas)), 1)
        name = companions.config_map_name(OWNER, told)
        made = pod(start, PodTerms(OWNER, "levee/worker", name), Birth(1, 1, 0.1))
        made["metadata"] |= {"uid": f"uid-of-{node}", "resourceVersion": "1", "creationTimestamp": SINCE}
        made["spec"]["nodeName"] = node
        condition = {"type": "Ready", "status": str(ready), "lastTransitionTime": SINCE}
        running = {"name": "worker", "started": ready, "state": {"running": {}}}
        made["status"] = {"phase": "Running", "podIP": "10.0.0.1", "conditions": [condition], "containerStatuses": [running]}
        pod_name: str = made["metadata"]["name"]
        self.things[f"{PODS}/{pod_name}"] = made
        self.things[f"/api/v1/namespaces/shop/configmaps/{name}"] = companions.config_map(OWNER, name, told)
        self.states[pod_name] = {"ready": ready, "replicas": [{"replica": one, "status": "running"} | how for one, how in replicas.items()]}
        self.add_node(number)
        return pod_name

    def add_node(self, number: int, *, ready: bool = True) -> None:
        condition = {"type": "Ready", "status": str(ready), "lastTransitionTime": SINCE}
        labels = {"topology.kubernetes.io/zone": f"zone-{number}"}
        status = {"conditions": [condition], "allocatable": {"cpu": "2"}}
        self.things[f"/api/v1/nodes/node-{number}"] = {
            "metadata": {"name": f"node-{number}", "labels": labels},
            "spec": {},
            "status": status,
        }

    def add_event(self, number: int, kind: str, uid: str, reason: str, message: str, **more: Any) -> None:
        at = f"2026-01-02T03:00:{number:02}.000000Z"
        regarding = {"kind": "FaultTolerantTopology" if uid == OWNER.uid else "Pod", "uid": uid, "name": uid.removeprefix("uid-of-")}
        told = {"type": kind, "reason": reason, "message": message, "eventTime": at, "involvedObject": regarding}
        self.things[f"/api/v1/namespaces/shop/events/{number}"] = {"metadata": {"name": str(number)}} | told | more

    # ---- how it answers

    def answer(self, verb: str, target: str, body: Any) -> tuple[int, Any]:
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        for prefix, (status, reason, message) in self.refuses.items():
            if path.startswith(prefix):
                return status, {"kind": "Status", "status": "Failure", "reason": reason, "message": message, "code": status}
        if "faulttoleranttopologies" in path and self.without_definition:
            return 404, "404 page not found"
        if path.endswith("/proxy/state"):
            return 200, self.states[path.split("/")[6].partition(":")[0]]
        if path.endswith("/proxy/spent"):
            return 200, self.spent_by(path.split("/")[6].partition(":")[0])
        if verb == "PATCH":
            self.patched.append(body)
            return 200, self.things[path]
        if path in self.things:
            return 200, self.things[path]
        if path.rpartition("/")[2] in {"pods", "nodes", "events", "faulttoleranttopologies"}:
            found = [thing for at, thing in self.things.items() if at.rpartition("/")[0] == path]
            return 200, {"items": [one for one in found if selected(one, query)]}
        return 404, {"kind": "Status", "status": "Failure", "reason": "NotFound", "message": f"{path} not found", "code": 404}

    def spent_by(self, pod: str) -> Any:
        """Between two times a thousand rows, at 20 us each."""
        self.spent[pod] = asked = self.spent.get(pod, 0) + 1
        rows = 1000 * asked
        replica = {"replica": f"count/0/{pod}", "operator": "count", "busy_s": rows, "read": {"market": rows}, "emitted": rows}
        return {"worker": pod, "attempt": 1, "cpu_s": 20e-6 * rows, "replicas": [replica]}

    def run_inside(self, command: list[str]) -> tuple[bytes, bytes, int]:
        environment = os.environ | {"LEVEE_ORDER": json.dumps(self.order)}
        program = [sys.executable, *command[1:]]
        with subprocess.Popen(program, env=environment, stdin=subprocess.PIPE, stdout=-1, stderr=-1, cwd=self.folder) as running:
            assert running.stdout is not None and running.stderr is not None  # its input stays open, as that of whoever waits
            out, err = running.stdout.read(), running.stderr.read()
            return out, err, running.wait()


def selected(thing: Any, query: dict[str, list[str]]) -> bool:
    for selector in ",".join(query.get("labelSelector", ())).split(","):
        name, _, value = selector.partition("=")
        if name and thing["metadata"].get("labels", {}).get(name) != value:
            return False
    for selector in query.get("fieldSelector", ()):
        path, _, value = selector.partition("=")
        part, _, name = path.partition(".")
        if thing[part].get(name) != value:
            return False
    return True


def handler(served: Served) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.headers.get("Upgrade") == "websocket":
                self.upgrade()
            else:
                self.reply(*served.answer("GET", self.path, None))

        def write(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.reply(*served.answer(self.command, self.path, body))

        def reply(self, status: int, body: Any) -> None:
            data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "text/plain" if isinstance(body, str) else "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def upgrade(self) -> None:
            status, body = served.answer("GET", self.path.replace("/exec?", "?"), None)
            refused = next((one for prefix, one in served.refuses.items() if self.path.startswith(prefix)), None)
            if refused is not None:
                self.reply(refused[0], {"kind": "Status", "reason": refused[1], "message": refused[2], "code": refused[0]})
                return
            assert status == 200, body
            accepted = base64.b64encode(hashlib.sha1(self.headers["Sec-WebSocket-Key"].encode() + MAGIC).digest()).decode()  # noqa: S324
            self.send_response(101)
            for name, value in (("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accepted)):
                self.send_header(name, value)
            self.send_header("Sec-WebSocket-Protocol", PROTOCOL)
            self.end_headers()
            out, err, code = served.run_inside(parse_qs(urlsplit(self.path).query)["command"])
            cause = {"reason": "ExitCode", "message": str(code)}
            last = {"status": "Failure", "reason": "NonZeroExitCode", "details": {"causes": [cause]}} if code else {"status": "Success"}
            for channel, told in ((1, out), (2, err), (3, json.dumps(last).encode())):
                self.wfile.write(frame(2, bytes([channel]) + told))
            self.wfile.write(frame(8, struct.pack(">H", 1000)))
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    return type("Writing", (Handler,), dict.fromkeys(("do_PATCH", "do_POST", "do_DELETE"), Handler.write))


def frame(opcode: int, told: bytes) -> bytes:
    length = bytes([len(told)]) if len(told) < 126 else bytes([126]) + struct.pack(">H", len(told))
    return bytes([0x80 | opcode]) + length + told


S = TypeVar("S", bound=Served)


@contextmanager
def serving(served: S) -> Iterator[S]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler(served))
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    served.kubeconfig.write_text(yaml.safe_dump(kubeconfig(server.server_port)))
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()


def kubeconfig(port: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "clusters": [{"name": "one", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
        "users": [{"name": "ann", "user": {"token": "t"}}],
        "contexts": [
            {"name": "here", "context": {"cluster": "one", "user": "ann", "namespace": "shop"}},
            {"name": "elsewhere", "context": {"cluster": "one", "user": "ann"}},
        ],
    }


__all__ = ["OWNER", "Served", "serving", "topology"]
