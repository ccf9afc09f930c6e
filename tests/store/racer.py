"""A process that races, or dies on the way, for the tests that need more than one.

python -m tests.store.racer race PLACE NAME EPOCHS       commits epochs 1 to EPOCHS with threads, prints what it has won
python -m tests.store.racer write PLACE NAME             commits large epochs without end, prints each that was acknowledged
python -m tests.store.racer segments PLACE NAME          writes an epoch's segments, says so, and never comes to its manifest
python -m tests.store.racer half PLACE NAME              stops in the middle of a put, says so
"""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from levee_spark.log import commit, segments
from levee_spark.store.blobs import Blobs
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from tests.store.places import LAYOUT, TASK, Place, epoch_by, key

THREADS, LARGE = 4, 1 << 20


def race(blobs: Blobs, name: str, epochs: int) -> None:
    driver = StoreDriver(blobs)

    def writer(thread: int) -> list[str]:
        mine = f"{name}-{thread}"
        found = [drive(commit.commit(key(epoch), epoch_by(mine, epoch)), driver).manifest for epoch in range(1, epochs + 1)]
        return [f"{one.epoch} {mine}" for one in found if one.writer == mine]

    print("ready", flush=True)
    sys.stdin.readline()
    with ThreadPoolExecutor(THREADS) as pool:
        for won in pool.map(writer, range(THREADS)):
            print("".join(f"{one}\n" for one in won), end="")


def write(blobs: Blobs, name: str) -> None:
    driver = StoreDriver(blobs)
    for epoch in count(1):
        mine = epoch_by(name, epoch, payload=bytes([epoch % 256]) * LARGE)
        if drive(commit.commit(key(epoch), mine), driver).manifest == mine.manifest:
            print(epoch, flush=True)


def write_segments(blobs: Blobs, name: str) -> None:
    parts = tuple((LAYOUT.segment(TASK, 1, f"{name}-{index}"), b"rows") for index in range(3))
    drive(segments.write(parts), StoreDriver(blobs))
    print("written", flush=True)
    time.sleep(3_600)


def stop_halfway(blobs: Blobs) -> None:
    write_all = os.write

    def some(descriptor: int, data: memoryview) -> int:
        write_all(descriptor, data[: len(data) // 2])
        print("half", flush=True)
        time.sleep(3_600)
        return 0

    os.write = some  # type: ignore[assignment]
    blobs.create(key(1), b"x" * LARGE)


def main(verb: str, place: str, name: str, *rest: str) -> None:
    blobs = Place.from_json(place).open()
    match verb:
        case "race":
            race(blobs, name, int(rest[0]))
        case "write":
            write(blobs, name)
        case "segments":
            write_segments(blobs, name)
        case _:
            stop_halfway(blobs)


if __name__ == "__main__":
    main(*sys.argv[1:])
