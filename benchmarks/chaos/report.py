"""Write docs/results/chaos.md from whatever has been measured.

Called by: __main__.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median

from benchmarks.chaos.faults import FAULTS, keys
from benchmarks.chaos.settings import AFTER_EPOCHS, EVEN_EPOCHS, PERIOD_MS, ROWS_PER_EPOCH, WAYS, Mode
from benchmarks.chaos.verdicts import Ways, verdicts
from benchmarks.cluster.rows import Row
from benchmarks.cluster.trades import CHECKPOINT_EVERY, HOLD_MS, TASK
from benchmarks.lifecycle.report import UNFINISHED, untold
from benchmarks.lifecycle.settings import CORES_USED_MAX
from benchmarks.planning import machine
from benchmarks.planning.statistics import table

HEAD = """\
# Chaos: what was measured

Written by `make bench-chaos`; nothing here is typed by hand. On a real cluster ([hack/cluster](../../hack/cluster/README.md)) one fault
after another meets a topology that is well, and it is seen for how long nothing comes out, what comes late, and whether anything is
missing, twice, or another one in the end.

- Machine: {machine}; kubernetes client {client}.
- Run: {mode}. {runs} runs of faults are on this page.
- The topology: trades of a market, replayed from a seed ({rate} rows an epoch on average), a filter, the last five of each symbol
  (`{task}`, an operator with state) and files; an epoch every {period} ms, a hold of {hold} ms, a checkpoint every {every} epochs; one
  pod on each of three nodes. Each fault meets the primary of `{task}`, or its node, at any moment between two checkpoints, and after
  {even} undisturbed epochs at least.
- **active replica**: `static`, two replicas of each operator compute. **restart from a checkpoint**: `none`, one does, and Levee starts
  another one.
- **Spark alone**: the same two functions in one Structured Streaming query, files to Parquet, a batch every {period} ms where there is
  something to read; one pod of a Deployment, which Kubernetes starts again, and which gives a lost node up as soon as Levee's pods do;
  its checkpoint is in a folder that all nodes see. Its session is that of Levee's workers, which starts sooner than with Spark's defaults.
- Faults are those of `levee_chaos`, verified and undone, but for the operator's, and for those of nodes, which are the test cluster's own.
- All of it is on this one machine. Right before each fault it is seen how many cores others used: {used}. Above {cores}
  it counts as busy: {busy} of {runs} are.
"""
VERDICTS = """
## What was wanted, and what is reached

{table}

Lost, twice and changed are counted for Levee's two ways over all faults below; those of Spark alone are in its table.
"""
GAPS = """
## For how long nothing came out

The time between two epochs of `{task}` (for Spark alone: between two batches) in which the fault came, by the inode times of what was
committed; ms: median, and the longest. An undisturbed stream has {usual}.

{table}
"""
REST = """
## {way}

*after it*: the longest time between two epochs until all was as before, while what was lost starts again on the same cores. *whole*: from
the fault until then, in seconds; what lasts ends before that. *late*: epochs that came more than
{period} ms later than those before the fault did. *lost*, *twice*: rows of the output, against an undisturbed run, row by row.
*changed*: epochs, of all streams, that were final before the fault and are lost or others now, or that do not continue the line.

{table}
"""
PLAIN = """
## {way}

*whole*: from the fault until {after} batches have come after it, in seconds. *lost*, *twice*: rows of all that it had put out by then, by
Spark's own log of its output, against the same undisturbed run.

{table}
"""
ABSENT = """
Not measured yet: {names}. The same command goes on with them.
"""
COLUMNS = (
    "",
    "what",
    "runs",
    "gap, p50, ms",
    "gap, longest, ms",
    "epochs",
    "after it, ms",
    "whole, p50, s",
    "whole, longest, s",
    "late, most",
    "rows compared",
    "lost",
    "twice",
    "changed",
)


def write(mode: Mode, ways: Ways, unfinished: Sequence[Row], page: Path) -> None:
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("".join(sections(mode, ways, unfinished)), encoding="utf-8")


def sections(mode: Mode, ways: Ways, unfinished: Sequence[Row]) -> Iterable[str]:
    found = [row for faults in ways.values() for rows in faults.values() for row in rows]
    yield head(mode, found)
    yield VERDICTS.format(table=verdicts(ways))
    if unfinished:
        yield UNFINISHED.format(table=table(("way", "fault", "why"), map(untold, unfinished)))
    usual = f"{median(ms for row in found for ms in row['undisturbed_ms']):.0f} ms at the median" if found else "not been measured"
    yield GAPS.format(task=TASK, usual=usual, table=table(("", *WAYS.values()), gaps(ways)))
    for way, name in WAYS.items():
        told = PLAIN if way == "plain" else REST
        yield told.format(way=name[0].upper() + name[1:], period=PERIOD_MS, after=AFTER_EPOCHS, table=table(COLUMNS, lines(ways, way)))
    if missing := dict(absent(mode, ways)):
        yield ABSENT.format(names="; ".join(f"{WAYS[way]}: {', '.join(names)}" for way, names in missing.items()))


def absent(mode: Mode, ways: Ways) -> Iterator[tuple[str, list[str]]]:
    for way in WAYS:
        if names := [name for name in dict.fromkeys(str(key[0]) for key in keys(mode, way)) if name not in ways[way]]:
            yield way, names


def head(mode: Mode, found: Sequence[Row]) -> str:
    used = [row["cores_used"] for row in found]
    return HEAD.format(
        machine=machine.describe(),
        client=version("kubernetes"),
        mode=mode.describe(),
        runs=len(found),
        rate=ROWS_PER_EPOCH,
        task=TASK,
        period=PERIOD_MS,
        hold=HOLD_MS,
        every=CHECKPOINT_EVERY,
        even=EVEN_EPOCHS,
        cores=CORES_USED_MAX,
        used=f"{median(used):.1f} at the median, {max(used):.1f} at most" if used else "nothing was measured",
        busy=sum(row["busy"] for row in found),
    )


def gaps(ways: Ways) -> Iterator[tuple[str, ...]]:
    for fault in FAULTS:
        yield fault.name, *(gap(ways[way].get(fault.name, ())) for way in WAYS)


def gap(rows: Sequence[Row]) -> str:
    found = [row["gap_ms"] for row in rows]
    return f"{median(found):.0f} ({max(found):.0f})" if found else "-"


def lines(ways: Ways, way: str) -> Iterator[tuple[str, ...]]:
    for fault in FAULTS:
        if rows := ways[way].get(fault.name):
            yield fault.name, fault.about, *cells(rows)


def cells(rows: Sequence[Row]) -> Iterator[str]:
    def most(name: str, how: Callable[[Iterable[float]], float] = max) -> float:
        return how([row[name] for row in rows])

    yield f"{len(rows)}"
    yield from (f"{most('gap_ms', median):.0f}", f"{most('gap_ms'):.0f}", f"{most('gap_ms') / PERIOD_MS:.1f}", f"{most('longest_ms'):.0f}")
    yield from (f"{most('whole_s', median):.1f}", f"{most('whole_s'):.1f}")
    yield "-" if rows[0]["late"] is None else f"{most('late'):.0f}"
    yield from (f"{sum(row['output'][name] for row in rows):,}" for name in ("rows", "lost", "duplicated"))
    yield f"{sum(len(row['changed']) for row in rows)}"
