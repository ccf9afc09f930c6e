"""The page over HTTP: read only, by names that are known, with headers that keep it to itself."""

import http.client
import json
import socket
from collections.abc import Iterator
from contextlib import closing
from http import HTTPStatus

import pytest

from levee.page.document import shipped
from levee.page.picture.whole import picture
from levee.page.serving import LOOPBACK, Sources, address, answer, is_known, serve
from tests.page.views import AT, view

SOURCES = Sources(lambda asked: picture(AT, view(), asked=asked), ("levee-page.system",))


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
    assert json.loads(text) == picture(AT, view(), asked="shop/clicks")


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
        assert asked(port, "/picture.json", method)[0] == HTTPStatus.NOT_IMPLEMENTED


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
