"""Build what the cluster runs: Kubernetes with etcd as one program, its DNS, the holder of pods, helm.

Why: building takes minutes on a fast machine, so it is done once for each set of sources and kept.
Called by: running, simulated, main, tests.
"""

import hashlib
from collections.abc import Iterable
from pathlib import Path

from cluster.pins import Pins, read_pins
from servers import golang
from servers.cache import cache_folder, clear_unfinished, only_one, scratch, unfinished
from servers.commands import run
from servers.install import say
from servers.pins import read_pins as read_server_pins

SOURCES = Path(__file__).with_name("programs")
PACKAGES = ("./...", "helm.sh/helm/v3/cmd/helm")
VERSIONED = ("k8s.io/component-base/version", "k8s.io/client-go/pkg/version")
SAID = {"gitTreeState": "clean", "gitCommit": "0" * 40, "buildDate": "2026-01-01T00:00:00Z"}  # equal sources make equal programs


def cache() -> Path:
    return cache_folder().with_name("cluster")


def programs_folder() -> Path:
    """Another set of sources is another folder, so a cache is never half old."""
    return cache() / f"programs-{key(sorted(path for path in SOURCES.rglob('*') if path.is_file()), read_pins().kubernetes)}"


def key(sources: Iterable[Path], version: str) -> str:
    digest = hashlib.sha256(version.encode())
    for source in sources:
        digest.update(f"\n{source.relative_to(SOURCES)}\n".encode() + source.read_bytes())
    return digest.hexdigest()[:12]


def programs() -> Path:
    """Their folder; they are built first if need be."""
    target = programs_folder()
    if not target.exists():
        with only_one(cache()):
            clear_unfinished(cache())
            if not target.exists():
                say(f"cluster: building Kubernetes {read_pins().kubernetes}: 5 to 20 minutes, and 5 GB of disk meanwhile ...")
                build(target, read_pins())
    return target


def kwok() -> Path:
    """The program itself; it is built first if need be."""
    pin = read_pins().kwok
    target = cache() / pin.file_name
    if not target.exists():
        with only_one(cache()), scratch(cache()) as shared:
            say(f"cluster: building kwok {pin.version}: some minutes ...")
            golang.build(pin, golang.find_go(read_server_pins().go, cache_folder()), target, shared)
    return target


def monitors() -> Path:
    """The folder of prometheus-operator's resource definitions; it is fetched first if need be."""
    pin = read_pins().monitors
    target = cache() / pin.file_name
    if not target.exists():
        with only_one(cache()), scratch(cache()) as shared:
            golang.copy(pin, golang.find_go(read_server_pins().go, cache_folder()), target, shared)
    return target


def build(target: Path, pins: Pins) -> None:
    go = golang.find_go(read_server_pins().go, cache_folder())
    with scratch(cache()) as shared, unfinished(target) as work:
        out = work / target.name
        out.mkdir()
        settings = golang.build_settings(shared) | {"GOFLAGS": "-modcacherw -mod=readonly"}
        run([go, "-C", SOURCES, "build", "-trimpath", f"-ldflags={link_flags(pins.kubernetes)}", "-o", out, *PACKAGES], extra=settings)


def link_flags(version: str) -> str:
    major, minor, _ = version.split(".")
    said = {**SAID, "gitVersion": f"v{version}", "gitMajor": major, "gitMinor": minor}
    return " ".join(["-s -w", *(f"-X {package}.{name}={value}" for package in VERSIONED for name, value in said.items())])
