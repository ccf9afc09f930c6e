"""The HTTP API of a Prometheus: one request, and everything that may go wrong with it under a name for people.

Called by: following, in a thread of its own.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path

import urllib3

from levee.worlds.prometheus.question import question
from levee.worlds.prometheus.reading import SHOWN, Reading, Unreadable, error_in, read

PATIENCE_S = 10.0  # for all of an answer, however slowly it comes
BYTES_MAX, PIECE_BYTES = 64 << 20, 1 << 16


@dataclass(frozen=True, slots=True)
class Address:
    uri: str
    secrets: Path | None = None  # a folder with token, or username and password, and ca.crt, as far as they are wanted
    more: Mapping[str, str] = field(default_factory=dict)  # headers, such as that of a tenant

    def secret(self, name: str) -> str | None:
        """Read anew each time: Secrets are rotated."""
        file = self.secrets / name if self.secrets is not None else None
        return file.read_text(encoding="utf-8").strip() if file is not None and file.is_file() else None

    def headers(self) -> dict[str, str]:
        token, user = self.secret("token"), self.secret("username")
        if token:
            return {"Authorization": f"Bearer {token}"}
        return urllib3.make_headers(basic_auth=f"{user}:{self.secret('password') or ''}") if user else {}

    def authority(self) -> str | None:
        """Who signs its certificate; None: those whom this machine knows."""
        return self.secret("ca.crt")


@dataclass(slots=True)
class Prometheus:
    address: Address
    window_s: int
    patience_s: float = PATIENCE_S
    labels: Mapping[str, str] = field(default_factory=dict)  # of the series that are meant
    pools: dict[str | None, urllib3.PoolManager] = field(default_factory=dict)  # by the authority: the last one only

    def ask(self) -> Reading:
        """Unreadable, where nothing came that can be used."""
        try:
            status, kind, body = self.answer({"query": question(self.window_s, self.labels)})
        except (urllib3.exceptions.HTTPError, OSError, ValueError) as failed:
            raise Unreadable(f"it does not answer: {str(failed)[:SHOWN]}") from failed
        if status != HTTPStatus.OK:
            raise Unreadable(refusal(status, body))
        if kind.startswith("text/html"):
            raise Unreadable("a page of HTML came: the address is not that of its API, or somebody wants a login first")
        return read(body, self.window_s)

    def answer(self, fields: Mapping[str, str]) -> tuple[int, str, bytes]:
        """Redirects are not followed: credentials are for this address."""
        until_s = time.monotonic() + self.patience_s
        answer = self.pool().request(
            "GET",
            f"{self.address.uri.rstrip('/')}/api/v1/query",
            fields=dict(fields),
            headers={"Accept": "application/json", **self.address.more, **self.address.headers()},
            timeout=urllib3.Timeout(total=self.patience_s),
            retries=False,
            redirect=False,
            preload_content=False,
        )
        try:
            return answer.status, answer.headers.get("Content-Type", ""), whole(answer, until_s)
        finally:
            answer.close()

    def pool(self) -> urllib3.PoolManager:
        authority = self.address.authority()
        if authority not in self.pools:
            self.pools = {authority: urllib3.PoolManager(ca_cert_data=authority) if authority else urllib3.PoolManager()}
        return self.pools[authority]


def whole(answer: urllib3.BaseHTTPResponse, until_s: float) -> bytes:
    """Drop by drop an answer may take for ever, or never end."""
    found = bytearray()
    while piece := answer.read1(PIECE_BYTES, decode_content=True):  # what is there; others wait for all of it
        found += piece
        if len(found) > BYTES_MAX:
            raise Unreadable(f"more than {BYTES_MAX >> 20} MiB came")
        if time.monotonic() > until_s:
            raise Unreadable("it takes too long to answer")
    return bytes(found)


def refusal(status: int, body: bytes) -> str:
    if status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return f"it refuses with {status}: prometheus.auth is missing or not valid"
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return f"it sends elsewhere with {status}: name the address that it sends to"
    return f"it answers {status} {error_in(body)}".strip()
