"""Debian packages, fetched by name and checksum, and unpacked without dpkg.

Why: images and the nodes of the test cluster need a small Linux under them, the same on every machine and without root.
Called by: image layers; the cluster's nodes.
"""

import hashlib
import os
import tarfile
import urllib.request
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath

from servers.trouble import ServerTrouble

LOCK = Path(__file__).with_name("debian.lock")
MIRROR = "http://deb.debian.org"  # not https: the checksums are ours, and a proxy may keep what it has seen
SNAPSHOTS = "https://snapshot.debian.org/archive"  # keeps what mirrors have dropped
MERGED = ("bin", "lib", "lib64", "sbin")  # these are links into usr, whatever a package says
UNREAD = ("usr/share/doc", "usr/share/info", "usr/share/lintian", "usr/share/locale", "usr/share/man")
MAGIC, HEADER = b"!<arch>\n", 60


@dataclass(frozen=True, slots=True)
class Package:
    sha256: str
    path: str  # debian/pool/main/b/bash/bash_5.2.15-2_amd64.deb

    @property
    def file_name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def name(self) -> str:
        return self.file_name.partition("_")[0]


@dataclass(frozen=True, slots=True)
class Lock:
    day: str  # as snapshots are named: 20261118T000000Z
    packages: dict[str, Package]

    def chosen(self, names: Iterable[str]) -> list[Package]:
        if unknown := sorted(set(names) - set(self.packages)):
            raise ServerTrouble(f"{LOCK.name} does not hold {', '.join(unknown)}: add them with `python -m hack.images pin`.")
        return [self.packages[name] for name in names]


def read_lock(path: Path = LOCK) -> Lock:
    lines = [line.split() for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    ((_, day), *rows) = lines
    return Lock(day, {(package := Package(sha256, where)).name: package for sha256, where in rows})


def fetch(packages: Iterable[Package], day: str, folder: Path) -> list[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(lambda package: fetch_one(package, day, folder), packages))


def fetch_one(package: Package, day: str, folder: Path) -> Path:
    target, troubles = folder / package.file_name, []
    if target.exists():
        return target
    for url in urls(package, day):
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 - our own addresses
                content: bytes = answer.read()
        except OSError as trouble:
            troubles.append(f"  {url}: {trouble}")
            continue
        if hashlib.sha256(content).hexdigest() == package.sha256:
            return kept(content, target)
        troubles.append(f"  {url}: another checksum than {LOCK.name} has; do not use what was served")
    raise ServerTrouble("\n".join([f"{package.file_name} cannot be had (LEVEE_DEBIAN_MIRROR names another mirror):", *troubles]))


def urls(package: Package, day: str) -> list[str]:
    archive, _, rest = package.path.partition("/")
    return [f"{os.environ.get('LEVEE_DEBIAN_MIRROR', MIRROR)}/{package.path}", f"{SNAPSHOTS}/{archive}/{day}/{rest}"]


def kept(content: bytes, target: Path) -> Path:
    partial = target.with_name(f"{target.name}.{os.getpid()}")
    partial.write_bytes(content)
    return partial.rename(target)


def files_of(deb: Path) -> Iterator[tuple[tarfile.TarInfo, bytes]]:
    """What the package brings, save directories and what only people read; names as they are in a merged file system."""
    with tarfile.open(fileobj=BytesIO(payload(deb.read_bytes(), deb.name))) as archive:
        for entry in archive:
            if entry.isdir() or unread(merged(entry.name)):
                continue
            content = archive.extractfile(entry) if entry.isreg() else None
            entry.name = merged(entry.name)
            entry.linkname = merged(entry.linkname) if entry.islnk() else entry.linkname
            yield entry, content.read() if content else b""


def payload(content: bytes, name: str) -> bytes:
    """The member data.tar.* of the `ar` archive that a package is."""
    at = len(MAGIC)
    while content.startswith(MAGIC) and at < len(content):
        member, size = content[at : at + 16].decode().strip(), int(content[at + 48 : at + 58])
        at += HEADER
        if member.startswith("data.tar"):
            return content[at : at + size]
        at += size + size % 2
    raise ServerTrouble(f"{name} is no Debian package")


def merged(name: str) -> str:
    path = PurePosixPath(name)  # drops the leading ./
    return f"usr/{path}" if path.parts and path.parts[0] in MERGED else str(path)


def unread(name: str) -> bool:
    return name.startswith(UNREAD) and not name.endswith("/copyright")
