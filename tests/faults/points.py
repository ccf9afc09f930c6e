"""The points of an epoch at which a worker may be told to die, and the names of what else may happen to it.

Called by: the faulty worker, and the tests, which arm them.
"""

from enum import StrEnum
from pathlib import Path


class Point(StrEnum):
    READING = "before-reading"
    COMPUTED = "after-computing"
    WRITTEN = "between-data-and-commit"
    COMMITTED = "after-commit"
    PUBLISHING = "while-publishing"
    FORKING = "while-forking"


WRONG, HELD, FULL, JUMP, SHAKY, LIMIT = "wrong", "held", "full", "jump", "shaky", "limit"


def armed(folder: Path, name: str) -> Path:
    return folder / f"{name}.armed"
