"""Ask apt which versions Debian has today, for debian.lock.

Why: a lock that is written by hand gets old; apt checks the signatures of what it lists, and so the lock stands on them.
Called by: `python -m hack.images pin`, on a machine with apt.
"""

import datetime as dt
import re
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from images.debian import LOCK, MIRROR
from servers.trouble import ServerTrouble

KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
SUITES = (("debian", "bookworm"), ("debian", "bookworm-updates"), ("debian-security", "bookworm-security"))
FOLDERS = {"Dir": "", "Dir::State": "state", "Dir::State::status": "state/status", "Dir::Cache": "cache", "Dir::Etc": "etc"}
SETTINGS = {"APT::Architecture": "amd64", "APT::Architectures": "amd64", "APT::Sandbox::User": "root", "Acquire::ForceHash": "sha256"}
HEAD = "# Debian packages of images and nodes: checksum, path; the day names the snapshot. Written by `python -m hack.images pin`."


def pin(names: Iterable[str]) -> None:
    with tempfile.TemporaryDirectory() as work:
        settings = apt_settings(Path(work))
        apt("update", settings)
        found = apt("download", settings, ["--print-uris", *sorted(set(names))])
    day = dt.datetime.now(dt.UTC).strftime("%Y%m%dT000000Z")
    LOCK.write_text("\n".join([HEAD, f"day {day}", *lock_lines(found), ""]), encoding="utf-8")


def lock_lines(printed: str) -> list[str]:
    """Of lines like `'http://host/debian/pool/x_1%3a2_amd64.deb' x_1%3a2_amd64.deb 1234 SHA256:abc`."""
    rows = re.findall(r"^'[a-z]+://[^/]+/(\S+)' \S+ \d+ SHA256:(\w+)$", printed, re.MULTILINE)
    return [f"{sha256} {path.replace('%2b', '+').replace('%7e', '~')}" for path, sha256 in sorted(rows)]


def apt(verb: str, settings: Path, arguments: Iterable[str] = ()) -> str:
    environment = {"APT_CONFIG": str(settings), "PATH": "/usr/bin:/bin"}
    done = subprocess.run(["apt-get", "-qq", verb, *arguments], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ServerTrouble(f"apt-get {verb} failed:\n{done.stderr}")
    return done.stdout


def apt_settings(folder: Path) -> Path:
    """An apt of its own: neither this machine's sources nor what is installed on it count."""
    for name in ("state/lists/partial", "cache/archives/partial", "etc/apt.conf.d", "etc/preferences.d"):
        (folder / name).mkdir(parents=True)
    (folder / "state" / "status").touch()
    sources = [f"deb [signed-by={KEYS}] {MIRROR}/{archive} {suite} main" for archive, suite in SUITES]
    (folder / "etc" / "sources.list").write_text("\n".join([*sources, ""]), encoding="utf-8")
    words = {name: folder / where for name, where in FOLDERS.items()} | SETTINGS
    settings = folder / "apt.conf"
    settings.write_text("\n".join(f'{name} "{value}";' for name, value in words.items()), encoding="utf-8")
    return settings
