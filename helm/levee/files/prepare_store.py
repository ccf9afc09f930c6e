# ruff: noqa: INP001  (one file that a container runs)
"""Make the embedded store's bucket, and have the kernel write what is in it at once.

Why: to the gateway a folder is a bucket, and it has no word for fsync. The synchronous flag of a folder on ext4 and xfs is inherited by all
that is made in it, so that content, attributes and names are on the disk when a write is confirmed.
Called by: the init container of the store, as `python3 -c`, with the standard library alone.
"""

import fcntl
import os
import struct
import sys
from pathlib import Path

GET_FLAGS, SET_FLAGS = 0x80086601, 0x40086602  # FS_IOC_GETFLAGS and FS_IOC_SETFLAGS of linux/fs.h
CONTENT, NAMES = 0x8, 0x10000  # FS_SYNC_FL, FS_DIRSYNC_FL
FLAGS = struct.Struct("=l")


def main(top: Path, bucket: str, how: str) -> int:
    try:
        (top / bucket).mkdir(parents=True, exist_ok=True)
    except OSError as why:
        return refused(f"The volume cannot be written to: {why}. A hostPath must belong to user {os.getuid()}.")
    try:
        if how == "sync" and not is_synchronous(top):
            make_synchronous(top)
    except OSError as why:
        return refused(
            f"The file system of the volume has no synchronous files: {why}. Mount it with the options sync and dirsync, "
            "then set store.embedded.fsync to false; or use ext4 or xfs."
        )
    return 0


def make_synchronous(top: Path) -> None:
    """The top comes last: if this is interrupted, all is done again."""
    for folder, _, files in os.walk(top, topdown=False):
        for name in files:
            change_flags(Path(folder, name), CONTENT)
        change_flags(Path(folder), CONTENT | NAMES)


def is_synchronous(folder: Path) -> bool:
    return change_flags(folder, 0) & (CONTENT | NAMES) == CONTENT | NAMES


def change_flags(path: Path, more: int) -> int:
    """What they were before."""
    opened = os.open(path, os.O_RDONLY)
    try:
        before: int = FLAGS.unpack(fcntl.ioctl(opened, GET_FLAGS, bytes(FLAGS.size)))[0]
        if more & ~before:
            fcntl.ioctl(opened, SET_FLAGS, FLAGS.pack(before | more))
    finally:
        os.close(opened)
    return before


def refused(words: str) -> int:
    print(words, file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3]))
