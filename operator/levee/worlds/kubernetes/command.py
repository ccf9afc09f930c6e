"""Run a command in a pod, as kubectl exec does.

Why: what only a worker can reach, such as a store inside the cluster, is read where the worker is; workers need no endpoint for it.
Called by: the command line's `kubectl levee tail`.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlencode

from kubernetes.client.exceptions import ApiException
from kubernetes.stream.ws_client import ERROR_CHANNEL, STDERR_CHANNEL, STDOUT_CHANNEL, WSClient, get_websocket_url
from websocket import WebSocketBadStatusException, WebSocketException

from levee.worlds.kubernetes.api import Unreachable, named
from levee.worlds.kubernetes.person import Reached
from levee.worlds.kubernetes.pods import CONTAINER

LOOK_S = 1.0

Sink = Callable[[bytes], None]


class BrokenOff(Exception):
    """It has ended without a word of how, or was never begun."""


def run_in(reached: Reached, pod: str, command: Sequence[str], out: Sink, err: Sink) -> int:
    """Its exit code. Its input stays open as long as we listen."""
    try:
        running = opened(reached, pod, command)
    except WebSocketBadStatusException as refused:
        body = (refused.resp_body or b"").decode(errors="replace")
        failed = ApiException(status=refused.status_code, reason=refused.status_message)
        failed.body = body
        raise named(failed) from None
    except (WebSocketException, OSError) as failed_to_connect:
        raise Unreachable(str(failed_to_connect)) from None
    try:
        return ending(followed(running, out, err))
    except (WebSocketException, OSError) as lost:
        raise BrokenOff(f"the connection broke off: {lost}") from None
    finally:
        running.close()
        running.sock.shutdown()  # who was told of the end has not closed the connection yet


def opened(reached: Reached, pod: str, command: Sequence[str]) -> Any:
    client = reached.api.client
    streams = [(name, "true") for name in ("stdin", "stdout", "stderr")]
    query = urlencode([("container", CONTAINER), *(("command", word) for word in command), *streams])
    url = f"{client.configuration.host}/api/v1/namespaces/{reached.namespace}/pods/{pod}/exec?{query}"
    headers: dict[str, str] = {}
    client.update_params_for_auth(headers, [], ["BearerToken"])
    return WSClient(client.configuration, get_websocket_url(url), headers, capture_all=False, binary=True)


def followed(running: Any, out: Sink, err: Sink) -> bytes:
    """Until it has ended; what has come by then is handed on, too. The last word of the API server."""
    is_open = True
    while is_open:
        is_open = running.is_open()
        running.update(timeout=LOOK_S)
        for channel, sink in ((STDOUT_CHANNEL, out), (STDERR_CHANNEL, err)):
            if told := running.read_channel(channel):
                sink(told)
    last: bytes = running.read_channel(ERROR_CHANNEL)
    return last


def ending(told: bytes) -> int:
    """That it went well, the exit code, or why it was never begun."""
    try:
        found = json.loads(told)
    except ValueError:
        raise BrokenOff("the connection broke off") from None
    if found.get("status") == "Success":
        return 0
    causes = (found.get("details") or {}).get("causes") or ()
    code = next((one["message"] for one in causes if one.get("reason") == "ExitCode"), None)
    if code is None:
        raise BrokenOff(str(found.get("message") or found.get("reason")))
    return int(code)
