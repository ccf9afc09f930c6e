"""Free ports, and a question over one.

Why: tests of several people run on one machine, so nothing may have a fixed port.
Called by: s3, toxiproxy, kafka.
"""

import contextlib
import http.client
import json
import socket
from collections.abc import Callable
from typing import Any

from servers.process import EndedEarly, Server

HOST = "127.0.0.1"
ATTEMPTS = 5  # between finding a free port and using it, somebody else may take it


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as open_sockets:
        found = [open_sockets.enter_context(socket.create_server((HOST, 0))) for _ in range(count)]
        return [one.getsockname()[1] for one in found]


def start_on_free_ports(count: int, make: Callable[[list[int]], Server]) -> tuple[Server, list[int]]:
    for attempt in range(1, ATTEMPTS + 1):
        ports = free_ports(count)
        try:
            return make(ports).start(), ports
        except EndedEarly:
            if attempt == ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")


def ask(port: int, path: str, method: str = "GET", body: object = None) -> tuple[int, Any]:
    """Status and parsed JSON (None where there is none); OSError or HTTPException where nobody answers."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    with contextlib.closing(connection):
        connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        is_json = answer.headers.get_content_type() == "application/json"
        return answer.status, json.loads(text) if text and is_json else None


def answers_ok(port: int, path: str) -> bool:
    try:
        return ask(port, path)[0] == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
