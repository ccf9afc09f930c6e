"""A function of the user's: found by its name, and what it raised, shortened to the user's own lines.

Why: who wrote the function wants to see where in it things went wrong, not how it was called.
Called by: `replay`, `opening`.
"""

import importlib
import traceback
from collections.abc import Callable, Mapping
from typing import TypeAlias

import pyarrow as pa

from levee.topology.complaint import Complaint

Generator: TypeAlias = Callable[[int, Mapping[str, str], int, int], pa.Table]
OURS = "/levee_spark/ingest/"  # frames of these files are not the user's


class CannotIngest(Exception):
    """A source that cannot be read as it is declared; why, and what to do."""

    def __init__(self, where: str, wrong: str, fix: str) -> None:
        super().__init__(f"{where}: {wrong}\n  Fix: {fix}")
        self.complaint = Complaint(where, wrong, fix)


def load(name: str) -> Generator:
    """`module:function`."""
    module, _, function = name.partition(":")
    where = f"generator {name!r}"
    try:
        found = getattr(importlib.import_module(module.removesuffix(".py")), function)
    except Exception as error:
        raise CannotIngest(where, f"cannot be found: {error}", "write module:function, and put the module on PYTHONPATH") from error
    if not callable(found):
        raise CannotIngest(
            where, f"is no function, but {type(found).__name__}", "name a function (epoch, options, task, tasks) -> pyarrow.Table"
        )
    generator: Generator = found
    return generator


def explained(error: BaseException, where: str) -> str:
    """What happened, where in the topology, and the user's own lines of the traceback."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if OURS not in frame.filename]
    lines = [f"  {frame.filename}:{frame.lineno} in {frame.name}: {frame.line}" for frame in frames]
    return "\n".join([f"{where}: {type(error).__name__}: {error}", *lines])
