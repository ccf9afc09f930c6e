"""Between the operator and a real API server: every request passes here, and writes are counted, before and after.

Why: what the operator asks for is seen where it leaves its process, so nothing in it knows of the sweep. One request is one connection:
then whatever is answered, a watch that lasts for minutes too, is handed through until it ends, and nothing of it need be understood.
Called by: bench, which serves it in the thread of the gate.
"""

import asyncio
import json
import re
import ssl
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass

from benchmarks.sweep.gate import Gate
from benchmarks.sweep.points import Kind

READS = {"GET", "HEAD", "OPTIONS"}
PIECE_BYTES, HEAD_BYTES = 1 << 16, 1 << 20
HOPS = {"connection", "authorization", "host"}  # ours to say
NAMESPACE = re.compile(r"/namespaces/[^/?]+")
EVENT_NAME = re.compile(r"(/events/).*")


@dataclass(frozen=True, slots=True)
class Request:
    verb: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes = b""

    @property
    def is_write(self) -> bool:
        return self.verb not in READS

    @property
    def is_lease(self) -> bool:
        return "/leases" in self.path

    def bytes_for(self, host: str, token: str) -> bytes:
        kept = [f"{name}: {value}" for name, value in self.headers if name.lower() not in HOPS]
        lines = [f"{self.verb} {self.path} HTTP/1.1", f"Host: {host}", f"Authorization: Bearer {token}", "Connection: close", *kept]
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + self.body

    def described(self) -> str:
        """Without what is another one in each life."""
        what = EVENT_NAME.sub(r"\1", NAMESPACE.sub("", self.path.partition("?")[0]))
        return " ".join(filter(None, [self.verb, what.removeprefix("/apis").removeprefix("/api/v1"), said(self.body)]))


def said(body: bytes) -> str:
    """What of it people want to know."""
    try:
        told = json.loads(body or b"{}")
    except ValueError:
        return ""
    status = told.get("status") or {}
    fields = {key: value for key, value in (("state", status.get("state")), ("tells", told.get("reason"))) if isinstance(value, str)}
    names = [told["metadata"]["name"]] if told.get("kind") in {"Pod", "ConfigMap", "PodDisruptionBudget"} else []
    named = [f"({', '.join(sorted(status))})"] if status and "state" not in status else []
    return " ".join([*names, *(f"{key} {value}" for key, value in fields.items()), *named])


async def read(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip().split("\r\n")
    verb, path, _ = first.split(" ")
    headers = tuple((name, value.strip()) for name, _, value in (line.partition(":") for line in lines))
    length = next((int(value) for name, value in headers if name.lower() == "content-length"), 0)
    return Request(verb, path, headers, await reader.readexactly(length))


@dataclass(slots=True)
class Proxy:
    """`asking`: the operator's process, now."""

    host: str
    port: int
    token: str
    gate: Gate
    asking: Callable[[], int]
    leased: int = 0  # the process whose first lease was counted; later ones come with the clock, and say the same
    secured: ssl.SSLContext | None = None

    async def serve(self) -> asyncio.Server:
        return await asyncio.start_server(self.relay, "127.0.0.1", 0, limit=HEAD_BYTES)

    async def relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(OSError, asyncio.IncompleteReadError, ssl.SSLError):  # one of both is gone
            request = await read(reader)
            theirs, ours = await asyncio.open_connection(self.host, self.port, ssl=self.secured)
            with closing(ours):
                if request.is_write and not self.is_renewal(request):
                    await self.write(request, theirs, ours, writer)
                else:
                    ours.write(request.bytes_for(self.host, self.token))
                    await handed_through(theirs, writer, reader)

    def is_renewal(self, request: Request) -> bool:
        if not request.is_lease:
            return False
        before, self.leased = self.leased, self.asking()
        return before == self.leased

    async def write(self, request: Request, theirs: asyncio.StreamReader, ours: asyncio.StreamWriter, writer: asyncio.StreamWriter) -> None:
        write = self.gate.begin(Kind.API, request.described(), self.asking())
        if write is None:
            return
        ours.write(request.bytes_for(self.host, self.token))
        answer = await theirs.read()
        if self.gate.end(write):
            writer.write(answer)
            await writer.drain()


async def handed_through(source: asyncio.StreamReader, target: asyncio.StreamWriter, asker: asyncio.StreamReader) -> None:
    """Until it ends, or whoever asked is gone."""

    async def pieces() -> None:
        while piece := await source.read(PIECE_BYTES):
            target.write(piece)
            await target.drain()

    tasks = {asyncio.create_task(pieces()), asyncio.create_task(gone(asker))}
    done, left = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in left:
        task.cancel()
    for task in done:
        task.result()


async def gone(asker: asyncio.StreamReader) -> None:
    while await asker.read(PIECE_BYTES):
        pass


def unverified() -> ssl.SSLContext:
    """The API server's certificate is its own, and it listens on loopback alone."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
