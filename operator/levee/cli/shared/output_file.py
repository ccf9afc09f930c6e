"""Write a file whole or not at all.

Why: who reads a plan or a definition must never find half of it, and a full disk must not cost the file that was there before.
Called by: cli.render.output, cli.commands.crds; the benchmarks, for their pages.
"""

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_IN_PLACE_ONLY = (errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY)  # The folder takes no new file; the file itself may be writable.
_OPEN = (Path("/dev/stdout"), Path("/dev/stderr"), Path("/dev/fd"), Path("/proc"))  # by these names files are that are open already


def write_whole(file: Path, data: bytes) -> None:
    """Through a file beside it that takes its place; its mode stays. A device or a pipe is written to as it is."""
    if _is_stream(file):
        with file.open("ab") as stream:
            stream.write(data)
        return
    target = Path(os.path.realpath(file))  # The file behind a link changes, not the link.
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))
    try:
        _replace(target, data)
    except OSError as problem:
        if problem.errno not in _IN_PLACE_ONLY or not target.exists():
            raise
        target.write_bytes(data)


def remedy(problem: OSError) -> str:
    """What to do about a file that cannot be written."""
    match problem.errno:
        case number if number in _NO_ROOM:
            return "make room, or name a file elsewhere; what was there before is as it was"
        case errno.EISDIR:
            return "name a file, not a folder"
        case errno.EACCES | errno.EPERM | errno.EROFS:
            return "name a file that may be written"
        case _:
            return "name a file in a folder that exists"


def _is_stream(file: Path) -> bool:
    """Also a regular file by the name of a stream: `> file` with /dev/stdout must go on in the file that the shell has opened."""
    if any(place in (file.absolute(), *file.absolute().parents) for place in _OPEN):
        return True
    return file.exists() and not stat.S_ISREG(file.stat().st_mode) and not file.is_dir()


def _replace(target: Path, data: bytes) -> None:
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    beside = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
    try:
        with beside.open("xb") as file:
            if target.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except BaseException:  # An interruption, too, leaves nothing behind.
        with suppress(OSError):
            beside.unlink()
        raise
