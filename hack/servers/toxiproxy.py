"""A proxy that delays, cuts and loses what passes through it.

Why: an answer that gets lost after the work was done cannot be had from an honest server alone.
Called by: stack, and tests of lost answers.
"""

import itertools
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from servers.install import installed
from servers.ports import HOST, answers_ok, ask, start_on_free_ports
from servers.process import Launch, Server, new_folder
from servers.trouble import ServerTrouble

COUNTER = itertools.count()


@dataclass(slots=True)
class Proxy:
    """One way through; its toxics are named by their type."""

    api_port: int
    name: str
    address: str  # host:port, for the client
    toxics: list[str] = field(default_factory=list)

    def add(self, kind: str, attributes: Mapping[str, int], *, stream: str = "downstream") -> None:
        """A toxic as toxiproxy names it: latency, bandwidth, reset_peer, limit_data, timeout, ..."""
        toxic = {"name": kind, "type": kind, "stream": stream, "attributes": dict(attributes)}
        self._ask("/toxics", "POST", toxic)
        self.toxics.append(kind)

    def cut(self) -> None:
        """Nobody gets through until `heal`, and open connections are closed."""
        self._ask("", "POST", {"enabled": False})

    def heal(self) -> None:
        """Toxics first: once it is open again, nothing may be poisoned any more."""
        while self.toxics:
            self._ask(f"/toxics/{self.toxics.pop()}", "DELETE")
        self._ask("", "POST", {"enabled": True})

    def _ask(self, path: str, method: str, body: object = None) -> None:
        told(self.api_port, f"/proxies/{self.name}{path}", method, body)


@dataclass(frozen=True, slots=True)
class Toxiproxy:
    """What a client needs; `api` is the value of LEVEE_TEST_TOXIPROXY."""

    api: str  # http://host:port

    @contextmanager
    def proxy(self, upstream: str) -> Iterator[Proxy]:
        """A new way to `upstream` (host:port)."""
        port, name = int(self.api.rpartition(":")[2]), f"levee-{os.getpid()}-{next(COUNTER)}"
        made = told(port, "/proxies", "POST", {"name": name, "listen": f"{HOST}:0", "upstream": upstream, "enabled": True})
        try:
            yield Proxy(port, name, made["listen"])
        finally:
            told(port, f"/proxies/{name}", "DELETE")


def told(port: int, path: str, method: str, body: object = None) -> Any:
    status, answer = ask(port, path, method, body)
    if status >= 400:
        raise ServerTrouble(f"toxiproxy refused {method} {path} with {status}: {answer}")
    return answer


@contextmanager
def toxiproxy_server() -> Iterator[Toxiproxy]:
    program = installed("toxiproxy")

    def make(ports: list[int]) -> Server:
        command: list[str | Path] = [program, "-host", HOST, "-port", str(ports[0])]
        return Server(Launch("toxiproxy", command, lambda: answers_ok(ports[0], "/version"), {}), new_folder("toxiproxy"))

    server, (port,) = start_on_free_ports(1, make)
    try:
        yield Toxiproxy(f"http://{HOST}:{port}")
    finally:
        server.close()
