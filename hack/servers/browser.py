"""A browser without a screen, spoken to by the protocol of its developer tools.

Why: whether a page draws what it is told, keeps to its policy and asks nobody else is known to a browser only.
Called by: tests of the page.
"""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websocket import WebSocket, WebSocketTimeoutException, create_connection

from servers.install import installed
from servers.ports import HOST, answers_ok, ask, start_on_free_ports
from servers.process import Launch, Server, new_folder
from servers.trouble import ServerTrouble

ANSWER_S, PATIENCE_S, PAUSE_S = 60.0, 60.0, 0.05
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check"),
    *("--disable-background-networking", "--disable-component-update", "--disable-default-apps", "--disable-sync", "--disable-extensions"),
    "--proxy-server=127.0.0.1:9",  # nobody is there: but for loopback nothing gets out
)


@dataclass(slots=True)
class Tab:
    """One page, and what the browser has told of it."""

    socket: WebSocket
    number: int = 0
    told: list[dict[str, Any]] = field(default_factory=list)

    def call(self, method: str, **parameters: object) -> Any:
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while (answer := json.loads(self.socket.recv())).get("id") != self.number:
            self.told.append(answer)
        if "error" in answer:
            raise ServerTrouble(f"the browser refused {method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, url: str) -> None:
        """And wait until it has drawn once."""
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete'")

    def ask(self, expression: str) -> Any:
        """What a script in the page would find; its mistakes are ours."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise ServerTrouble(f"{expression}: {found['exceptionDetails'].get('exception', {}).get('description', found)}")
        return found["result"].get("value")

    def until(self, expression: str) -> None:
        until_s = time.monotonic() + PATIENCE_S
        while self.ask(expression) is not True:
            if time.monotonic() > until_s:
                raise ServerTrouble(f"it never came to {expression}; the page says: {self.ask('document.body.innerText')[:2000]}")
            time.sleep(PAUSE_S)

    def happened(self, method: str) -> list[dict[str, Any]]:
        """Of what the browser tells by itself."""
        self.listen()
        return [one["params"] for one in self.told if one.get("method") == method]

    def listen(self) -> None:
        self.socket.settimeout(PAUSE_S)
        with suppress(WebSocketTimeoutException):
            while True:
                self.told.append(json.loads(self.socket.recv()))
        self.socket.settimeout(ANSWER_S)


@dataclass(frozen=True, slots=True)
class Browser:
    port: int

    @contextmanager
    def tab(self) -> Iterator[Tab]:
        _, target = ask(self.port, "/json/new?about:blank", "PUT")
        socket = create_connection(target["webSocketDebuggerUrl"], timeout=ANSWER_S, suppress_origin=True)
        try:
            tab = Tab(socket)
            for domain in ("Page", "Runtime", "Network", "Log"):
                tab.call(f"{domain}.enable")
            yield tab
        finally:
            socket.send(json.dumps({"id": 0, "method": "Page.close"}))
            socket.close()


@contextmanager
def browser_server() -> Iterator[Browser]:
    folder = installed("chromium")
    server, (port,) = start_on_free_ports(1, lambda ports: chromium(folder, ports[0]))
    try:
        yield Browser(port)
    finally:
        server.close()


def chromium(installed_in: Path, port: int) -> Server:
    """Its libraries serve machines that have none."""
    folder = new_folder("chromium")
    own = [f"--user-data-dir={folder / 'profile'}", f"--remote-debugging-address={HOST}", f"--remote-debugging-port={port}"]
    libraries = ":".join(str(path) for path in (installed_in, *sorted(installed_in.rglob("lib"))))
    command: list[str | Path] = [installed_in / "chromium", *FLAGS, *own, "about:blank"]
    return Server(Launch("chromium", command, lambda: answers_ok(port, "/json/version"), {"LD_LIBRARY_PATH": libraries}), folder)
