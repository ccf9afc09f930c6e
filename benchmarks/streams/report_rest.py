"""The words and tables about epochs, throughput, requests and density in docs/results/streams.md; every figure comes out of the rows.

Called by: report.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from benchmarks.planning.statistics import mean, percentile, table, where
from benchmarks.streams.figures import WHO
from benchmarks.streams.requests import said
from benchmarks.streams.rows import Row
from benchmarks.streams.settings import FUNCTIONS

LIMITS_MS = {"filter": 18, "windowed": 45}
FLOOR_MS = 9  # of Spark on the machine that the limits were set on
TIMES_BELOW = 8
RATIOS = {"filter": 1.3, "windowed": 0.9}
MIB_MAX = 100


def sections(parts: Mapping[str, Sequence[Row]], pictures: str) -> Iterator[str]:
    if parts["epochs"]:
        yield f"## Time per epoch\n\n{epochs(parts['epochs'])}\n\n![Time per epoch]({pictures}/epochs.svg)\n"
    if parts["throughput"]:
        yield f"## Throughput\n\n{throughput(parts['throughput'])}\n"
    if parts["requests"]:
        yield f"## Requests to the store\n\n{requests(parts['requests'])}\n"
    if parts["density"]:
        yield f"## Memory and CPU of a replica\n\n{density(parts['density'])}\n\n![Memory per replica]({pictures}/density.svg)\n"


def mark(rows: Sequence[Row]) -> str:
    return " (busy)" if any(row["busy"] for row in rows) else ""


def reached(value: float, limit: float, *, at_most: bool) -> str:
    met = value <= limit if at_most else value >= limit
    return f"{'at most' if at_most else 'at least'} {limit:g}: {'reached' if met else '**missed**'}"


def times(rows: Sequence[Row]) -> list[float]:
    return [ms for row in rows for ms in row["epochs_ms"]]


def spread(rows: Sequence[Row]) -> str:
    medians = [median(row["epochs_ms"]) for row in rows]
    return f"± {(max(medians) - min(medians)) / 2:.1f}"


EPOCHS = """\
Epochs of 100 rows, one after another, one replica in one warm worker. Levee: a replica of the log on its lane, from the input in the local
store to the commit, published checkpoints included. Spark: the file source (one file an epoch), the Parquet sink, a checkpoint; once with
its defaults, once with Levee's settings and JVM flags. The floor is the least that Spark takes here for any batch: its rate source, to
nothing. It was 9 ms where the limits were set (18 ms are 2 floors, 45 ms are 5), so machines compare by floors."""

THROUGHPUT = """\
Both with Levee's settings, C2 and 1 GiB of heap. Spark reads and writes Parquet, two files an epoch."""

REQUESTS = """\
A source, two operators with windows of 10 s and a sink on three nodes of the local world, two replicas of each task: of the operators one
active (`none`) or both (`static`). Counted by the workers' own metrics in steady state, over two turns of the trimmers; the controller's
own are not in it."""

DENSITY = "An epoch of 100 rows a second for each replica. PSS, in MiB."


def epochs(rows: Sequence[Row]) -> str:
    floors = where(rows, who="floor")
    floor_ms = percentile(times(floors), 50) if floors else float("nan")
    cases = [("", "floor"), *((function, who) for function in FUNCTIONS for who in WHO)]
    lines = [epoch_line(rows, function, who, floor_ms) for function, who in cases if where(rows, function=function, who=who)]
    head = ("function", "", "p50", "", "p95", "CPU per epoch", "floors", "times Levee's p50", "wanted")
    return f"{EPOCHS}\n\n{table(head, lines)}"


def epoch_line(rows: Sequence[Row], function: str, who: str, floor_ms: float) -> tuple[object, ...]:
    mine, ours = where(rows, function=function, who=who), where(rows, function=function, who="levee")
    p50, p95 = percentile(times(mine), 50), percentile(times(mine), 95)
    ratio = p50 / percentile(times(ours), 50) if ours else float("nan")
    name, cpu = WHO.get(who, "Spark's floor") + mark(mine), mean(row["cpu_ms"] for row in mine)
    figures = (f"{p50:.1f} ms", spread(mine), f"{p95:.1f} ms", f"{cpu:.0f} ms", f"{p50 / floor_ms:.1f}", f"{ratio:.1f}" if ours else "")
    return function, name, *figures, wanted(function, who, p50, floor_ms, ratio)


