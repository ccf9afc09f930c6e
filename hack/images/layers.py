"""Make the layers of images, each known by what goes into it, so that only what has changed is made anew.

Why: Spark and Java are 99 % of an image and change a few times a year; our code changes every minute.
Called by: build.
"""

import hashlib
import json
import os
import py_compile
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from images.base import add_base
from images.contents import ROOT, Contents, LayerContents
from images.debian import fetch, read_lock
from images.distributions import TARGET, Installed, closure
from images.started import code, put_started
from images.tree import Tree
from servers.cache import cache_folder

HERE = Path(__file__).parent
KEPT = 3  # of each layer, the last used
COMMAND = b"#!/usr/bin/python3\nfrom levee.cli.main import main\n\nmain()\n"


@dataclass(frozen=True, slots=True)
class Layer:
    tar: Path
    sha256: str
    size: int

    @property
    def digest(self) -> str:
        return f"sha256:{self.sha256}"


def cache() -> Path:
    return cache_folder().with_name("images")


def layer(name: str, contents: Contents, source: Path = ROOT) -> Layer:
    wanted = contents.layers[name]
    if wanted.debian:
        packages = read_lock().chosen(wanted.debian)
        return made(name, [asdict(wanted), [package.sha256 for package in packages]], lambda tree: put_debian(tree, wanted, contents.user))
    if wanted.python:
        found = closure(wanted.python, [root.name for below in contents.below(name) for root in closure(below.python)])
        return made(name, [asdict(wanted), [(one.name, one.version) for one in found]], lambda tree: put_python(tree, wanted, found))
    if wanted.started:
        below = [layer(one, contents) for one in wanted.started]
        inputs = [asdict(wanted), [one.sha256 for one in below], code()]
        return made(name, inputs, lambda tree: put_started(tree, [one.tar for one in below], cache()))
    folders = [source / folder for folder in wanted.source]
    return made(name, [asdict(wanted), source_digest(folders)], lambda tree: put_source(tree, folders))


def made(name: str, inputs: object, put: Callable[[Tree], None]) -> Layer:
    """From the cache, where the file's name says what went in and what came out."""
    cache().mkdir(parents=True, exist_ok=True)
    key = hashlib.sha256((json.dumps(inputs, sort_keys=True) + own_code()).encode()).hexdigest()[:12]
    for there in cache().glob(f"{name}-{key}-*.tar"):
        os.utime(there)
        return Layer(there, there.stem.rpartition("-")[2], there.stat().st_size)
    partial = cache() / f"{name}-{os.getpid()}.partial"
    with Tree(partial) as tree:
        put(tree)
    with partial.open("rb") as written:
        sha256 = hashlib.file_digest(written, "sha256").hexdigest()
    return Layer(partial.rename(cache() / f"{name}-{key}-{sha256}.tar"), sha256, (cache() / f"{name}-{key}-{sha256}.tar").stat().st_size)


def forget_old() -> None:
    """What nobody has used for longest, and what a killed build left; the caller holds the lock."""
    for path in cache().glob("*.partial"):
        path.unlink()
    used: dict[str, int] = {}
    for path in sorted(cache().glob("*.tar"), key=lambda path: path.stat().st_mtime, reverse=True):
        name = path.name.rsplit("-", 2)[0]
        used[name] = used.get(name, 0) + 1
        if used[name] > KEPT:
            path.unlink()


def own_code() -> str:
    return "".join(
        (HERE / name).read_text(encoding="utf-8") for name in ("base.py", "debian.py", "distributions.py", "layers.py", "tree.py")
    )


def put_debian(tree: Tree, wanted: LayerContents, user: int) -> None:
    lock = read_lock()
    tree.packages(fetch(lock.chosen(wanted.debian), lock.day, cache() / "debian"), wanted.takes)
    add_base(tree, user)


def put_python(tree: Tree, wanted: LayerContents, found: Iterable[Installed]) -> None:
    for one in found:
        taken = [(name, path) for name, path in one.files() if wanted.takes(name)]
        for name, path in taken:
            put(tree, name, path, wanted.mode_of(name))
        tree.file(f"{TARGET}/{one.record}", "".join(f"{name},,\n" for name in (*(name for name, _ in taken), one.record)).encode())


def put_source(tree: Tree, folders: Iterable[Path]) -> None:
    tree.file("usr/local/bin/levee", COMMAND, 0o755)
    for name, path in sources(folders):
        put(tree, name, path, None)


def sources(folders: Iterable[Path]) -> list[tuple[str, Path]]:
    found = [(str(path.relative_to(folder.parent)), path) for folder in folders for path in folder.rglob("*") if path.is_file()]
    return sorted((name, path) for name, path in found if "__pycache__" not in name)


def source_digest(folders: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for name, path in sources(folders):
        digest.update(f"\n{name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def put(tree: Tree, name: str, path: Path, mode: int | None) -> None:
    """A module comes with its compiled file: where the file system is read-only, Python could not keep it."""
    tree.copy(f"{TARGET}/{name}", path, mode)
    if path.suffix == ".py":
        compiled = Path(name).parent / "__pycache__" / f"{path.stem}.cpython-311.pyc"
        if content := compiled_content(path, f"/{TARGET}/{name}"):
            tree.file(f"{TARGET}/{compiled}", content)


def compiled_content(path: Path, shown: str) -> bytes:
    """Empty for what is no Python of this version, such as the templates that some packages carry."""
    with tempfile.TemporaryDirectory() as work:
        target = Path(work) / "compiled"
        mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
        try:
            py_compile.compile(str(path), str(target), shown, doraise=True, invalidation_mode=mode)
        except py_compile.PyCompileError:
            return b""
        return target.read_bytes()
