"""The figures of the streams bench: time per epoch, memory, and PPA's Figures 7 to 9 in the same axes.

Called by: report.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.planning.statistics import mean, where
from benchmarks.streams.rows import Row

COLOURS = ("#264653", "#e76f51", "#2a9d8f")
WHO = {"levee": "Levee", "tuned": "Spark, tuned", "defaults": "Spark's defaults"}
TECHNIQUES = {"active": "#2a9d8f", "checkpoint": "#e9c46a", "replay": "#d1495b"}


def save(figure: Figure, path: Path) -> None:
    """The same picture gives the same file."""
    mpl.rcParams["svg.hashsalt"] = path.name
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None}, facecolor="white")
    plt.close(figure)


def epochs(rows: Sequence[Row], path: Path) -> None:
    """How the time of an epoch is distributed, of each contender, on a logarithmic axis."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True)
    for axis, function in zip(axes, ("filter", "windowed"), strict=True):
        for (who, name), colour in zip(WHO.items(), COLOURS, strict=True):
            values = sorted(ms for row in where(rows, who=who, function=function) for ms in row["epochs_ms"])
            if values:
                axis.plot(values, [(place + 1) / len(values) for place in range(len(values))], color=colour, label=name)
        axis.set_xscale("log")
        axis.set_xlabel("ms per epoch of 100 rows")
        axis.set_title("filter, no state" if function == "filter" else "windowed aggregation")
    axes[0].set_ylabel("share of epochs")
    axes[1].legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    save(figure, path)


def density(rows: Sequence[Row], path: Path) -> None:
    """Proportional set size per replica, by process."""
    figure, axis = plt.subplots(figsize=(6, 3.2))
    cases = sorted({(row["function"], row["width"]) for row in rows})
    for place, (function, width) in enumerate(cases):
        _pile(axis, place, where(rows, function=function, width=width), width)
    axis.set_xticks(range(len(cases)), [f"{function}\n{width} a worker" for function, width in cases])
    axis.axhline(100, color="#8d99ae", linestyle=":", label="100 MB")
    axis.set_ylabel("MiB (PSS) per replica")
    handles, labels = axis.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    axis.legend(unique.values(), unique.keys(), frameon=False)
    save(figure, path)


def _pile(axis: Axes, place: int, rows: Sequence[Row], width: int) -> None:
    below = 0.0
    for kind, colour in zip(("worker", "java", "python"), COLOURS, strict=True):
        height = mean(row["pss_mib"].get(kind, 0.0) for row in rows) / width
        axis.bar(place, height, bottom=below, color=colour, label=kind)
        below += height


def recovery(rows: Sequence[Row], failure: str, path: Path) -> None:
    """PPA Figure 7 (single) or 8 (all): how long recovery takes, by technique, window and rate."""
    groups = sorted({(row["window_s"], row["rate"]) for row in rows if row["technique"] != "ingestor"})
    bars = sorted({(row["technique"], row["every_s"]) for row in rows if row["technique"] != "ingestor"}, key=_order)
    figure, axis = plt.subplots(figsize=(9, 3.6))
    for index, (technique, every_s) in enumerate(bars):
        heights = [_seconds(rows, technique=technique, every_s=every_s, failure=failure, window_s=w, rate=r) for w, r in groups]
        places = [group + (index - len(bars) / 2) * 0.8 / len(bars) for group in range(len(groups))]
        shade = 0.4 + 0.6 * (index + 1) / len(bars)
        axis.bar(places, heights, 0.8 / len(bars), color=TECHNIQUES[technique], alpha=shade, label=_label(technique, every_s))
    axis.set_yscale("log")
    axis.set_xticks(range(len(groups)), [f"window {w} s\n{r} rows/s" for w, r in groups])
    axis.set_ylabel("seconds from the fault")
    axis.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    save(figure, path)


def _order(bar: tuple[str, int]) -> tuple[int, int]:
    return list(TECHNIQUES).index(bar[0]), bar[1]


def _label(technique: str, every_s: int) -> str:
    return {"active": "active replica", "replay": "replay"}.get(technique, f"checkpoint, {every_s} s")


def _seconds(rows: Sequence[Row], **wanted: object) -> float:
    found = where(rows, **wanted)
    return mean(row["from_fault_ms"] for row in found) / 1000 if found else 0.0


def checkpoints(points: Callable[[int], Sequence[tuple[int, float]]], rates: Sequence[int], path: Path) -> None:
    """PPA Figure 9: what checkpoints cost against computing, by how often they are taken."""
    figure, axis = plt.subplots(figsize=(6, 3))
    for rate, colour in zip(rates, COLOURS, strict=False):
        found = points(rate)
        axis.plot([every_s for every_s, _ in found], [share for _, share in found], color=colour, marker="o", label=f"{rate} rows/s")
    axis.set_xlabel("seconds between checkpoints")
    axis.set_ylabel("time of checkpoints / of computing")
    axis.legend(frameon=False)
    save(figure, path)
