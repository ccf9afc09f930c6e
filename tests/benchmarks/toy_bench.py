"""A bench of slow measurements: run by test_bench_rows as a process of its own. Arguments: its folder, seconds per measurement, jobs."""

import sys
import time
from pathlib import Path

from benchmarks.planning.runner import measure
from benchmarks.planning.store import Row, locked


def slow(number: int, seconds: float) -> Row:
    if number > 0:
        time.sleep(seconds)
    return {"number": number}


def main(folder: Path, seconds: float, jobs: int) -> None:
    with locked(folder):
        measure("slow", folder, [(number, seconds) for number in range(jobs + 1)], slow, jobs)


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
