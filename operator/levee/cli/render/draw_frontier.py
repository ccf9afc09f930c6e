"""The frontier as a drawing: guarantee over cost, with the knee.

Why: where more money buys little more guarantee is seen faster than read.
Called by: cli.render.forms for --frontier --format svg|png.
"""

from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from levee.cli.render.draw import ALARM, COLOURS, FAINT, STYLE, saved
from levee.plans import words
from levee.plans.amounts import floor4, number
from levee.plans.report import Frontier, Level


def draw(frontier: Frontier, kind: str) -> bytes:
    with rc_context(STYLE):
        figure = Figure(figsize=(8, 5))
        axes = figure.add_axes((0.1, 0.13, 0.86, 0.69))
        _draw_levels(axes, frontier)
        _draw_compared(axes, frontier)
        _finish(figure, axes, frontier)
        return saved(figure, kind)


def _draw_levels(axes: Axes, frontier: Frontier) -> None:
    fidelity = frontier.guarantee == "fidelity"
    points = [(_paid(frontier, level), level.fidelity if fidelity else level.completeness) for level in frontier.levels]
    for colour, model in zip(COLOURS[1:], [name for name in words.FAILURES if name != frontier.failures], strict=False):
        beside = [(cost, level.completeness) for level in frontier.levels if (cost := level.cores_under.get(model)) is not None]
        if beside:
            axes.plot(*zip(*beside, strict=True), "o--", color=colour, markersize=4, linewidth=1.2, label=words.SHORT_FAILURES[model])
    if points:
        style: dict[str, Any] = {"color": COLOURS[0], "markersize": 5, "linewidth": 1.8, "zorder": 3}
        axes.plot(*zip(*points, strict=True), "o-", label=words.SHORT_FAILURES[frontier.failures], **style)
    for level, point in zip(frontier.levels, points, strict=True):
        if level.is_knee:
            axes.plot(*point, "o", markersize=13, markerfacecolor="none", markeredgecolor=ALARM, markeredgewidth=1.6, zorder=4)
            axes.annotate("knee", point, xytext=(12, -14), textcoords="offset points", color=ALARM, fontweight="bold")


def _paid(frontier: Frontier, level: Level) -> float:
    return level.budget if frontier.guarantee == "fidelity" else level.cores


def _draw_compared(axes: Axes, frontier: Frontier) -> None:
    if frontier.guarantee == "fidelity":
        return
    for price in frontier.compared:
        colour = ALARM if price.overloads else FAINT
        axes.axvline(price.cores, color=colour, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        name = price.name if not price.overloads else f"{price.name}: overloads {price.overloads[0].node}"
        axes.annotate(
            name, (price.cores, 0.5), xytext=(3, 0), textcoords="offset points", rotation=90, fontsize=8, color=colour, va="center"
        )


def _finish(figure: Figure, axes: Axes, frontier: Frontier) -> None:
    axes.set_ylim(-0.03, 1.05)
    axes.margins(x=0.08)
    axes.grid(visible=True, color="#e6e6e6", linewidth=0.8, zorder=0)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_ylabel(frontier.guarantee)
    axes.set_xlabel("active replicas beyond one per task" if frontier.guarantee == "fidelity" else "cores in use, on average")
    if len(axes.get_legend_handles_labels()[0]) > 1:
        axes.legend(title="to survive", loc="upper left", frameon=True, framealpha=0.95, edgecolor="#dddddd", fontsize=8)
    cut = " (interrupted: not all levels)" if frontier.interrupted else ""
    figure.text(0.1, 0.93, f"{words.full_name(frontier)}: what each guarantee costs{cut}", fontsize=14, fontweight="bold")
    knee = next((level for level in frontier.levels if level.is_knee), None)
    if knee is not None:
        level = knee.fidelity if frontier.guarantee == "fidelity" else knee.completeness
        figure.text(0.1, 0.875, f"knee: {frontier.guarantee} {floor4(level)} for {number(_paid(frontier, knee))}", color="#555555")