def wanted(function: str, who: str, p50: float, floor_ms: float, ratio: float) -> str:
    match who:
        case "levee":
            limit = LIMITS_MS[function]
            return f"{reached(p50, limit, at_most=True)}; in floors {reached(p50 / floor_ms, limit / FLOOR_MS, at_most=True)}"
        case "defaults":
            return reached(ratio, TIMES_BELOW, at_most=False)
        case _:
            return ""


def throughput(rows: Sequence[Row]) -> str:
    lines = []
    for count in sorted({row["epoch_rows"] for row in rows}):
        for function in FUNCTIONS:
            ours, theirs = (where(rows, epoch_rows=count, function=function, who=who) for who in ("levee", "tuned"))
            if ours and theirs:
                lines.append(rate_line(count, function, ours, theirs))
    head = ("function", "rows of an epoch", "Levee", "Spark, Parquet to Parquet", "ratio", "wanted")
    return f"{THROUGHPUT}\n\n{table(head, lines)}"


def rate_line(count: int, function: str, ours: Sequence[Row], theirs: Sequence[Row]) -> tuple[object, ...]:
    mine, others = (median(row["rows_per_s"] for row in rows) / 1e6 for rows in (ours, theirs))
    wanted = reached(mine / others, RATIOS[function], at_most=False)
    name = function + mark([*ours, *theirs])
    return name, f"{count:,}", f"{mine:.2f} M rows/s", f"{others:.2f} M rows/s", f"{mine / others:.2f}", wanted


def requests(rows: Sequence[Row]) -> str:
    kinds = sorted({kind for row in rows for kind in row["requests"]})
    details = [(f"{row['strategy']}, {row['period_ms']} ms", *(each(row, row["requests"].get(kind, 0)) for kind in kinds)) for row in rows]
    head = ("", "per second", "per epoch and replica", "per epoch (puts and lists)", "`levee plan` says", "measured / said")
    lines = [request_line(row) for row in rows]
    return f"{REQUESTS}\n\n{table(head, lines)}\n\nBy kind and outcome, per epoch:\n\n{table(('', *kinds), details)}"


def request_line(row: Row) -> tuple[object, ...]:
    total, promised = sum(row["requests"].values()), said(row)
    measured = total / row["epochs"]
    puts = sum(count for kind, count in row["requests"].items() if not kind.startswith(("get", "delete"))) / row["epochs"]
    name = f"{row['strategy']}, {row['period_ms']} ms{mark([row])}"
    per_replica = f"{measured / row['replicas']:.2f}"
    both = f"{measured:.1f} ({puts:.1f})", f"{promised.total:.1f} ({promised.puts:.1f})"
    return name, f"{total / row['lasted_s']:.1f}", per_replica, *both, f"{measured / promised.total:.2f}"


def each(row: Row, count: float) -> str:
    return f"{count / row['epochs']:.2f}"


def density(rows: Sequence[Row]) -> str:
    lines = []
    for function in FUNCTIONS:
        for width in sorted({row["width"] for row in rows}):
            found = where(rows, function=function, width=width)
            if found:
                lines.append(density_line(function, width, found))
    head = ("function", "replicas", "worker's Python", "Java", "Spark's Python", "per replica", "CPU per epoch", "of a core", "wanted")
    return f"{DENSITY}\n\n{table(head, lines)}"


def density_line(function: str, width: int, rows: Sequence[Row]) -> tuple[object, ...]:
    parts = [mean(row["pss_mib"].get(kind, 0.0) for row in rows) for kind in ("worker", "java", "python")]
    per_replica = sum(parts) / width
    wanted = reached(per_replica, MIB_MAX, at_most=True) if width > 1 else ""
    cpu_ms, share = mean(row["cpu_ms"] for row in rows), mean(row["cpu_share"] for row in rows)
    return (
        function + mark(rows),
        width,
        *(f"{part:.0f}" for part in parts),
        f"{per_replica:.0f}",
        f"{cpu_ms:.0f} ms",
        f"{share:.1%}",
        wanted,
    )
