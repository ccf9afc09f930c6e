"""Which versions the cluster is built of: pins.toml, parsed.

Why: two machines test against the same cluster.
Called by: programs, system.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("pins.toml")


@dataclass(frozen=True, slots=True)
class Pins:
    kubernetes: str
    node: tuple[str, ...]  # Debian packages


def read_pins(path: Path = FILE) -> Pins:
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    return Pins(document["kubernetes"]["version"], tuple(document["node"]["debian"]))
