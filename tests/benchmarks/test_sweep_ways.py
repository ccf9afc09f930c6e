"""The two ways on which the sweep sees writes: a proxy before an API server, and a store that asks."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from benchmarks.sweep.bench import looping
from benchmarks.sweep.gate import Gate
from benchmarks.sweep.lines import GatedBlobs, Line, Lines, plain
from benchmarks.sweep.points import Kind, parse
from benchmarks.sweep.proxy import Proxy, Request, said
from levee_spark.store.address import open_store

OPERATOR = 100
ANSWER = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"
PATCH = b"PATCH /apis/levee.dev/v1alpha1/namespaces/a/faulttoleranttopologies/b/status HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s"
STATUS = json.dumps({"status": {"state": "running"}}).encode()
WRITE = PATCH % (len(STATUS), STATUS)
LEASE = b"PUT /apis/coordination.k8s.io/v1/namespaces/a/leases/l HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}"

Exchange = Callable[[bytes], Awaitable[bytes]]


async def behind(gate: Gate, heard: list[bytes], act: Callable[[Exchange], Awaitable[None]], answer: bytes = ANSWER) -> None:
    """A server that answers always the same, the proxy before it, and somebody who asks."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer):
            head = await reader.readuntil(b"\r\n\r\n")
            heard.append(head)
            writer.write(answer)
            await writer.drain()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    proxy = Proxy("127.0.0.1", server.sockets[0].getsockname()[1], "secret", gate, lambda: OPERATOR)
    front = await proxy.serve()

    async def exchange(asked: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(*front.sockets[0].getsockname()[:2])
        with closing(writer):
            writer.write(asked)
            return await reader.read()

    await act(exchange)
    server.close()
    front.close()


def asked(trial: str | None, *requests: bytes) -> tuple[list[bytes], list[bytes], Gate]:
    gate = Gate(lambda _: None, None if trial is None else parse(trial), phase="edit")
    heard: list[bytes] = []
    answers: list[bytes] = []

    async def act(exchange: Exchange) -> None:
        answers.extend([await exchange(one) for one in requests])

    asyncio.run(behind(gate, heard, act))
    return answers, heard, gate


def test_what_is_written_is_handed_on_with_the_right_to_do_so_and_counted() -> None:
    [answer], [head], gate = asked(None, WRITE)
    assert answer == ANSWER
    assert b"Authorization: Bearer secret\r\n" in head
    assert [str(one) for one in gate.writes] == ["api/edit/1 PATCH /levee.dev/v1alpha1/faulttoleranttopologies/b/status state running"]


def test_what_is_read_is_not_counted() -> None:
    [answer], _, gate = asked(None, b"GET /api/v1/pods?watch=true HTTP/1.1\r\n\r\n")
    assert (answer, gate.writes) == (ANSWER, [])


def test_the_first_lease_of_a_process_is_counted_and_no_later_one() -> None:
    answers, _, gate = asked(None, LEASE, LEASE, LEASE)
    assert (len(answers), len(gate.writes)) == (3, 1)


def test_killed_before_it_the_server_never_hears_of_the_write() -> None:
    answers, heard, gate = asked("api/edit/1/before", WRITE, WRITE)
    assert (answers, heard, gate.done) == ([b"", b""], [], True)


def test_killed_after_it_the_server_has_done_it_and_nobody_hears() -> None:
    answers, heard, gate = asked("api/edit/1/after", WRITE)
    assert (answers, len(heard), gate.done) == ([b""], 1, True)


def test_a_watch_is_handed_through_piece_by_piece_and_ends_with_whoever_asked() -> None:
    ended = asyncio.Event()

    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"first")
        await reader.read()
        ended.set()
        writer.close()

    async def act() -> None:
        server = await asyncio.start_server(endless, "127.0.0.1", 0)
        proxy = Proxy("127.0.0.1", server.sockets[0].getsockname()[1], "secret", Gate(lambda _: None), lambda: OPERATOR)
        front = await proxy.serve()
        reader, writer = await asyncio.open_connection(*front.sockets[0].getsockname()[:2])
        writer.write(b"GET /api/v1/pods?watch=true HTTP/1.1\r\n\r\n")
        assert await reader.readexactly(5) == b"first"
        writer.close()
        await asyncio.wait_for(ended.wait(), 30)
        server.close()
        front.close()

    asyncio.run(act())


def test_a_write_is_described_without_what_is_another_in_each_life() -> None:
    event = Request("POST", "/api/v1/namespaces/life-3/events/x.1234?dryRun=", (), b'{"reason": "Edit", "kind": "Event"}')
    assert event.described() == "POST /events/ tells Edit"
    pod = Request("POST", "/api/v1/namespaces/life-3/pods", (), json.dumps({"kind": "Pod", "metadata": {"name": "b-1"}}).encode())
    assert pod.described() == "POST /pods b-1"
    assert said(b"no JSON") == ""
    assert said(b'{"status": {"lagEpochs": 1}}') == "(lagEpochs)"


# ---- the store


@contextmanager
def store(place: Path, trial: str | None) -> Iterator[tuple[GatedBlobs, Gate]]:
    gate = Gate(lambda _: None, None if trial is None else parse(trial), phase="edit")
    with looping() as loop:
        server = asyncio.run_coroutine_threadsafe(Lines(gate).serve(place / "gate"), loop).result(30)
        yield GatedBlobs(open_store((place / "store").as_uri()), Line(place / "gate", Kind.STORE)), gate
        loop.call_soon_threadsafe(server.close)


def test_a_store_that_asks_does_what_the_store_in_it_does_and_each_write_is_counted(tmp_path: Path) -> None:
    with store(tmp_path, None) as (blobs, gate):
        assert blobs.create("a/b", b"one")
        assert not blobs.create("a/b", b"two")
        blobs.overwrite("a/c", b"three")
        found = blobs.get("a/b")
        assert found is not None
        assert bytes(found.data) == b"one"
        assert blobs.names("a", "", 10) == ("a/b", "a/c")
        blobs.delete("a/b")
        assert blobs.clear("a", 10) == 1
        assert [one.what.split()[0] for one in gate.writes] == ["create", "create", "overwrite", "delete", "clear"]


def test_threads_write_at_the_same_time(tmp_path: Path) -> None:
    with store(tmp_path, None) as (blobs, gate):
        threads = [Thread(target=blobs.create, args=(f"a/{number}", b"x")) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(blobs.names("a", "", 10)) == len(gate.writes) == 8


@pytest.mark.parametrize(("side", "there"), [("before", False), ("after", True)])
def test_whoever_is_killed_at_a_write_to_the_store_never_comes_back_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: str, there: bool
) -> None:
    def gone(*_: Any) -> None:
        raise SystemExit

    monkeypatch.setattr("os._exit", gone)  # the process would be dead by then
    with store(tmp_path, f"store/edit/1/{side}") as (blobs, gate):
        with pytest.raises(SystemExit):
            blobs.create("a/b", b"one")
        assert gate.done
        assert (blobs.get("a/b") is not None) is there


def test_a_key_is_told_without_the_topology_that_it_belongs_to() -> None:
    assert plain("life-1/clicks/0a1b2c3d-1111-2222-3333-444455556666/control/7") == "control/7"
    assert plain("probe") == "all"
