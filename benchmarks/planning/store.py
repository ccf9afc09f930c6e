"""Rows on disk: appended as they come, each with the code that measured it, by one run at a time.

Why: hours of measurements survive an interruption, and none of them is ever taken for one of other code.
Called by: runner and __main__.
"""

import ast
import fcntl
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import levee.planning

Row = dict[str, Any]  # what one measurement found; JSON

PACKAGES = ("highspy", "numpy", "numba")  # what the planners compute with
WITHOUT_CODE = "-without-code"  # the name that a folder of rows gets which do not say what code they come from


class BusyError(Exception):
    """Another run is measuring into the same folder."""


@cache
def code_of(take: Callable[..., Row]) -> str:
    """A hash of all that can change what `take` finds: the planners, the module that measures them, and the packages below.

    Of the sources as the compiler sees them: comments and layout change no measurement. As they are when it is asked first.
    """
    planners = Path(next(iter(levee.planning.__path__)))
    bench = Path(sys.modules[take.__module__].__file__ or "")
    digest = sha256()
    for path in (*sorted(planners.rglob("*.py")), bench):
        digest.update(f"{path.name}\0{syntax_of(path)}\0".encode())
    digest.update(repr([(name, version(name)) for name in PACKAGES]).encode())
    return digest.hexdigest()[:16]


def syntax_of(path: Path) -> str:
    """As the compiler sees it."""
    return ast.dump(ast.parse(path.read_bytes()))


@dataclass(frozen=True, slots=True)
class Store:
    path: Path
    code: str

    def read(self) -> tuple[dict[str, Row], int]:
        """The rows of this code by key, and how many there are of other code. A torn line is measured again."""
        rows: dict[str, Row] = {}
        others: set[str] = set()
        for line in self.path.read_text(encoding="utf-8", errors="replace").splitlines() if self.path.exists() else []:
            match _parsed(line):
                case [str(key), self.code, dict(row)]:
                    rows[key] = row
                case [str(key), str(), dict()]:
                    others.add(key)
                case _:
                    pass
        return rows, len(others - rows.keys())

    @contextmanager
    def appending(self) -> Iterator[Callable[[str, Row], None]]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        before = self.path.read_bytes() if self.path.exists() else b""
        with self.path.open("a", encoding="utf-8") as file:
            if before and not before.endswith(b"\n"):
                file.write("\n")  # The next row must not be glued to it.

            def append(key: str, row: Row) -> None:
                file.write(json.dumps([key, self.code, row]) + "\n")
                file.flush()

            yield append


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError:
        return None


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """One run at a time per folder. The lock is the process's, not its workers', and ends with it however it ends."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("a") as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise BusyError from None
        yield


def set_aside(folder: Path) -> Path | None:
    """Rows from before rows bore their code are kept under another name: nobody can say what they measured."""
    if not any(_is_old(path) for path in folder.glob("*.jsonl")):
        return None
    aside = folder.with_name(folder.name + WITHOUT_CODE)
    number = 1
    while aside.exists():
        number += 1
        aside = folder.with_name(f"{folder.name}{WITHOUT_CODE}-{number}")
    return folder.rename(aside)


def _is_old(path: Path) -> bool:
    with path.open(encoding="utf-8", errors="replace") as file:
        match _parsed(file.readline()):
            case [str(), dict()]:
                return True
            case _:
                return False
