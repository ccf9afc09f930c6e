"""Write a layer of an image: a tar file whose bytes depend on what is in it and on nothing else.

Why: a layer is known by its checksum; were there a clock or a user's number in it, every build would bring all of them anew.
Called by: layers, and the cluster for the nodes' file system.
"""

import os
import tarfile
from collections.abc import Callable, Iterable
from io import BytesIO
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

from images.debian import MERGED, files_of

WHEN = 1_767_225_600  # 2026-01-01; Python's compiled files and Java's class archive compare times, so it must not move


class Tree:
    """A tar file in the making. Directories come by themselves, as root's."""

    def __init__(self, path: Path) -> None:
        self.tar = tarfile.open(path, "w", format=tarfile.PAX_FORMAT)  # noqa: SIM115 - __exit__ closes it
        self.seen: set[str] = set()
        self.certificates: dict[str, bytes] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.tar.close()

    def folder(self, name: str, mode: int = 0o755, owner: int = 0) -> None:
        if name in self.seen or name == ".":
            return
        self.folder(str(PurePosixPath(name).parent))
        self.add(entry(name, tarfile.DIRTYPE, mode, owner))

    def file(self, name: str, content: bytes, mode: int = 0o644) -> None:
        found = entry(name, tarfile.REGTYPE, mode)
        found.size = len(content)
        self.add(found, content)

    def link(self, name: str, target: str) -> None:
        found = entry(name, tarfile.SYMTYPE, 0o777)
        found.linkname = target
        self.add(found)

    def copy(self, name: str, source: Path, mode: int | None = None) -> None:
        """Its bytes, and whether it can be executed."""
        self.file(name, source.read_bytes(), mode or (0o755 if os.access(source, os.X_OK) else 0o644))

    def add(self, found: tarfile.TarInfo, content: bytes = b"") -> None:
        self.folder(str(PurePosixPath(found.name).parent))
        self.seen.add(found.name)
        if found.name.endswith(".crt"):
            self.certificates[found.name] = content
        found.mtime, found.uname, found.gname, found.pax_headers = WHEN, "", "", {}
        self.tar.addfile(found, BytesIO(content) if found.isreg() else None)

    def packages(self, debs: Iterable[Path], takes: Callable[[str], bool]) -> None:
        for name in MERGED:
            self.link(name, f"usr/{name}")
        for deb in debs:
            for found, content in files_of(deb):
                if takes(found.name):
                    self.add(found, content)

    def joined(self, folder: str) -> bytes:
        """All certificates below it, one after the other."""
        return b"".join(text for name, text in sorted(self.certificates.items()) if name.startswith(f"{folder}/"))


def entry(name: str, kind: bytes, mode: int, owner: int = 0) -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type, found.mode, found.uid, found.gid = kind, mode, owner, owner
    return found
