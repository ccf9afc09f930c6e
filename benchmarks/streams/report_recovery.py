"""The words and tables about recovery in docs/results/streams.md; every figure comes out of the rows.

Called by: report.
"""

from collections.abc import Iterator, Sequence

from benchmarks.planning.statistics import mean, table, where
from benchmarks.streams.recovery_topology import PRIMARY_NODES, SOURCES, WIDTHS
from benchmarks.streams.report_rest import mark
from benchmarks.streams.rows import Row
from benchmarks.streams.settings import PERIOD_MS, RECOVERY_SCALE

HOLD_MS = 100
TIMES_FASTER, SLOWEST_S = 10, 30
ORDER = ("active", "checkpoint", "replay")
NAMES = {"active": "active replica", "replay": "replay", "ingestor": "standby ingestor"}


def sections(rows: Sequence[Row], pictures: str) -> Iterator[str]:
    if not rows:
        return
    yield f"## Recovery\n\n{setting()}\n\n{latencies(rows)}\n"
    yield f"![Recovery after one node]({pictures}/recovery-single.svg)\n\n![Recovery after all nodes]({pictures}/recovery-all.svg)\n"
    yield f"{verdicts(rows)}\n"
    yield f"### What checkpoints cost\n\n{costs(rows)}\n\n![Checkpoints against computing]({pictures}/checkpoints.svg)\n"


SETTING = """\
The topology of Su and Zhou, Tolerating Correlated Failures in Massively Parallel Stream Processing Engines, Figure 6, scaled to one
machine: {sources} source tasks instead of 16, operators of {widths} tasks instead of 8, 4, 2 and 1, and the rate of each source task
divided by {scale} (the tables name the paper's rate). Windows slide with every epoch of {period} ms, the state is the window's rows,
half of the rows go on. `single` kills the node of one task of the first operator, `all` the {nodes} nodes that hold all primaries;
sources and second replicas stand on other nodes. Recovery ends when every failed task has committed the epoch after its last one before
the fault, by the store's stamps. Since an epoch is due every {period} ms, that includes a wait that has nothing to do with the fault;
"late" is by how much that epoch came later than a period after the one before. The controller looks twice a second. A checkpoint
restores an idle standby, and is half an interval old when the task of `single` fails; `replay` has none and begins at the first epoch,
in a stream that is one window old: of its inputs, which the store still has, and not of the sources through all operators."""


def setting() -> str:
    widths = ", ".join(map(str, WIDTHS))
    return SETTING.format(sources=SOURCES, widths=widths, scale=RECOVERY_SCALE, period=PERIOD_MS, nodes=len(PRIMARY_NODES))


def technique(row: Row) -> str:
    return f"checkpoint every {row['every_s']} s" if row["technique"] == "checkpoint" else NAMES[row["technique"]]


def order(row: Row) -> tuple[int, int, int, int]:
    place = ORDER.index(row["technique"]) if row["technique"] in ORDER else len(ORDER)
    return row["window_s"], row["rate"], place, row["every_s"]


def latencies(rows: Sequence[Row]) -> str:
    lines = []
    for failure in ("single", "all"):
        found = sorted(where(rows, failure=failure), key=order)
        for key in dict.fromkeys((row["window_s"], row["rate"], technique(row)) for row in found):
            same = [row for row in found if (row["window_s"], row["rate"], technique(row)) == key]
            lines.append((failure, *key, *latency_cells(same)))
    head = (
        "failure",
        "window, s",
        "rows/s",
        "",
        "n",
        "from fault: mean",
        "least, most",
        "late: mean",
        "from detection: mean",
        "epochs replayed",
    )
    return table(head, lines)


def latency_cells(rows: Sequence[Row]) -> tuple[object, ...]:
    all_ms = [row["from_fault_ms"] for row in rows]
    seen = mean(row["from_detection_ms"] for row in rows)
    replayed = mean(max(task["replayed"] for task in row["tasks"].values()) for row in rows)
    active = rows[0]["technique"] in {"active", "ingestor"}
    said = "before it" if seen <= 0 else f"{seen / 1000:.2f} s"
    late = mean(row["late_ms"] for row in rows)
    cells = (
        f"{mean(all_ms) / 1000:.2f} s{mark(rows)}",
        f"{min(all_ms) / 1000:.2f}, {max(all_ms) / 1000:.2f}",
        f"{late / 1000:.2f} s",
        said,
    )
    return len(rows), *cells, "-" if active else f"{replayed:.1f}"


def verdicts(rows: Sequence[Row]) -> str:
    active, slowest = where(rows, technique="active"), where(rows, technique="checkpoint", every_s=SLOWEST_S)
    limit_ms = 2 * PERIOD_MS + HOLD_MS
    lines = []
    if active:
        worst = max(row["from_fault_ms"] for row in active)
        word = "reached" if worst <= limit_ms else "**missed**"
        said = f"An active replica within two epochs and a hold ({limit_ms} ms)"
        lines.append(f"- {said}, in the slowest of {len(active)}: {worst:.0f} ms, {word}.")
    if active and slowest:
        whole, late = (times(what, slowest, active) for what in ("from_fault_ms", "late_ms"))
        word = "reached" if whole >= TIMES_FASTER else "**missed**"
        said = f"At least {TIMES_FASTER} times faster than a checkpoint every {SLOWEST_S} s"
        lines.append(f"- {said}: {whole:.1f} times, {word}; {late:.1f} times less late.")
    return "\n".join(lines)


def times(what: str, rows: Sequence[Row], others: Sequence[Row]) -> float:
    return mean(row[what] for row in rows) / max(1.0, mean(row[what] for row in others))


def shares(rows: Sequence[Row], window_s: int, rate: int) -> list[tuple[int, float]]:
    """Time in publishing over time in computing, by the interval."""
    found = where(rows, technique="checkpoint", window_s=window_s, rate=rate)
    return [(every_s, share_of(where(found, every_s=every_s))) for every_s in sorted({row["every_s"] for row in found})]


def share_of(rows: Sequence[Row]) -> float:
    publishing, computing = (mean(row["phase_s_per_epoch"].get(phase, 0.0) for row in rows) for phase in ("publish", "compute"))
    return publishing / computing if computing else float("nan")


def costs(rows: Sequence[Row]) -> str:
    lines: list[tuple[object, ...]] = []
    for window_s in sorted({row["window_s"] for row in rows}):
        for rate in sorted({row["rate"] for row in where(rows, window_s=window_s)}):
            none = where(rows, technique="replay", window_s=window_s, rate=rate)
            for every_s, share in shares(rows, window_s, rate):
                mine = where(rows, technique="checkpoint", window_s=window_s, rate=rate, every_s=every_s)
                lines.append((window_s, rate, every_s, f"{share:.1%}", *cpu_cells(mine, none)))
            active = where(rows, technique="active", window_s=window_s, rate=rate)
            if active:
                lines.append((window_s, rate, "active replicas", "-", *cpu_cells(active, none)))
    head = (
        "window, s",
        "rows/s",
        "checkpoint every, s",
        "time of publishing / of computing",
        "CPU per epoch",
        "over no checkpoints",
    )
    return table(head, lines)


def cpu_cells(rows: Sequence[Row], none: Sequence[Row]) -> tuple[str, str]:
    mine, base = (mean(row["cpu_ms_per_epoch"] for row in found) for found in (rows, none))
    return f"{mine:.0f} ms", f"{mine / base - 1:+.0%}" if none else "-"
