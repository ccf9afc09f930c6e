"""The files of installed Python distributions, and of those that they need.

Why: `make venv` has fetched and checked them already, so an image is made of what the tests ran with, and without a network.
Called by: layers.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

from servers.trouble import ServerTrouble

TARGET = "usr/local/lib/python3.11/dist-packages"  # where Debian's Python looks for what is not Debian's


@dataclass(frozen=True, slots=True)
class Installed:
    name: str
    version: str
    needs: tuple[str, ...]

    @property
    def record(self) -> str:
        """The list of its files: pip's also has those that are not taken, and some packages look there for their own libraries."""
        return next(str(path) for path in distribution(self.name).files or () if path.name == "RECORD")

    def files(self) -> Iterator[tuple[str, Path]]:
        """Name in the image below TARGET, and where it is now; scripts and compiled files are not taken."""
        for path in sorted(distribution(self.name).files or ()):
            if path.parts[0] != ".." and path.suffix != ".pyc" and path.name not in ("RECORD", "INSTALLER", "direct_url.json"):
                yield str(path), Path(str(path.locate()))


def closure(roots: Iterable[str], without: Iterable[str] = ()) -> list[Installed]:
    """Roots and what they need, in the order of their names."""
    found: dict[str, Installed] = {}
    seen, waiting = set(map(plain, without)), [plain(root) for root in roots]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            found[name] = installed(name)
            waiting.extend(found[name].needs)
    return [found[name] for name in sorted(found)]


def installed(name: str) -> Installed:
    try:
        there = distribution(name)
    except PackageNotFoundError:
        raise ServerTrouble(f"{name} belongs into an image, but is not in the virtual environment: run `make venv`.") from None
    return Installed(name, there.version, tuple(needs(there)))


def needs(there: Distribution) -> Iterator[str]:
    for text in there.requires or ():
        wanted = Requirement(text)
        if wanted.marker is None or wanted.marker.evaluate({"extra": ""}):
            yield plain(wanted.name)


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
