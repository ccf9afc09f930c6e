"""Write docs/results/sweep.md from whatever has been found.

Called by: __main__.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.planning import machine
from benchmarks.planning.statistics import table
from benchmarks.sweep.journal import Row
from benchmarks.sweep.life import PHASES
from benchmarks.sweep.points import Kind, Point, Trial, parse

HEAD = """\
# Killed at every write: what was found

Written by `make sweep`; nothing here is typed by hand. What a life is, how it is judged and what this does not show:
[the sweep](../sweep.md).

- Machine: {machine}.
- Code: `{code}` (a hash of what was swept). Seed {seed}.
- An undisturbed life took {golden_s:.0f} s and had {writes}.
- {lives} lives took {hours:.1f} hours of one job in all.
"""
WHO = {Kind.API: "operator, to the API server", Kind.STORE: "operator, to the store", Kind.WORKER: "workers, to the store"}
COUNTS = """
## Points and failures

A point is one write and one side of it: killed right before it, or right after it. Two crashes: then another one at a write of the
recovery, drawn for each point. Not reached: the life had no such write, or recovered with fewer writes than the second crash waits for;
such a life is judged like any other, and has not failed.

{table}
"""
COUNTS_HEAD = ("whose writes", "crashes", "points there", "tried", "passed", "not reached", "failed")
PHASES_PART = """
## By phase

Points tried of points there, over both kinds of life.

{table}
"""
FAILED = """
## What failed

{table}
"""
WRITES = """
## The operator's writes

Of the undisturbed life, in the order in which they came; what is written twice was changed twice.

{table}
"""
S_PER_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Found:
    points: Sequence[Point]
    rows: Mapping[str, Row]
    golden: Row
    code: str
    seed: int

    def tried(self, kind: Kind, *, twice: bool, phase: str | None = None) -> list[Row]:
        found = ((parse(name), row) for name, row in self.rows.items())
        return [row for trial, row in found if matches(trial, kind, phase) and (trial.second is not None) == twice]

    def there(self, kind: Kind, phase: str | None = None) -> int:
        return sum(one.kind is kind and phase in {None, one.phase} for one in self.points)


def matches(trial: Trial, kind: Kind, phase: str | None) -> bool:
    return trial.point.kind is kind and phase in {None, trial.point.phase}


def write(page: Path, found: Found) -> None:
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("".join(sections(found)), encoding="utf-8")


def sections(found: Found) -> Iterator[str]:
    yield head(found)
    yield COUNTS.format(table=table(COUNTS_HEAD, (counts(found, kind, twice=twice) for kind in Kind for twice in (False, True))))
    yield PHASES_PART.format(table=table(("whose writes", *PHASES), (by_phase(found, kind) for kind in Kind)))
    if failed := [row for row in found.rows.values() if row["verdict"] == "failed"]:
        yield FAILED.format(table=table(("point", "killed at", "what was wrong"), map(untold, failed)))
    yield WRITES.format(table=table(("phase", "write"), operators(found.golden)))


def head(found: Found) -> str:
    told = {kind: sum(found.golden["counts"].get(kind, {}).values()) for kind in Kind}
    return HEAD.format(
        machine=machine.describe(),
        code=found.code,
        seed=found.seed,
        golden_s=found.golden["took_s"],
        writes=", ".join(f"{count} writes of {WHO[kind].replace(', to', ' to')}" for kind, count in told.items()),
        lives=len(found.rows),
        hours=sum(row["took_s"] for row in found.rows.values()) / S_PER_HOUR,
    )


def counts(found: Found, kind: Kind, *, twice: bool) -> tuple[object, ...]:
    rows = found.tried(kind, twice=twice)
    verdicts = [row["verdict"] for row in rows]
    told = (verdicts.count(one) for one in ("passed", "unreached", "failed"))
    return WHO[kind], "two" if twice else "one", found.there(kind), len(rows), *told


def by_phase(found: Found, kind: Kind) -> tuple[str, ...]:
    def cell(phase: str) -> str:
        tried = sum(len(found.tried(kind, twice=twice, phase=phase)) for twice in (False, True))
        return f"{tried} of {2 * found.there(kind, phase)}"

    return WHO[kind], *map(cell, PHASES)


def untold(row: Row) -> tuple[str, ...]:
    return f"`{row['trial']}`", *(cell("; ".join(row[name])) for name in ("struck", "wrong"))


def cell(text: str) -> str:
    return text.replace("|", "/")


def operators(golden: Row) -> Iterator[tuple[str, str]]:
    for written in golden.get("writes", ()):
        point, _, what = written.partition(" ")
        kind, phase, _ = point.split("/")
        if kind != Kind.WORKER:
            yield phase, cell(f"{kind}: {what}")
