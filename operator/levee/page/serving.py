"""`GET / /picture.json` (and `HEAD`): the page, and what it asks for every second. It can be read, never told anything.

Why: who may ask is not known here, so it is served on loopback, or where others say who comes in. Somebody else's page must not read it
through its reader's browser: only questions to a name that is known are answered, since a name of theirs may lead here.
Called by: cli.local.paged, serve.app.
"""

import ipaddress
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, urlsplit

from levee.page.document import as_json, page, shipped

HTML, JSON, PLAIN = "text/html; charset=utf-8", "application/json", "text/plain; charset=utf-8"
LOOPBACK = "127.0.0.1"
PATHS = ("/", "/picture.json")
READING, NOTHING = "GET, HEAD", MappingProxyType[str, str]({})
SENT_MAX = 65_536  # bytes that somebody may send in vain, and still hear so
SILENT_S = 10.0  # for so long somebody may connect and ask nothing
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class Sources:
    """What is asked anew for every answer."""

    picture: Callable[[str], Mapping[str, Any]]  # of the topology that is named; of the only one, where none is
    hosts: Collection[str] = ()  # more names by which it may be asked, beside addresses and localhost


def serve(sources: Sources, host: str, port: int) -> ThreadingHTTPServer:
    """In threads of its own. OSError, where the port is taken."""
    server = ThreadingHTTPServer((host, port), handler(sources))
    server.daemon_threads = True
    Thread(target=server.serve_forever, name="page", daemon=True).start()
    return server


def handler(sources: Sources) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = SILENT_S
        server_version, sys_version = "levee", ""

        def do_GET(self) -> None:
            self.tell(*answer(sources, self.path, self.headers.get("Host", "")))

        def do_HEAD(self) -> None:
            self.tell(*answer(sources, self.path, self.headers.get("Host", "")), bare=True)

        def refuse(self) -> None:
            with suppress(OSError, ValueError):  # what is sent is read, since who is cut off while sending hears no answer
                self.rfile.read(min(SENT_MAX, int(self.headers.get("Content-Length", 0))))
            told = f"this page can be read, never told anything: {READING}, and not {self.command}\n"
            self.tell(HTTPStatus.METHOD_NOT_ALLOWED, PLAIN, told.encode(), allow={"Allow": READING})

        do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_TRACE = refuse  # noqa: N815  # by the names of methods

        def tell(self, status: HTTPStatus, kind: str, body: bytes, *, bare: bool = False, allow: Mapping[str, str] = NOTHING) -> None:
            self.send_response(status)
            for name, value in {**HEADERS, **allow, "Content-Type": kind, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.send_header("Content-Security-Policy", f"{shipped().policy}; frame-ancestors 'none'")
            self.end_headers()
            with suppress(ConnectionError):  # whoever asked had no patience
                self.wfile.write(b"" if bare else body)

        def log_message(self, *_: object) -> None:
            """Nobody needs a line for each second."""

    return Handler


def answer(sources: Sources, target: str, host: str) -> tuple[HTTPStatus, str, bytes]:
    if not is_known(host, sources.hosts):
        return HTTPStatus.MISDIRECTED_REQUEST, PLAIN, b"this page is not served by that name: use localhost, an address, or page.hosts\n"
    path, _, query = target.partition("?")
    named = parse_qs(query).get("topology", [""])[0]
    if path not in PATHS:
        return HTTPStatus.NOT_FOUND, PLAIN, b"there are / and /picture.json\n"
    picture = sources.picture(named)
    status = HTTPStatus.NOT_FOUND if picture["wrong"] else HTTPStatus.OK
    return (status, HTML, page(picture)) if path == "/" else (status, JSON, as_json(picture).encode())


def is_known(host: str, names: Collection[str]) -> bool:
    """Nobody can make an address, or localhost, lead elsewhere. The port says nothing: it may be forwarded."""
    with suppress(ValueError):
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or name in names or is_address(name)
    return False


def is_address(name: str) -> bool:
    with suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    return False


def address(server: ThreadingHTTPServer) -> str:
    """Of one that is served on loopback."""
    return f"http://{LOOPBACK}:{server.server_port}/"
