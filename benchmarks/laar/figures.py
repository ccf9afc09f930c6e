"""The figures of the LAAR bench: its Figures 3 and 9 to 12, ours in the same axes.

Called by: report.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import matplotlib as mpl

mpl.use("svg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from benchmarks.laar.settings import GOALS
from benchmarks.planning.statistics import mean
from benchmarks.planning.store import Row
from benchmarks.streams.figures import COLOURS, save

ByVariant: TypeAlias = Mapping[str, Sequence[float]]
EDGE = {"color": COLOURS[0]}
INPUT, OUTPUT = "#8d99ae", "#2a9d8f"


def boxes(axis: Axes, of: ByVariant) -> None:
    """The whiskers end at the last sample within 1.5 times the inter-quartile range, as in the paper; labels are means."""
    axis.boxplot(list(of.values()), whis=1.5, boxprops=EDGE, whiskerprops=EDGE, capprops=EDGE, medianprops={"color": COLOURS[1]})
    axis.set_xticks(range(1, len(of) + 1), [f"{name}\n{mean(values):.2f}" for name, values in of.items()])


def pair(of: Sequence[ByVariant], labels: Sequence[str], path: Path) -> None:
    figure, axes = plt.subplots(1, len(of), figsize=(4.5 * len(of), 3.2), squeeze=False)
    for axis, values, label in zip(axes.flat, of, labels, strict=True):
        boxes(axis, values)
        axis.set_ylabel(label)
    save(figure, path)


def completeness(of: Sequence[ByVariant], titles: Sequence[str], path: Path) -> None:
    """Figure 11; lines are what L.5, L.6 and L.7 were asked for."""
    figure, axes = plt.subplots(1, len(of), figsize=(4.5 * len(of), 3.2), sharey=True)
    for axis, values, title in zip(axes.flat, of, titles, strict=True):
        boxes(axis, values)
        axis.set_title(title)
        for place, name in enumerate(values, start=1):
            if name in GOALS:
                axis.plot([place - 0.4, place + 0.4], [GOALS[name]] * 2, ":", color=COLOURS[1])
    axes.flat[0].set_ylabel("rows read, of NR's without failures")
    save(figure, path)


def summary(of: Mapping[str, Mapping[str, float]], path: Path) -> None:
    """Figure 12: by what is measured, then by variant."""
    figure, axis = plt.subplots(figsize=(7, 3))
    for place, (what, values) in enumerate(of.items()):
        shift = (place - (len(of) - 1) / 2) * 0.8 / len(of)
        axis.bar([number + shift for number in range(len(values))], list(values.values()), 0.8 / len(of), label=what, color=COLOURS[place])
    axis.set_xticks(range(len(next(iter(of.values())))), list(next(iter(of.values()))))
    axis.set_ylabel("of SR's")
    axis.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    save(figure, path)


def pipeline(of: Mapping[str, Row], path: Path) -> None:
    """Figure 3: CPU by replica above, rows in and out below."""
    figure, axes = plt.subplots(2, len(of), figsize=(4.5 * len(of), 4.5), sharex=True, sharey="row", squeeze=False)
    for column, (title, row) in zip(axes.T, of.items(), strict=True):
        for number, (name, cores) in enumerate(row["cores"].items()):
            column[0].plot(row["at_s"], cores, ("-", "--", "-.", ":")[number % 4], label=name)
        column[0].set_title(title)
        column[1].plot(row["at_s"], row["offered_per_s"], color=INPUT, label="input")
        column[1].plot(row["at_s"], row["delivered_per_s"], "--", color=OUTPUT, label="output")
        column[1].set_xlabel("s")
    axes[0, 0].set_ylabel("cores")
    axes[1, 0].set_ylabel("rows/s")
    for axis in axes[:, -1]:
        axis.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False, fontsize=8)
    save(figure, path)
