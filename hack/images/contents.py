"""What is in which image: docker/contents.toml, parsed.

Why: the Dockerfile and the build without Docker read the same list, so they cannot drift apart.
Called by: layers, build.
"""

import tomllib
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docker" / "contents.toml"


@dataclass(frozen=True, slots=True)
class LayerContents:
    """One of `debian`, `python`, `source`, `started` says what; patterns are of names, where * stands for slashes, too."""

    name: str
    debian: tuple[str, ...] = ()
    python: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    started: tuple[str, ...] = ()  # the layers whose JVM is started
    leave_out: tuple[str, ...] = ()
    executable: tuple[str, ...] = ()

    def takes(self, name: str) -> bool:
        return not matches(name, self.leave_out)

    def mode_of(self, name: str) -> int | None:
        return 0o755 if matches(name, self.executable) else None


@dataclass(frozen=True, slots=True)
class ImageContents:
    name: str
    layers: tuple[str, ...]
    entrypoint: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Contents:
    user: int
    environment: dict[str, str]
    layers: dict[str, LayerContents]
    images: dict[str, ImageContents]

    def below(self, layer: str) -> tuple[LayerContents, ...]:
        """What every image has under that layer."""
        stacks = [image.layers[: image.layers.index(layer)] for image in self.images.values() if layer in image.layers]
        return tuple(self.layers[name] for name in stacks[0] if all(name in stack for stack in stacks))


def matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def read_contents(path: Path = FILE) -> Contents:
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    layers = {name: LayerContents(name, **tuples(table)) for name, table in document["layers"].items()}
    images = {name: ImageContents(name, **tuples(table)) for name, table in document["images"].items()}
    return Contents(document["user"], document["environment"], layers, images)


def tuples(table: dict[str, list[str]]) -> dict[str, Any]:
    return {name: tuple(words) for name, words in table.items()}
