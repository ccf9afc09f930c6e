"""Install what is asked for and not there yet.

Why: one place knows which server is built from Go, which is a set of jars and which comes from npm; the others ask for a path.
Called by: __main__ (`install`, `run`, `pin`), and by the servers for their programs.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from servers import golang, ivy, npm
from servers.cache import cache_folder, clear_unfinished, only_one, scratch
from servers.java import Java, find_java
from servers.pins import Pins, read_pins
from servers.trouble import ServerTrouble

USUAL = (
    "toxiproxy",
    "versitygw",
    "prometheus",
    "promtool",
    "kafka",
    "spark-kafka",
    "chromium",
)  # all but minio, whose build takes as long as all others together


def names(pins: Pins) -> list[str]:
    return [*pins.programs, *pins.jars, *pins.browsers]


def path_of(name: str, pins: Pins, cache: Path) -> Path:
    """Where it is, or will be: a program, or a folder of jars, or one with a browser in it."""
    if name in pins.programs:
        return cache / "programs" / pins.programs[name].file_name
    if name in pins.browsers:
        return cache / "browsers" / pins.browsers[name].folder_name
    return cache / "jars" / pins.jars[name].folder_name


def install(wanted: Collection[str], cache: Path | None = None) -> None:
    """Compiling and downloading at the same time: one is busy, the other waits."""
    pins, cache = read_pins(), cache or cache_folder()
    if unknown := set(wanted) - set(names(pins)):
        raise ServerTrouble(f"There is no server {', '.join(sorted(unknown))}; there are {', '.join(names(pins))}.")
    if all(path_of(name, pins, cache).exists() for name in wanted):
        return
    with only_one(cache):
        clear_unfinished(cache)
        missing = [name for name in wanted if not path_of(name, pins, cache).exists()]  # asked again: others may have been at it
        with scratch(cache) as shared, ThreadPoolExecutor(2) as pool:
            fetched = pool.submit(
                each, lambda name: put_fetched(name, pins, cache), [name for name in missing if name not in pins.programs]
            )
            each(lambda name: put_program(name, pins, cache, shared), [name for name in missing if name in pins.programs])
            fetched.result()


def each(put: Callable[[str], None], wanted: Iterable[str]) -> None:
    for name in wanted:
        started_s = time.monotonic()
        say(f"servers: installing {name} ...")
        put(name)
        say(f"servers: {name} is there after {time.monotonic() - started_s:.0f} s")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # beside what a command prints


def put_program(name: str, pins: Pins, cache: Path, shared: Path) -> None:
    golang.build(pins.programs[name], golang.find_go(pins.go, cache), path_of(name, pins, cache), shared)


def put_fetched(name: str, pins: Pins, cache: Path) -> None:
    if name in pins.browsers:
        npm.fetch(pins.browsers[name], npm.find_node(pins.node, cache), path_of(name, pins, cache))
    else:
        ivy.fetch(pins.jars[name], find_java(pins.java_minimum), path_of(name, pins, cache))


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
