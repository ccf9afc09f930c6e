"""The figures of the planning bench: LAAR's Figures 4-6 and PPA's Figure 14, ours in the same axes.

Called by: report.
"""

from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import cycle

import matplotlib as mpl

mpl.use("svg")
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.planning.completeness import OPTIMISERS
from benchmarks.planning.fidelity import SOLVERS
from benchmarks.planning.settings import GOALS, RATIOS
from benchmarks.planning.statistics import mean, where
from benchmarks.planning.store import Row
from levee.planning.generate.topologies import SETTINGS

CLASSES = {"optimal": "#2a9d8f", "feasible": "#e9c46a", "infeasible": "#8d99ae", "unknown": "#d1495b"}
PAPER_NAMES = {"optimal": "BST", "feasible": "SOL", "infeasible": "NUL", "unknown": "TMO"}
STYLES = (":", "--", "-", "-.")  # of the solvers
COLOURS = ("#264653", "#e76f51", "#2a9d8f")
PRUNINGS = ("cpu", "compl", "cost", "dom")


def svg(figure: Figure, name: str) -> bytes:
    """The same picture gives the same file."""
    mpl.rcParams["svg.hashsalt"] = name
    figure.tight_layout()
    drawn = BytesIO()
    figure.savefig(drawn, metadata={"Date": None}, facecolor="white")
    plt.close(figure)
    return drawn.getvalue()


def outcomes(rows: Mapping[str, Sequence[Row]], name: str) -> bytes:
    """LAAR Figure 4: how the search ended, by goal."""
    figure, axes = plt.subplots(1, len(rows), figsize=(1 + 4 * len(rows), 3.2), sharey=True, squeeze=False)
    for axis, (optimiser, found) in zip(axes.flat, reversed([*rows.items()]), strict=True):
        _stacked(axis, found)
        axis.set_title(OPTIMISERS[optimiser].label)
        axis.set_xlabel("completeness wanted")
    axes[0, 0].set_ylabel("share of problems")
    axes[0, -1].legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return svg(figure, name)


def _stacked(axis: Axes, rows: Sequence[Row]) -> None:
    below = [0.0] * len(GOALS)
    for status, colour in CLASSES.items():
        heights = [len(where(rows, goal=goal, status=status)) / max(1, len(where(rows, goal=goal))) for goal in GOALS]
        axis.bar([str(goal) for goal in GOALS], heights, bottom=below, color=colour, label=f"{status} ({PAPER_NAMES[status]})")
        below = [low + height for low, height in zip(below, heights, strict=True)]


def first_against_best(cost_ratios: Sequence[float], time_ratios: Sequence[float], name: str) -> bytes:
    """LAAR Figure 5: the first plan that FT-Search finds against its best."""
    figure, axes = plt.subplots(1, 2, figsize=(8, 3))
    for axis, values, what in zip(axes, (cost_ratios, time_ratios), ("cost, first / best", "time, first / best"), strict=True):
        axis.hist(values, bins=30, color=COLOURS[2])
        axis.axvline(mean(values), color=COLOURS[1], label=f"mean {mean(values):.3f}")
        axis.set_xlabel(what)
        axis.legend(frameon=False)
    axes[0].set_ylabel("problems")
    return svg(figure, name)


def prunings(shares: Sequence[float], heights: Sequence[float], name: str) -> bytes:
    """LAAR Figure 6: which pruning cuts how often, and how high."""
    figure, axes = plt.subplots(1, 2, figsize=(8, 3))
    for axis, values, what in zip(axes, (shares, heights), ("share of the values pruned", "mean height of the cut"), strict=True):
        axis.bar([pruning.upper() for pruning in PRUNINGS], values, color=COLOURS[0])
        axis.set_ylabel(what)
    return svg(figure, name)


def panels(rows: Sequence[Row], name: str) -> bytes:
    """PPA Figure 14: mean output fidelity over the share of tasks that may have an active replica."""
    figure, axes = plt.subplots(2, 2, figsize=(10, 7), sharex=True, sharey=True)
    for axis, letter in zip(axes.flat, "abcd", strict=True):
        named = [setting.name for setting in SETTINGS if setting.name.startswith(letter)]
        for setting, colour in zip(named, COLOURS, strict=False):
            _curves(axis, where(rows, setting=setting), setting[2:], colour)
        axis.set_title(f"({letter})")
        axis.legend(frameon=False, fontsize=7)
    figure.supxlabel("active replicas beyond one per task, as a share of the tasks")
    figure.supylabel("mean output fidelity")
    return svg(figure, name)


def _curves(axis: Axes, rows: Sequence[Row], name: str, colour: str) -> None:
    for solver, style in zip(SOLVERS, cycle(STYLES), strict=False):
        values = [mean(row[solver]["objective"] for row in where(rows, ratio=ratio)) for ratio in RATIOS]
        axis.plot(RATIOS, values, style, color=colour, label=f"{name}, {solver}", marker=".")
