"""Install what is asked for and not there yet.

Why: one place knows which server is built from Go and which is a set of jars; the others ask for a path.
Called by: __main__ (`install`, `run`, `pin`), and by the servers for their programs.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from servers import golang, ivy
from servers.cache import cache_folder, clear_unfinished, only_one
from servers.java import Java, find_java
from servers.pins import Pins, read_pins
from servers.trouble import ServerTrouble

USUAL = ("toxiproxy", "versitygw", "kafka", "spark-kafka")  # all but minio, whose build takes as long as the others three times over


def names(pins: Pins) -> list[str]:
    return [*pins.programs, *pins.jars]


def path_of(name: str, pins: Pins, cache: Path) -> Path:
    """Where it is, or will be: a program, or a folder of jars."""
    if name in pins.programs:
        return cache / "programs" / pins.programs[name].file_name
    return cache / "jars" / pins.jars[name].folder_name


def install(wanted: Iterable[str], cache: Path | None = None) -> None:
    pins, cache = read_pins(), cache or cache_folder()
    if missing := [name for name in wanted if not path_of(name, pins, cache).exists()]:
        with only_one(cache):
            clear_unfinished(cache)
            for name in missing:
                timed(name, lambda name=name: put(name, pins, cache))  # type: ignore[misc]


def timed(name: str, work: Callable[[], None]) -> None:
    started_s = time.monotonic()
    say(f"servers: installing {name} ...")
    work()
    say(f"servers: {name} is there after {time.monotonic() - started_s:.0f} s")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # beside what a command prints


def put(name: str, pins: Pins, cache: Path) -> None:
    target = path_of(name, pins, cache)
    if target.exists():
        return  # somebody else was faster, while we waited for the lock
    if program := pins.programs.get(name):
        golang.build(program, golang.find_go(pins.go, cache), target)
    else:
        ivy.fetch(pins.jars[name], find_java(pins.java_minimum), target)


def pinned_lines(name: str) -> list[str]:
    pins = read_pins()
    with tempfile.TemporaryDirectory() as work:
        return ivy.pin(pins.jars[name], find_java(pins.java_minimum), Path(work))


def installed(name: str) -> Path:
    """Its path; building is asked for by name, never done as a surprise in the middle of a test."""
    path = path_of(name, read_pins(), cache_folder())
    if not path.exists():
        command = "make servers" if name in USUAL else f"make servers ARGS='install {name}'"
        raise ServerTrouble(f"{name} is not installed: run `{command}`.")
    return path


def jars_of(name: str) -> tuple[Path, ...]:
    return tuple(sorted(installed(name).iterdir()))


def java() -> Java:
    return find_java(read_pins().java_minimum)
