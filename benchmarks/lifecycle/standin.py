"""Answers `GET /state` for every pod on simulated nodes: `python -m benchmarks.lifecycle.standin NAMESPACE PORT`.

Why: nothing runs in such a pod, and the controller asks each worker how its replicas are. All their addresses are this machine's; the one
that was asked tells which pod is meant. The answer is that of a worker whose replicas do an epoch a second. It is served over the network,
one request after another as they come, so that asking costs the controller what it costs with real workers.
Called by: jobs, as a process of its own.
"""

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from benchmarks.cluster.waiting import Unfinished
from levee.worlds.kubernetes import api, names
from levee.worlds.kubernetes.api import Object
from levee.worlds.kubernetes.reading import PODS
from levee.worlds.kubernetes.watching import Watch

HEAD = "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
RATE = 10.0  # rows a second, as the topologies declare


@dataclass(slots=True)
class Pods:
    """Whose address is whose; all are at the same epoch."""

    replicas: dict[str, tuple[str, ...]] = field(default_factory=dict)  # by address
    began_s: float = field(default_factory=time.monotonic)

    def listed(self, things: list[Object], version: int) -> None:
        self.replicas.clear()
        for thing in things:
            self.changed(thing)

    def changed(self, thing: Object) -> None:
        address = thing.get("status", {}).get("podIP")
        said = thing["metadata"].get("annotations") or {}
        if address and address not in self.replicas and names.REPLICAS in said:
            self.replicas[address] = tuple(said[names.REPLICAS].split(","))

    def gone(self, thing: Object) -> None:
        self.replicas.pop(thing.get("status", {}).get("podIP", ""), None)

    def state(self, address: str) -> Object | None:
        if address not in self.replicas:
            return None
        epoch = 1 + int(time.monotonic() - self.began_s)
        return {"replicas": [running(replica, epoch) for replica in self.replicas[address]]}


def running(replica: str, epoch: int) -> Object:
    """The first of each task leads it."""
    rank = int(replica.rpartition("/")[2])
    return {"replica": replica, "status": "running", "epoch": epoch, "rank": rank, "last": "lost" if rank else "won", "rows_per_s": RATE}


def answer(pods: Pods, address: str) -> bytes:
    state = pods.state(address)
    body = json.dumps(state or {}).encode()
    return HEAD.format(status="200 OK" if state else "503 Service Unavailable", length=len(body)).encode() + body


async def serve(pods: Pods, port: int) -> None:
    async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer(pods, writer.get_extra_info("sockname")[0]))
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass  # whoever asked is gone
        finally:
            writer.close()

    server = await asyncio.start_server(one, "0.0.0.0", port, backlog=4096)  # noqa: S104  (every pod's address)
    await server.serve_forever()


@contextmanager
def answering(namespace: str, port: int, log: Path) -> Iterator[None]:
    need_free(port)
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.lifecycle.standin", namespace, str(port)], stdout=output, stderr=output
        )
    try:
        yield
    finally:
        process.kill()
        process.wait()


def need_free(port: int) -> None:
    """Else one that an earlier measurement has left would answer, of pods that are gone."""
    try:
        socket.create_server(("0.0.0.0", port)).close()  # noqa: S104
    except OSError as taken:
        raise Unfinished(f"port {port} of this machine is needed, and somebody has it: {taken}") from taken


def main(namespace: str, port: str) -> None:
    pods = Pods()
    watch = Watch(api.connect(lambda *_: None), f"/api/v1/namespaces/{namespace}/pods", pods, names.TOPOLOGY, PODS)
    Thread(target=watch.follow, daemon=True).start()
    asyncio.run(serve(pods, int(port)))


if __name__ == "__main__":
    main(*sys.argv[1:])
