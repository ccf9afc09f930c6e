"""A simulation over time: rows offered, delivered and lost, cores in use, active replicas, and the configuration in force.

Called by: cli.simulate_run for --plot.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from levee.cli.render.draw import ALARM, COLOURS, FAINT, STYLE, saved
from levee.plans.amounts import floor4
from levee.plans.simulation import Point, Simulation

LINE: dict[str, Any] = {"linewidth": 1.3}


def draw(found: Simulation, kind: str) -> bytes:
    with rc_context(STYLE):
        figure = Figure(figsize=(9, 6.4))
        rows, cores, replicas = figure.subplots(3, 1, sharex=True, gridspec_kw={"height_ratios": (3, 2, 1.4)})
        figure.subplots_adjust(left=0.09, right=0.97, top=0.86, bottom=0.08, hspace=0.16)
        draw_rows(rows, found.points)
        draw_cores(cores, found)
        draw_replicas(replicas, found.points)
        for axes in (rows, cores, replicas):
            shade(axes, found)
            finish(axes)
        replicas.set_xlabel("seconds of the trace")
        head(figure, found)
        return saved(figure, kind)


def draw_rows(axes: Axes, points: Sequence[Point]) -> None:
    at = [one.at_seconds for one in points]
    axes.plot(at, [one.offered_rows_per_s for one in points], color=FAINT, label="offered by the sources", **LINE)
    axes.plot(at, [one.delivered_rows_per_s for one in points], color=COLOURS[0], label="delivered to the sinks", **LINE)
    axes.plot(at, [one.lost_rows_per_s for one in points], color=ALARM, label="lost", **LINE)
    axes.set_ylabel("rows/s")
    axes.margins(y=0.3)  # room for the legend
    axes.legend(loc="upper right", fontsize=8, framealpha=0.95, edgecolor="#dddddd", ncols=3)


def draw_cores(axes: Axes, found: Simulation) -> None:
    axes.plot([one.at_seconds for one in found.points], [one.cores for one in found.points], color=COLOURS[2], **LINE)
    axes.axhline(found.capacity_cores, color=ALARM, linewidth=0.9, linestyle=(0, (4, 3)))
    axes.set_ylabel("cores in use")
    axes.set_title("dashed: capacity of all nodes", fontsize=8, color="#777777", loc="right", pad=2)


def draw_replicas(axes: Axes, points: Sequence[Point]) -> None:
    axes.step([one.at_seconds for one in points], [one.active_replicas for one in points], color=COLOURS[3], where="post", **LINE)
    axes.set_ylabel("replicas\nthat compute")


def shade(axes: Axes, found: Simulation) -> None:
    """The configuration in force, behind everything; its name stands above."""
    names = [one.name for one in found.configurations]
    for name, begin, end in stretches(found.points):
        colour = COLOURS[names.index(name) % len(COLOURS)] if name in names else FAINT
        axes.axvspan(begin, end, color=colour, alpha=0.07, linewidth=0)
        if axes.get_subplotspec() is not None and axes.get_subplotspec().is_first_row():  # type: ignore[union-attr]
            axes.annotate(name or "-", (begin, 1.01), xycoords=("data", "axes fraction"), fontsize=8, color=colour)


def stretches(points: Sequence[Point]) -> Iterator[tuple[str | None, float, float]]:
    begin = 0.0
    for name, group in groupby(points, lambda one: one.configuration):
        end = list(group)[-1].at_seconds
        yield name, begin, end
        begin = end


def finish(axes: Axes) -> None:
    axes.set_ylim(bottom=0)
    axes.set_xmargin(0)
    axes.grid(visible=True, axis="y", color="#e6e6e6", linewidth=0.8, zorder=0)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def head(figure: Figure, found: Simulation) -> None:
    name = found.topology if found.namespace == "default" else f"{found.namespace}/{found.topology}"
    figure.text(0.09, 0.945, f"{name}: what would happen", fontsize=14, fontweight="bold")
    failed = f"; {', '.join(found.failed)} fails" if found.failed else ""
    text = f"completeness {floor4(found.completeness)}, promised {floor4(found.promised)}{failed}"
    figure.text(0.09, 0.905, text, color="#555555" if found.kept else ALARM)
