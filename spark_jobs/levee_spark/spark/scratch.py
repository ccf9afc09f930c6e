"""Where a JVM of Spark's, and the worker beside it, put what is of no use after them: native libraries, shuffled blocks, sockets, spools.

Why: in /tmp all of it stays when a worker is killed, some 30 MB each time. In a folder of the worker's own it goes with that; and what
lies in memory bears the name and the lock of its process, so that whoever comes next can tell what nobody uses any more.
Called by: session (asks for flags and settings), workers and checks (make one), the local world (sweeps).
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108  (folders of our own are made in it)
PREFIX = "levee-"
LOCK = "lock"
SOCKET_BYTES_MAX = 103  # of a whole path on macOS; four more on Linux
SOCKET = "/.00000000-0000-0000-0000-000000000000.sock"


@dataclass(frozen=True, slots=True)
class Scratch:
    files: Path
    sockets: Path

    def flags(self) -> list[str]:
        return [f"-Djava.io.tmpdir={self.files}"]

    def settings(self) -> dict[str, str]:
        """Spark takes a path with a comma for two."""
        place = self.files if "," not in str(self.files) else tempfile.gettempdir()
        return {"spark.local.dir": str(place), "spark.python.unix.domain.socket.dir": str(self.sockets)}

    def clear(self) -> None:
        for one in (self.files, self.sockets):
            shutil.rmtree(one, ignore_errors=True)


def make(folder: Path, short: Path | None = None) -> Scratch:
    """In a folder, and empty; sockets in `short`, which is likelier to be that, or at least where their paths are short enough."""
    files = folder_of(folder)
    shutil.rmtree(files, ignore_errors=True)
    files.mkdir(parents=True)
    fitting = (one for one in (short, files) if one is not None and fits(one))
    return Scratch(files, next(fitting, None) or Path(tempfile.mkdtemp(prefix=PREFIX, dir="/tmp")))  # nobody else can use it


def folder_of(folder: Path) -> Path:
    return folder / "tmp"


def fits(folder: Path) -> bool:
    return len(os.fsencode(f"{folder}{SOCKET}")) <= SOCKET_BYTES_MAX


@contextmanager
def scratch(folder: Path) -> Iterator[Scratch]:
    made = make(folder)
    try:
        yield made
    finally:
        made.clear()


# ---- in memory


def in_memory(otherwise: Path) -> Path:
    """A folder of this process for what is written there and read once; on a disk where the machine has none in memory."""
    if not (MEMORY.is_dir() and os.access(MEMORY, os.W_OK)):
        otherwise.mkdir(parents=True, exist_ok=True)
        return otherwise
    sweep()
    made = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-{started(os.getpid())}-", dir=MEMORY))
    fcntl.flock(os.open(made / LOCK, os.O_CREAT | os.O_RDWR), fcntl.LOCK_EX)  # as long as this process lives: nobody closes it
    return made


def sweep() -> None:
    """Remove what processes that are dead have left."""
    for one in MEMORY.glob(f"{PREFIX}*"):
        if is_ours(one) and not is_used(one):
            shutil.rmtree(one, ignore_errors=True)


def is_ours(folder: Path) -> bool:
    try:
        return folder.is_dir() and not folder.is_symlink() and folder.stat().st_uid == os.getuid()
    except OSError:  # somebody else has removed it just now
        return False


def is_used(folder: Path) -> bool:
    """By its process, or by one that this machine's numbers do not name: containers may share their memory."""
    pid, _, rest = folder.name.removeprefix(PREFIX).partition("-")
    if not pid.isdecimal():
        return True  # it is somebody else's
    begun = started(int(pid))
    return (begun is not None and rest.partition("-")[0] in {begun, ""}) or is_held(folder / LOCK)


def started(pid: int) -> str | None:
    """When the process of this number began, as the system counts; a number alone is soon another's."""
    try:
        return Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()[19]
    except OSError:
        return None


def is_held(lock: Path) -> bool:
    try:
        with lock.open() as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
