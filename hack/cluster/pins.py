"""Which versions the cluster is built of: pins.toml, parsed.

Why: two machines test against the same cluster.
Called by: programs, system, and simulated by way of programs.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from servers.pins import Program

FILE = Path(__file__).with_name("pins.toml")


@dataclass(frozen=True, slots=True)
class Pins:
    kubernetes: str
    node: tuple[str, ...]  # Debian packages
    kwok: Program
    monitors: Program  # of which nothing is built


def read_pins(path: Path = FILE) -> Pins:
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    modules = (Program(name, **document[name]) for name in ("kwok", "monitors"))
    return Pins(document["kubernetes"]["version"], tuple(document["node"]["debian"]), *modules)
