"""The page over HTTP: read only, by names that are known, with headers that keep it to itself."""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import closing
from http import HTTPStatus
from typing import Any

import pytest

from levee.page.document import shipped
from levee.page.picture.view import Brief
from levee.page.picture.whole import picture
from levee.page.serving import LOOPBACK, Sources, address, answer, is_known, serve
from tests.page.views import AT, view

KNOWN = "shop/clicks"


def told(asked: str) -> dict[str, Any]:
    if asked in {"", KNOWN}:
        return picture(AT, view())
    return picture(AT, None, [Brief(KNOWN, "running")], asked=asked)


SOURCES = Sources(told, ("levee-page.system",))


@pytest.fixture
def port() -> Iterator[int]:
    server = serve(SOURCES, LOOPBACK, 0)
    yield server.server_port
    server.shutdown()
    server.server_close()


def asked(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], str]:
    with closing(http.client.HTTPConnection(LOOPBACK, port, timeout=10)) as connection:
        connection.request(method, path, headers=headers)
        told = connection.getresponse()
        return told.status, dict(told.getheaders()), told.read().decode()


def test_the_page_and_its_picture_are_served(port: int) -> None:
    status, headers, text = asked(port, "/")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert text.startswith("<!doctype html>")
    status, headers, text = asked(port, "/picture.json?topology=shop%2Fclicks")
    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert json.loads(text) == picture(AT, view())


def test_a_topology_that_is_not_there_is_not_found_and_those_that_are_are_named(port: int) -> None:
    status, headers, text = asked(port, "/picture.json?topology=shop%2Fklicks")
    assert (status, headers["Content-Type"]) == (HTTPStatus.NOT_FOUND, "application/json")
    found = json.loads(text)
    assert found["wrong"] == "There is no topology 'shop/klicks' here. Did you mean 'shop/clicks'?"
    assert (found["shown"], [one["name"] for one in found["topologies"]]) == (None, [KNOWN])
    assert asked(port, "/?topology=shop%2Fklicks")[0] == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("path", ["/", "/picture.json", "/nowhere"])
def test_head_is_what_get_would_say_without_its_body(port: int, path: str) -> None:
    status, headers, text = asked(port, path, "HEAD")
    wanted, full, body = asked(port, path)
    assert (status, text) == (wanted, "")
    assert {name: value for name, value in headers.items() if name != "Date"} == {name: full[name] for name in full if name != "Date"}
    assert int(headers["Content-Length"]) == len(body.encode())


def test_every_answer_says_that_it_is_of_use_here_only(port: int) -> None:
    for path in ("/", "/picture.json", "/nowhere"):
        headers = asked(port, path)[1]
        assert headers["Content-Security-Policy"] == f"{shipped().policy}; frame-ancestors 'none'"
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert not [name for name in headers if name.startswith("Access-Control")]


def test_it_can_be_read_and_never_told_anything(port: int) -> None:
    assert asked(port, "/nowhere")[0] == HTTPStatus.NOT_FOUND
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        status, headers, text = asked(port, "/picture.json", method)
        assert (status, headers["Allow"]) == (HTTPStatus.METHOD_NOT_ALLOWED, "GET, HEAD")
        assert f"GET, HEAD, and not {method}" in text


def test_whoever_sends_something_hears_why_it_is_not_taken(port: int) -> None:
    with closing(http.client.HTTPConnection(LOOPBACK, port, timeout=10)) as connection:
        connection.request("POST", "/", body=b"x" * 50_000)
        assert connection.getresponse().status == HTTPStatus.METHOD_NOT_ALLOWED


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("127.0.0.1:8082", True),
        ("localhost:51234", True),
        ("LOCALHOST", True),
        ("[::1]:8082", True),
        ("10.1.2.3", True),
        ("levee-page.system:8082", True),
        ("evil.example:8082", False),
        ("localhost.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("", False),
        ("[", False),
    ],
)
def test_a_name_that_somebody_else_could_lead_here_is_refused(host: str, known: bool) -> None:
    assert is_known(host, ("levee-page.system",)) is known


def test_who_asks_by_such_a_name_gets_no_picture(port: int) -> None:
    for path in ("/", "/picture.json"):
        status, _, text = asked(port, path, Host="evil.example")
        assert status == HTTPStatus.MISDIRECTED_REQUEST
        assert "clicks" not in text


@pytest.mark.parametrize(
    "target", ["//evil", "http://[/", "/?topology=%ff%00", "/%2e%2e/etc/passwd", "*", "/picture.json?topology=" + "x" * 9_000]
)
def test_a_question_that_makes_no_sense_is_answered(target: str) -> None:
    status, _, body = answer(SOURCES, target, "localhost")
    assert status in {HTTPStatus.OK, HTTPStatus.NOT_FOUND}
    assert body


def test_it_is_on_loopback_and_says_where(port: int) -> None:
    server = serve(SOURCES, LOOPBACK, 0)
    try:
        assert address(server) == f"http://127.0.0.1:{server.server_port}/"
        assert server.server_port != port
        with pytest.raises(OSError, match="in use"):
            serve(SOURCES, LOOPBACK, server.server_port)
    finally:
        server.shutdown()
        server.server_close()


def test_who_connects_and_says_nothing_keeps_nobody_else_waiting(port: int) -> None:
    with socket.create_connection((LOOPBACK, port)):
        assert asked(port, "/picture.json")[0] == HTTPStatus.OK
