"""The API server, as far as Levee asks it: objects as plain JSON, few verbs, and each failure under the name that decides what follows.

Why: the generated models of the client cost more time and memory than ten thousand pods deserve, and hide the fields that matter:
preconditions, conflicts, what is already there.
Called by: world and serve.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeAlias

import urllib3
from kubernetes import config
from kubernetes.client import ApiClient, Configuration
from kubernetes.client.exceptions import ApiException
from msgspec import DecodeError
from msgspec.json import Decoder

from levee.worlds.kubernetes.reading import EVERYTHING

Object: TypeAlias = dict[str, Any]

TIMEOUT_S = 10.0
CONNECTIONS, PIECE_BYTES = 256, 1 << 16  # as many as there are threads that ask: what is not kept is shaken hands for anew
MERGE = "application/merge-patch+json"


class Unreachable(Exception):
    """Nobody answered, or somebody who was not able to: the same may work later."""


class Conflict(Exception):
    """Somebody else was faster; look again."""


class Exists(Conflict):
    """There is one of that name."""


class Denied(Exception):
    """It will not work later either, unless somebody changes something: rights, quotas, an object that is not valid."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(f"{reason or status}: {message}")
        self.status, self.reason, self.message = status, reason, message


NOT_VALID = frozenset({HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
LATER = {
    HTTPStatus.REQUEST_TIMEOUT,
    HTTPStatus.TOO_MANY_REQUESTS,
    HTTPStatus.INTERNAL_SERVER_ERROR,
    HTTPStatus.BAD_GATEWAY,
    HTTPStatus.SERVICE_UNAVAILABLE,
    HTTPStatus.GATEWAY_TIMEOUT,
}


def connect(count: Callable[[str, str], None]) -> "Api":
    """As the pod's own identity in a cluster, else as kubectl does. `count` hears of each request, and how it was answered."""
    settings = Configuration()
    try:
        config.load_incluster_config(client_configuration=settings)
    except config.ConfigException:
        config.load_kube_config(client_configuration=settings)
    settings.connection_pool_maxsize = CONNECTIONS
    settings.retries = False
    return Api(ApiClient(settings), count)


@dataclass(frozen=True, slots=True)
class Api:
    client: ApiClient
    count: Callable[[str, str], None]

    def get(self, path: str, **query: str) -> Object | None:
        """None: there is no such thing."""
        try:
            return self.ask("GET", path, query=query)
        except Denied as denied:
            if denied.status == HTTPStatus.NOT_FOUND:
                return None
            raise

    def create(self, path: str, body: Object) -> Object | None:
        """None: it is there already."""
        try:
            return self.ask("POST", path, body)
        except Exists:
            return None

    def refusal(self, path: str, body: Object) -> str:
        """Why it would not be taken, for what it says; nothing is made. Empty: it would, or it is not what it says."""
        try:
            self.ask("POST", path, body, query={"dryRun": "All"})
        except Exists:
            return ""
        except Denied as denied:
            return str(denied) if denied.status in NOT_VALID else ""
        return ""

    def replace(self, path: str, body: Object) -> Object:
        """With the resourceVersion that was read: a Conflict if it is another one by now."""
        return self.ask("PUT", path, body)

    def patch(self, path: str, body: Object) -> Object:
        return self.ask("PATCH", path, body, kind=MERGE)

    def delete(self, path: str, *, uid: str, version: str, grace_s: int | None = None) -> bool:
        """Whether it was there: this one, never a namesake, and only as it was seen. A Conflict if it is another one by now."""
        preconditions = {"uid": uid, "resourceVersion": version}
        options: Object = {"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": "Background", "preconditions": preconditions}
        if grace_s is not None:
            options["gracePeriodSeconds"] = grace_s
        try:
            self.ask("DELETE", path, options)
        except Denied as denied:
            if denied.status != HTTPStatus.NOT_FOUND:
                raise
            return False
        return True

    def ask(
        self,
        verb: str,
        path: str,
        body: Object | None = None,
        *,
        kind: str = "application/json",
        query: Mapping[str, str] | None = None,
        timeout_s: float = TIMEOUT_S,
        reads: Decoder[Any] = EVERYTHING,
    ) -> Object:
        headers = {"Accept": "application/json", "Content-Type": kind}
        try:
            answer = self.client.call_api(
                path,
                verb,
                query_params=list((query or {}).items()),
                header_params=headers,
                body=body,
                auth_settings=["BearerToken"],
                _preload_content=False,
                _request_timeout=timeout_s,
            )
        except ApiException as failed:
            self.count(verb, str(failed.status))
            raise named(failed) from failed
        except (urllib3.exceptions.HTTPError, OSError) as failed:
            self.count(verb, "none")
            raise Unreachable(f"{verb} {path}: {failed}") from failed
        self.count(verb, str(answer.status))
        return parsed(answer.data, f"{verb} {path}", reads)

    def watch(self, path: str, query: Mapping[str, str], silent_s: float, reads: Decoder[Any] = EVERYTHING) -> Iterator[Object]:
        """Events as they come, until the server ends it."""
        answer = self.stream(path, {**query, "watch": "true"}, silent_s)
        rest = b""
        try:
            for piece in answer.stream(PIECE_BYTES, decode_content=True):
                *lines, rest = (rest + piece).split(b"\n")
                yield from (parsed(line, f"WATCH {path}", reads) for line in filter(None, lines))
        except (urllib3.exceptions.HTTPError, OSError) as failed:
            raise Unreachable(f"WATCH {path}: {failed}") from failed
        finally:
            answer.close()  # what was not read is of no use to whoever has the connection next
            answer.release_conn()

    def text(self, path: str, query: Mapping[str, str]) -> str:
        """What is no object: the output of a pod."""
        answer = self.stream(path, query, TIMEOUT_S, accept="text/plain, */*")
        try:
            return str(answer.read().decode(errors="replace"))
        except (urllib3.exceptions.HTTPError, OSError) as failed:
            raise Unreachable(f"GET {path}: {failed}") from failed
        finally:
            answer.release_conn()

    def stream(self, path: str, query: Mapping[str, str], silent_s: float, *, accept: str = "application/json") -> Any:
        words, headers = list(query.items()), {"Accept": accept}
        try:
            answer = self.client.call_api(
                path,
                "GET",
                query_params=words,
                header_params=headers,
                auth_settings=["BearerToken"],
                _preload_content=False,
                _request_timeout=(TIMEOUT_S, silent_s),
            )
        except ApiException as failed:
            self.count("WATCH", str(failed.status))
            raise named(failed) from failed
        except (urllib3.exceptions.HTTPError, OSError) as failed:
            self.count("WATCH", "none")
            raise Unreachable(f"WATCH {path}: {failed}") from failed
        self.count("WATCH", str(answer.status))
        return answer


def parsed(data: bytes, asked: str, reads: Decoder[Any]) -> Object:
    """Who answers in no JSON is no API server, but perhaps a proxy that cannot reach one."""
    try:
        found: Object = reads.decode(data)
    except (DecodeError, UnicodeDecodeError) as failed:
        raise Unreachable(f"{asked}: the answer is no JSON: {failed}") from failed
    return found


def named(failed: ApiException) -> Exception:
    status = failed.status or 0
    reason, message = "", str(failed.body or failed.reason or "")
    try:
        told = json.loads(failed.body or "")
        reason, message = told.get("reason", ""), told.get("message", message)
    except (ValueError, AttributeError):
        pass  # a proxy answers as it likes
    if status == HTTPStatus.CONFLICT:
        return Exists(message) if reason == "AlreadyExists" else Conflict(message)
    return Unreachable(f"{status} {message}") if status in LATER or not status else Denied(status, reason, message)
