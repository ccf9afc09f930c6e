"""What the demo's two runs delivered, and when: compared epoch by epoch, row by row.

Why: the output is read as a user would read it, from the files; when it came is read from the streams, as the store has stamped them.
Called by: cli.demo.run.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from levee.worlds.local.script import Inflicted
from levee_spark.log import anchor
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Found, Get, Want
from levee_spark.log.wiring import Wiring
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver

EPOCH_DIGITS = 12
Rows = Mapping[int, Counter[str]]  # by epoch


@dataclass(frozen=True, slots=True)
class Compared:
    rows: int
    epochs: int  # with rows
    lost: int
    doubled: int

    @property
    def identical(self) -> bool:
        return self.lost == 0 and self.doubled == 0


@dataclass(frozen=True, slots=True)
class Gap:
    """What a failure did to the stream of output epochs."""

    what: str
    longest_ms: int  # between two epochs of the output, after the failure and before the next
    epochs_late: int  # that came later after they were due than any epoch before the failures


@dataclass(frozen=True, slots=True)
class Timeline:
    """Of the output stream: per epoch, when it was due and when the last task had committed it, by the store's clock."""

    due_ms: Mapping[int, int]
    committed_ms: Mapping[int, int]
    period_ms: int

    def delay_ms(self, epoch: int) -> int:
        return self.committed_ms[epoch] - self.due_ms[epoch]


def delivered(folder: Path) -> Rows:
    """A file's name ends in its epoch; a row is known by its text."""
    from pyarrow import parquet

    found: dict[int, Counter[str]] = {}
    for file in sorted(folder.glob("part-*.parquet")):
        epoch = int(file.name.partition(".")[0][-EPOCH_DIGITS:])  # part-00000-000000000007.snappy.parquet
        found.setdefault(epoch, Counter()).update(map(repr, parquet.read_table(file).to_pylist()))
    return found


def compare(golden: Rows, there: Rows, epochs: int) -> Compared:
    lost = doubled = rows = 0
    for epoch in range(1, epochs + 1):
        wanted, found = golden.get(epoch, Counter()), there.get(epoch, Counter())
        lost += (wanted - found).total()
        doubled += (found - wanted).total()
        rows += wanted.total()
    return Compared(rows, len([epoch for epoch in golden if epoch <= epochs]), lost, doubled)


def timeline(driver: StoreDriver, wiring: Wiring, operator: str, epochs: int) -> Timeline:
    layout, period_ms = wiring.layout, wiring.times.period_ms
    view = anchor.AnchorView(layout, period_ms)
    drive(view.refresh(), driver)
    tasks = [task for task, wired in wiring.tasks.items() if wired.operator == operator]
    due, committed = {}, {}
    for epoch in range(1, epochs + 1):
        stamps = [stamp(driver, layout, str(task), epoch) for task in tasks]
        there = [one for one in stamps if one is not None]
        at_ms = view.due_ms(epoch)
        if len(there) == len(tasks) and at_ms is not None:
            due[epoch], committed[epoch] = at_ms, max(there)
    return Timeline(due, committed, period_ms)


def stamp(driver: StoreDriver, layout: Layout, task: str, epoch: int) -> int | None:
    from levee.topology.names import TaskId

    found = driver.answer(Get(layout.epoch(TaskId(task), epoch), Want.STAMP))
    return found.written_ms if isinstance(found, Found) else None


def gaps(times: Timeline, inflicted: Sequence[Inflicted]) -> list[Gap]:
    """From each failure to the next."""
    if not inflicted or not times.committed_ms:
        return []
    usual = max((times.delay_ms(epoch) for epoch in times.committed_ms if epoch < inflicted[0].epoch), default=0)
    ends = [*(one.epoch for one in inflicted[1:]), max(times.committed_ms) + 1]
    return [gap(times, one, end, usual) for one, end in zip(inflicted, ends, strict=True)]


def gap(times: Timeline, one: Inflicted, end: int, usual_ms: int) -> Gap:
    there = sorted(epoch for epoch in times.committed_ms if one.epoch <= epoch < end)
    between = [times.committed_ms[later] - times.committed_ms[sooner] for sooner, later in pairwise(there)]
    late = sum(1 for epoch in there if times.delay_ms(epoch) > usual_ms + times.period_ms)
    return Gap(one.text, max(between, default=0), late)
