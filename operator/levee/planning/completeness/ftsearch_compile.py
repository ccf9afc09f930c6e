"""Machine code where numba is installed, plain Python where it is not.

Why: FT-Search is the baseline that others are measured against, so it is made as fast as it can be; it must run without numba, too.
Called by: ftsearch_kernel, whose functions are written so that they mean the same either way.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

try:
    numba: Any = import_module("numba")
except ImportError:
    numba = None

COMPILED = numba is not None and not numba.config.DISABLE_JIT
SLICE = 200_000 if COMPILED else 500  # Nodes between two looks at the clock: some milliseconds either way.


@contextmanager
def told_of_compiling(say: Callable[[], None]) -> Iterator[None]:
    """Says so once, when the first function is compiled in here; what stands on the disk already is not compiled."""
    if not COMPILED:
        yield
        return
    event = import_module("numba.core.event")
    said: list[bool] = []

    class Listener(event.Listener):  # type: ignore[misc, name-defined]
        def on_start(self, _: object) -> None:
            if not said:
                said.append(True)
                say()

        def on_end(self, _: object) -> None:
            pass

    with event.install_listener("numba:compile", Listener()):
        yield


def compiled(function: F) -> F:
    """The function as machine code that lets other threads run (nogil), kept on disk between runs."""
    return cast(F, numba.njit(nogil=True, cache=True)(function)) if numba is not None else function
