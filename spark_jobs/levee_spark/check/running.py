"""A check: two passes, one after the other, and what there is between them.

Why: no Spark in this process, so that each pass has an interpreter and a JVM of its own.
Called by: `levee check`.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from levee.topology.wording import count
from levee_spark.check import differences, finding
from levee_spark.check.finding import Finding, Weight
from levee_spark.check.order import PassOrder

SECOND = {"PYTHONHASHSEED": "2", "TZ": "Pacific/Chatham"}  # a quarter of an hour off the others
EPOCHS_MORE = 4  # times as many, where there was nothing to see
FIRST = {"PYTHONHASHSEED": "1", "TZ": "UTC"}


class Broken(Exception):
    """A pass ended without an answer; with the last lines that it wrote."""


@dataclass(frozen=True, slots=True)
class Asked:
    resource: Path
    beside: Path
    operators: Sequence[str]
    epochs: int
    sample: Path | None = None


def check(asked: Asked, tell: Callable[[str], None]) -> tuple[Finding, ...]:
    with tempfile.TemporaryDirectory(prefix="levee-check-") as place:
        first = PassOrder(asked.resource, asked.beside, Path(place, "first"), asked.epochs, asked.sample)
        second = replace(first, folder=Path(place, "second"), given=first.folder)
        tell("every function once")
        found = passed(first, FIRST)
        tell("and once more: other hash seed, clock, time zone and order of rows")
        again = passed(second, SECOND)
        return settled(asked, first.folder, second.folder, found, again)


def settled(asked: Asked, first: Path, second: Path, found: Sequence[Finding], again: Sequence[Finding]) -> tuple[Finding, ...]:
    """What went wrong twice is told once."""
    broken = {one.operator for one in found if one.weight is not Weight.WARNING}
    news = [one for one in again if one.operator not in broken]
    differing = [one for name in asked.operators for one in differences.findings_of(name, first, second)]
    told = {one.operator for one in (*found, *news, *differing) if one.weight is not Weight.WARNING}
    silent = [nothing(name, asked.epochs) for name in asked.operators if name not in told and differences.emitted_nothing(name, first)]
    return (*found, *news, *differing, *silent)


def nothing(operator: str, epochs: int) -> Finding:
    wrong = f"emitted nothing in {count(epochs, 'epoch')} and at their end, so no row was compared: not checked"
    fix = f"try --epochs {EPOCHS_MORE * epochs}, or give rows that it lets through as --sample DIR"
    return Finding(operator, Weight.UNCHECKED, wrong, fix)


def passed(order: PassOrder, changes: dict[str, str]) -> tuple[Finding, ...]:
    words = [sys.executable, "-m", "levee_spark.check", str(order.write())]
    with process(words, {**os.environ, **changes}) as running:
        _, errors = running.communicate()
    if running.returncode != 0 or not order.findings.exists():
        raise Broken("\n".join([ended(order, running.returncode), *errors.decode(errors="replace").strip().splitlines()[-5:]]))
    return finding.read(order.findings)


def ended(order: PassOrder, code: int) -> str:
    how = f"signal {-code}" if code < 0 else f"exit code {code}"
    if not order.at.exists():
        return f"its process ended with {how}."
    return f"its process ended with {how} while it ran the function of {order.at.read_text()}: a function must not end its process."


@contextmanager
def process(words: Sequence[str], environment: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    """It ends with us; its JVM ends with it."""
    running = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)  # noqa: S603
    try:
        yield running
    finally:
        if running.poll() is None:
            running.kill()
            running.wait()
