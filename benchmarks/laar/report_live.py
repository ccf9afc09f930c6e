"""The words and tables about what ran on this machine in docs/results/laar.md, and Figure 3.

Called by: report.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.laar import figures, pipeline
from benchmarks.laar.live_case import ROOM
from benchmarks.laar.peaks import Parts, parts_of
from benchmarks.planning.statistics import table, where
from benchmarks.planning.store import Row

FIGURE_3 = """\
Two elements in a row, {cost:g} ms of CPU for each row, a replica of each on either of two nodes with one core; {low:g}
rows/s, {high:g}, and {low:g} again. All four replicas need 160 % of both nodes at the peak. LAAR: with static replication the
CPUs saturate and the output cannot follow; adaptive, it does."""
ON_THIS_MACHINE = """\
On this machine, where a row costs {room:.0%} of that and as much of each core is planned for, since Spark and Levee need
the rest themselves"""
NOT_LIVE = 'It has yet to be run on this machine; `make bench-laar ARGS="--only live"` does.'


def sections(simulated: Sequence[Row], live: Sequence[Row], pictures: str, folder: Path) -> Iterator[str]:
    yield f"## Two elements in a row (Figure 3)\n\n{FIGURE_3.format(cost=1_000 * pipeline.COST_S, low=pipeline.LOW, high=pipeline.HIGH)}\n"
    for name, title, rows in (
        ("simulated", "Simulated", simulated),
        ("live", ON_THIS_MACHINE.format(room=ROOM["pipeline"]), where(live, what="pipeline")),
    ):
        if rows:
            figures.pipeline({pipeline.VARIANTS[row["variant"]]: row for row in rows}, folder / f"figure-3-{name}.svg")
            yield f"{title}:\n\n{lines(rows)}\n\n![Figure 3, {name}]({pictures}/figure-3-{name}.svg)\n"
    if not where(live, what="pipeline"):
        yield f"{NOT_LIVE}\n"
    if generated := where(live, what="application"):
        yield f"## Generated applications on this machine\n\n{GENERATED.format(room=ROOM['application'])}\n\n{lines(generated)}\n"


GENERATED = """\
Applications as below, of which every element is a real Spark query that burns CPU for each row, on two nodes bound to a core
each. Rows cost {room:.0%} of what they do there, and as much of each core is planned for; what Levee and Spark need
themselves has to do with the rest."""


def lines(rows: Sequence[Row]) -> str:
    head = ("", "rows/s in, Low", "out", "rows/s in, High", "out", "out / in, High against Low", "cores, Low", "High", "up", "down")
    return table(head, [(named(row), *cells(parts_of(row))) for row in rows])


def named(row: Row) -> str:
    return f"{row['index']}, {row['variant']}" if "index" in row else pipeline.VARIANTS[row["variant"]]


def cells(parts: Parts) -> tuple[str, ...]:
    low, high = parts.low, parts.high
    rates = (f"{low.offered:.1f}", f"{low.delivered:.1f}", f"{high.offered:.1f}", f"{high.delivered:.1f}")
    return *rates, f"{high.gain / low.gain:.2f}", f"{low.cores:.2f}", f"{high.cores:.2f}", seconds(parts.up_s), seconds(parts.down_s)


def seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} s"
