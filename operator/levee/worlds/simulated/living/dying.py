"""Whoever looks after a topology may die at any point; here is what that is.

Called by: every module of living.
"""

import types
from collections.abc import Coroutine, Generator
from typing import Any, TypeVar

from levee.lifecycle.handlers import NotYet

T = TypeVar("T")


class Killed(BaseException):
    """Whoever looks after the topology dies here."""


class Unanswered(NotYet):
    """The store or the API server is silent."""


class Broken(AssertionError):
    """Something that must hold does not."""


def must(holds: bool, text: str) -> None:
    if not holds:
        raise Broken(text)


@types.coroutine
def pause() -> Generator[None, None, None]:
    yield


def at_once(coroutine: Coroutine[Any, Any, T]) -> T:
    """To its end, without an event loop: no time passes."""
    try:
        while True:
            coroutine.send(None)
    except StopIteration as end:
        value: T = end.value
        return value
