"""Plans are made one after the other in a process of its own, and in another one where that is gone or takes too long.

Why: a search takes all of a core, and may take all of the memory; whatever becomes of it, the next topology's plan must be made.
Called by: app, which opens it; making, which asks and comes back.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from levee.lifecycle.handlers import NotYet
from levee.serve import planning
from levee.topology.graph import Node
from levee.worlds.plans import WrittenPlan

LIMIT_S = 10 * planning.LIMIT_S  # a search ends by itself; what comes before and after it is not counted there


def serve(line: Connection) -> None:
    """In that process, until nobody asks any more."""
    while True:
        try:
            resource, nodes = line.recv()
        except EOFError:
            return
        line.send(answer(resource, nodes))


def answer(resource: Mapping[str, Any], nodes: Sequence[Node]) -> WrittenPlan | Exception:
    """A mistake as words: what it was about may not fit through the line."""
    try:
        return planning.planned(resource, nodes)
    except planning.Infeasible as why:
        return why
    except Exception as mistake:  # noqa: BLE001  # it is raised where it was asked for
        return RuntimeError(f"planning failed: {type(mistake).__name__}: {mistake}")


@dataclass(frozen=True, slots=True)
class Child:
    process: BaseProcess
    line: Connection

    def end(self) -> None:
        self.process.kill()
        self.line.close()


def begin(target: Callable[[Connection], None]) -> Child:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(theirs,), name="levee-planner", daemon=True)
    process.start()
    theirs.close()  # so that its end is heard
    return Child(process, ours)


@dataclass(slots=True)
class Planner:
    """The process begins with the first plan, and stays."""

    limit_s: float = LIMIT_S
    timed: Callable[[], AbstractContextManager[object]] = nullcontext
    target: Callable[[Connection], None] = serve
    child: Child | None = None
    queue: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "levee-planner"))

    def submit(self, resource: Mapping[str, Any], nodes: Sequence[Node]) -> "Future[WrittenPlan]":
        return self.queue.submit(self.made, resource, nodes)

    def made(self, resource: Mapping[str, Any], nodes: Sequence[Node]) -> WrittenPlan:
        with self.timed():
            said = self.asked(resource, nodes)
        if isinstance(said, Exception):
            raise said
        return said

    def asked(self, resource: Mapping[str, Any], nodes: Sequence[Node]) -> WrittenPlan | Exception:
        """Whatever goes wrong with the process, the next plan has another one."""
        child = self.child = self.child or begin(self.target)
        try:
            child.line.send((resource, nodes))
            if not child.line.poll(self.limit_s):
                raise NotYet(f"no plan was made in {self.limit_s:.0f} s; it is tried again")
            said: WrittenPlan | Exception = child.line.recv()
        except (EOFError, OSError):
            self.give_up(child)
            raise NotYet("the process that plans has ended, perhaps for lack of memory; it is tried again in another one") from None
        except BaseException:
            self.give_up(child)
            raise
        return said

    def give_up(self, child: Child) -> None:
        self.child = None
        child.end()

    def close(self) -> None:
        self.queue.shutdown(wait=False, cancel_futures=True)
        if self.child is not None:
            self.child.end()
