"""Run many independent measurements, keep each result on disk as it comes, and go on where an interrupted run ended.

Why: the full bench takes hours; nothing measured may be lost, and nothing is measured twice.
Called by: the measuring modules of this package.
"""

import json
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from levee.planning.result import Stop

Row = dict[str, Any]  # what one measurement found; JSON
Key = tuple[Any, ...]  # the arguments of one measurement; JSON


def stop_after(limit_s: float) -> Stop:
    """A Stop that lets a search go on for so long."""
    end = time.perf_counter() + limit_s
    return Stop(asked=lambda: time.perf_counter() >= end, remaining_s=lambda: max(0.0, end - time.perf_counter()))


def stop_after_cpu(limit_s: float) -> Stop:
    """The same in CPU seconds: for searches on one thread, whatever else the machine is doing."""
    end = time.process_time() + limit_s
    return Stop(asked=lambda: time.process_time() >= end)


def measure(name: str, folder: Path, keys: Iterable[Key], take: Callable[..., Row], jobs: int) -> list[Row]:
    """All rows of `take(*key)`, in the order of the keys; rows found in `folder` are not measured again."""
    wanted = [json.dumps(key) for key in keys]
    path = folder / f"{name}.jsonl"
    known = _read(path)
    todo = [key for key in wanted if key not in known]
    print(f"{name}: {len(wanted)} measurements, {len(wanted) - len(todo)} known", file=sys.stderr, flush=True)
    folder.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for done, (key, row) in enumerate(_take_all(todo, take, jobs), start=1):
            known[key] = row
            file.write(json.dumps([key, row]) + "\n")
            file.flush()
            if done % 100 == 0:
                print(f"{name}: {done} of {len(todo)}", file=sys.stderr, flush=True)
    return [known[key] for key in wanted]


def _read(path: Path) -> dict[str, Row]:
    """What earlier, interrupted runs found; a line that was torn by the interruption is measured again."""
    rows: dict[str, Row] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            key, row = json.loads(line)
        except json.JSONDecodeError:
            continue
        rows[key] = row
    return rows


def _take_all(todo: list[str], take: Callable[..., Row], jobs: int) -> Iterable[tuple[str, Row]]:
    if jobs == 1:
        yield from ((key, take(*json.loads(key))) for key in todo)
        return
    with ProcessPoolExecutor(jobs) as pool:
        futures = {pool.submit(take, *json.loads(key)): key for key in todo}
        for future in as_completed(futures):
            yield futures[future], future.result()
