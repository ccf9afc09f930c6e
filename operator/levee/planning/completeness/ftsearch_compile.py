"""Machine code where numba is installed, plain Python where it is not.

Why: FT-Search is the baseline that others are measured against, so it is made as fast as it can be; it must run without numba, too.
Called by: ftsearch_kernel, whose functions are written so that they mean the same either way.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar, cast

F = TypeVar("F", bound=Callable[..., Any])

try:
    numba: Any = import_module("numba")
except ImportError:
    numba = None

COMPILED = numba is not None and not numba.config.DISABLE_JIT
SLICE = 200_000 if COMPILED else 500  # Nodes between two looks at the clock: some milliseconds either way.


def compiled(function: F) -> F:
    """The function as machine code that lets other threads run (nogil), kept on disk between runs."""
    return cast(F, numba.njit(nogil=True, cache=True)(function)) if numba is not None else function
