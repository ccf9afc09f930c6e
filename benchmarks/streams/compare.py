"""What one setting is worth: `python -m benchmarks.streams.compare VARIANT [VARIANT ...] [--function filter] [--blocks 8]`.

Why: on a machine that others use, only ratios of things measured in turns mean anything. Two workers are warm at the same time; the one
as it is and the one with the variant compute a block of epochs each in turn, and the block ratios are compared. Every line of
levee_spark.spark.settings has to earn its place here.
Called by: whoever tunes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from benchmarks.streams.lane_time import run, staged
from benchmarks.streams.processes import cpu_s
from benchmarks.streams.variants import VARIANTS

ROWS = 100


@dataclass(slots=True)
class Blocks:
    """Called after each commit: at the end of a block it says how long that took, and waits for its next turn."""

    warm: int
    block: int
    count: int = 0
    began: tuple[float, float] = field(default=(0.0, 0.0))

    def __call__(self) -> None:
        self.count += 1
        if self.count >= self.warm and (self.count - self.warm) % self.block == 0:
            wall, cpu = time.perf_counter() - self.began[0], cpu_s() - self.began[1]
            print(json.dumps([1000 * wall / self.block, 1000 * cpu / self.block]), flush=True)
            sys.stdin.readline()
            self.began = time.perf_counter(), cpu_s()


def child(told: str) -> None:
    name, function, warm, block, blocks, folder = json.loads(told)
    variant = VARIANTS[name]
    last = warm + blocks * block
    with staged(Path(folder), function, ROWS, last, variant.settings, variant.flags) as (stage, session):
        run(stage, session, last, Blocks(warm, block))
    os._exit(0)


def start(name: str, options: argparse.Namespace, folder: str) -> "subprocess.Popen[str]":
    told = json.dumps([name, options.function, options.warm, options.block, options.blocks, folder])
    command = [sys.executable, "-m", "benchmarks.streams.compare", "--child", told]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def compare(name: str, options: argparse.Namespace) -> str:
    with tempfile.TemporaryDirectory(prefix="levee-compare-", ignore_cleanup_errors=True) as folder:
        both = [start("as it is", options, f"{folder}/a"), start(name, options, f"{folder}/b")]
        try:
            for one in both:
                turn(one)  # warm
            pairs = [pair(both, number) for number in range(options.blocks)]
        finally:
            for one in both:
                one.kill()
    return told(name, pairs)


def pair(both: list["subprocess.Popen[str]"], number: int) -> tuple[list[float], list[float]]:
    """A B, then B A: what drifts meets both alike."""
    found: dict[int, list[float]] = {}
    for index in (0, 1) if number % 2 == 0 else (1, 0):
        assert both[index].stdin is not None
        both[index].stdin.write("go\n")  # type: ignore[union-attr]
        both[index].stdin.flush()  # type: ignore[union-attr]
        found[index] = turn(both[index])
    return found[0], found[1]


def turn(one: "subprocess.Popen[str]") -> list[float]:
    assert one.stdout is not None
    line = one.stdout.readline()
    if not line:
        raise SystemExit("a worker ended: see above")
    values: list[float] = json.loads(line)
    return values


def told(name: str, pairs: list[tuple[list[float], list[float]]]) -> str:
    wall = sorted(b[0] / a[0] for a, b in pairs)
    cpu = sorted(b[1] / a[1] for a, b in pairs)
    low, high = wall[len(wall) // 4], wall[-1 - len(wall) // 4]
    base = median(a[0] for a, _ in pairs), median(a[1] for a, _ in pairs)
    return (
        f"{name}: time x {median(wall):.2f} ({low:.2f}-{high:.2f}), CPU x {median(cpu):.2f}; "
        f"as it is {base[0]:.1f} ms, {base[1]:.1f} ms CPU; load {os.getloadavg()[0]:.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.streams.compare", description="What one setting is worth.")
    parser.add_argument("variants", nargs="*", choices=[*VARIANTS, []], metavar="VARIANT", help=", ".join(VARIANTS))
    parser.add_argument("--function", default="filter")
    parser.add_argument("--warm", type=int, default=150)
    parser.add_argument("--block", type=int, default=20)
    parser.add_argument("--blocks", type=int, default=10)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child)
    for name in options.variants or [one for one in VARIANTS if one != "as it is"]:
        print(compare(name, options), flush=True)


if __name__ == "__main__":
    main()
