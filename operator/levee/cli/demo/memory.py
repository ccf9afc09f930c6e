"""How much memory is free here: of the machine, and of each control group that this process is in.

Why: a container has less than its machine, and is ended without a word by what it lacks.
Called by: check.
"""

from collections.abc import Iterator
from pathlib import Path

LIMITS = (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes"))  # of the two versions
CACHES = ("inactive_file ", "total_inactive_file ")  # given back as soon as somebody wants it


def free_here_mib(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> Iterator[int]:
    for line in lines_of(proc / "meminfo"):
        if line.startswith("MemAvailable:"):
            yield int(line.split()[1]) // 1024
    for line in lines_of(proc / "self" / "cgroup"):
        _, controllers, group = line.split(":", 2)
        if controllers in {"", "memory"}:
            top = groups / controllers
            place = top / group.lstrip("/")
            for folder in (place, *place.parents):
                yield from free_in_mib(folder)
                if folder == top:
                    break


def free_in_mib(folder: Path) -> Iterator[int]:
    for limit, used in LIMITS:
        told = [*lines_of(folder / limit), *lines_of(folder / used)]
        if len(told) == 2 and all(map(str.isdecimal, told)):  # "max": there is none
            cached = [int(line.split()[1]) for line in lines_of(folder / "memory.stat") if line.startswith(CACHES)]
            yield (int(told[0]) - int(told[1]) + max(cached, default=0)) >> 20


def lines_of(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except OSError:
        return []
