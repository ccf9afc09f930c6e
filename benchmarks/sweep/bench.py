"""What lives follow each other on: an API server, the thread of the gate with the proxy before it, and the nursery.

Called by: job, once; life, for each life.
"""

import asyncio
import tempfile
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.sweep import apiserver
from benchmarks.sweep.apiserver import ApiServer
from benchmarks.sweep.gate import Gate
from benchmarks.sweep.lines import Lines
from benchmarks.sweep.nursery import Nursery
from benchmarks.sweep.points import Trial
from benchmarks.sweep.proxy import Proxy, unverified

T = TypeVar("T")
WITHIN_S = 30.0


@dataclass(slots=True)
class Bench:
    folder: Path
    number: int  # among those that run at the same time
    server: ApiServer
    nursery: Nursery
    loop: asyncio.AbstractEventLoop
    proxy: Proxy
    lines: Lines
    operator: int = 0  # its process
    lives: int = field(default=0)

    @property
    def gate(self) -> Gate:
        return self.proxy.gate

    @property
    def socket(self) -> Path:
        return self.folder / "gate"

    def arm(self, trial: Trial | None) -> Gate:
        """A new gate for a new life."""
        self.lives += 1
        gate = Gate(self.nursery.kill, trial)
        self.in_loop(self.exchange(gate))
        return gate

    async def exchange(self, gate: Gate) -> None:
        self.proxy.gate = self.lines.gate = gate
        self.proxy.leased = 0

    def in_loop(self, act: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(act, self.loop).result(WITHIN_S)


@contextmanager
def opened(number: int) -> Iterator[Bench]:
    with tempfile.TemporaryDirectory(prefix="levee-sweep-") as work:
        folder = Path(work)
        with apiserver.serving(folder / "cluster") as server, looping() as loop:
            gate = Gate(lambda _: None)
            bench: list[Bench] = []
            proxy = Proxy("127.0.0.1", server.port, apiserver.TOKEN, gate, lambda: bench[0].operator, secured=unverified())
            lines = Lines(gate)
            port = served(proxy, lines, folder / "gate", loop)
            kubeconfig = folder / "kubeconfig"
            kubeconfig.write_text(apiserver.kubeconfig(f"http://127.0.0.1:{port}"), encoding="ascii")
            nursery = Nursery.open(kubeconfig, folder / "nursery.log")
            try:
                bench.append(Bench(folder, number, server, nursery, loop, proxy, lines))
                yield bench[0]
            finally:
                nursery.close()


@contextmanager
def looping() -> Iterator[asyncio.AbstractEventLoop]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="gate", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        asyncio.run_coroutine_threadsafe(ended(), loop).result(WITHIN_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WITHIN_S)
        loop.close()


async def ended() -> None:
    """Nobody waits any more for whoever might still write."""
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


def served(proxy: Proxy, lines: Lines, path: Path, loop: asyncio.AbstractEventLoop) -> int:
    async def both() -> int:
        server = await proxy.serve()
        await lines.serve(path)
        port: int = server.sockets[0].getsockname()[1]
        return port

    return asyncio.run_coroutine_threadsafe(both(), loop).result(WITHIN_S)
