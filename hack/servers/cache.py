"""Where installed servers are kept, and how a finished one gets there.

Why: building takes minutes, so it is done once per user; an interrupted build must not be taken for a server.
Called by: install and the modules that fetch.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

UNFINISHED = ".unfinished-"


def cache_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """~/.cache/levee/servers; LEVEE_CACHE stands for ~/.cache/levee."""
    chosen = environment.get("LEVEE_CACHE")
    return (Path(chosen).expanduser().absolute() if chosen else Path.home() / ".cache" / "levee") / "servers"


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Nobody else installs meanwhile; the kernel lets go of the lock if we die."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def scratch(folder: Path) -> Iterator[Path]:
    """A folder for what several installations share, as long as they last."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=folder) as work:
        yield Path(work)


@contextmanager
def unfinished(target: Path) -> Iterator[Path]:
    """A folder beside the target to work in; what is in it as `target.name` at the end takes the target's place."""
    with scratch(target.parent) as work:
        yield work
        (work / target.name).rename(target)


def clear_unfinished(folder: Path) -> None:
    """What a killed installation left behind; to be called under the lock."""
    for path in (*folder.glob(f"{UNFINISHED}*"), *folder.glob(f"*/{UNFINISHED}*")):
        shutil.rmtree(path, ignore_errors=True)
