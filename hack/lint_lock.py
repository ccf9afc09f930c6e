"""Refuse a lock file that does not hold what pyproject.toml asks for.

Why: a dependency that is added without `make lock` would work where it was added and nowhere else.
Called by: `make lint`.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import NormalizedName, canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
LOCKED_EXTRAS = ("chaos", "dev", "operator", "spark")  # what `make venv` installs besides the core
PIN = re.compile(r"^(?P<name>[A-Za-z0-9._-]+)==(?P<version>\S+)(?P<rest>(?:.*\\\n)*.*)", re.MULTILINE)
FIX = "run `make lock`"


def main() -> int:
    complaints = check((ROOT / "pyproject.toml").read_text(encoding="utf-8"), (ROOT / "requirements.lock").read_text(encoding="utf-8"))
    print("\n".join(complaints) if complaints else "lint_lock: the lock holds what pyproject.toml asks for")
    return 1 if complaints else 0


def check(pyproject: str, lock: str) -> list[str]:
    pins = {canonicalize_name(pin["name"]): Version(pin["version"]) for pin in PIN.finditer(lock)}
    return [*unmet(wanted(pyproject), pins), *without_hash(lock), *with_host(lock)]


def wanted(pyproject: str) -> list[Requirement]:
    """What the core, the locked extras and the build ask for."""
    document = tomllib.loads(pyproject)
    extras = document["project"].get("optional-dependencies", {})
    texts = [*document["build-system"]["requires"], *document["project"]["dependencies"]]
    return [Requirement(text) for text in texts + [text for extra in LOCKED_EXTRAS for text in extras[extra]]]


def unmet(requirements: list[Requirement], pins: dict[NormalizedName, Version]) -> Iterator[str]:
    for requirement in requirements:
        pinned = pins.get(canonicalize_name(requirement.name))
        if pinned is None:
            yield f"requirements.lock: {requirement.name} is not in it, though pyproject.toml asks for it: {FIX}"
        elif not requirement.specifier.contains(pinned, prereleases=True):
            yield f"requirements.lock: {requirement.name}=={pinned} is not what pyproject.toml asks for ({requirement.specifier}): {FIX}"


def without_hash(lock: str) -> Iterator[str]:
    for pin in PIN.finditer(lock):
        if "--hash=sha256:" not in pin["rest"]:
            yield f"requirements.lock: {pin['name']} has no hash, so what is installed could be anything: {FIX}"


def with_host(lock: str) -> Iterator[str]:
    """Where packages come from is the business of the machine they are installed on."""
    for number, line in enumerate(lock.splitlines(), 1):
        if "://" in line or line.startswith("-"):
            yield f"requirements.lock:{number}: names a place to install from; take the line out"


if __name__ == "__main__":
    sys.exit(main())
