"""Run many independent measurements, keep each result on disk as it comes, and go on where an interrupted run ended.

Why: the full bench takes hours; nothing measured may be lost, and nothing is measured twice by the same code.
Called by: the measuring modules of this package.
"""

import json
import signal
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing, contextmanager
from multiprocessing import active_children
from pathlib import Path
from typing import Any

from benchmarks.planning.store import Row, Store, code_of
from levee.planning.result import Stop

Key = tuple[Any, ...]  # the arguments of one measurement; JSON


def stop_after(limit_s: float) -> Stop:
    """A Stop that lets a search go on for so long."""
    end = time.perf_counter() + limit_s
    return Stop(asked=lambda: time.perf_counter() >= end, remaining_s=lambda: max(0.0, end - time.perf_counter()))


def stop_after_cpu(limit_s: float) -> Stop:
    """The same in CPU seconds: for searches on one thread, whatever else the machine is doing."""
    end = time.process_time() + limit_s
    return Stop(asked=lambda: time.process_time() >= end)


def measure(name: str, folder: Path, keys: Iterable[Key], take: Callable[..., Row], jobs: int, code: str | None = None) -> list[Row]:
    """All rows of `take(*key)`, in the order of the keys; rows that the same code left in `folder` are not measured again."""
    wanted = [json.dumps(key) for key in keys]
    store = Store(folder / f"{name}.jsonl", code or code_of(take))
    known, others = store.read()
    todo = [key for key in wanted if key not in known]
    _tell(f"{name}: {len(wanted)} measurements, {len(wanted) - len(todo)} known" + (f", {others} of other code" if others else ""))
    with store.appending() as append, closing(_take_all(todo, take, jobs)) as taken:
        for done, (key, row) in enumerate(taken, start=1):
            known[key] = row
            append(key, row)
            _tell_sometimes(name, done, len(todo))
    return [known[key] for key in wanted]


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _tell_sometimes(name: str, done: int, of: int) -> None:
    if done % 100 == 0:
        _tell(f"{name}: {done} of {of}")


def _take_all(todo: list[str], take: Callable[..., Row], jobs: int) -> Generator[tuple[str, Row], None, None]:
    if jobs == 1:
        yield from ((key, take(*json.loads(key))) for key in todo)
        return
    with _workers(jobs) as pool:
        futures = {pool.submit(take, *json.loads(key)): key for key in todo}
        for future in as_completed(futures):
            yield futures[future], future.result()


@contextmanager
def _workers(jobs: int) -> Iterator[ProcessPoolExecutor]:
    pool = ProcessPoolExecutor(jobs, initializer=_leave_ctrl_c_to_the_parent)
    try:
        yield pool
    except BaseException:  # Nobody waits for what is being measured.
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in active_children():
            worker.terminate()
        raise
    pool.shutdown()


def _leave_ctrl_c_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
