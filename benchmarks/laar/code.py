"""Which code has measured a row: a hash of everything that can change it.

Called by: simulated.
"""

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from types import ModuleType

from benchmarks.planning.store import Row, code_of, syntax_of


def code_with(parts: Iterable[ModuleType], take: Callable[..., Row]) -> str:
    """The planners and the module of `take`, as for the bench of planning, and these modules or packages."""
    digest = sha256(code_of(take).encode())
    for path in (path for part in parts for path in files(part)):
        digest.update(f"{path.name}\0{syntax_of(path)}\0".encode())
    return digest.hexdigest()[:16]


def files(part: ModuleType) -> Iterator[Path]:
    assert part.__file__ is not None
    file = Path(part.__file__)
    yield from sorted(file.parent.rglob("*.py")) if file.name == "__init__.py" else [file]
