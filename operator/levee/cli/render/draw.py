"""The plan as a drawing: the dataflow with its replicas coloured by node, and how loaded the nodes are.

Why: which tasks share a fate, and where the room is, is seen faster than read.
Called by: cli.commands.plan for --format svg|png. The only user of matplotlib besides cli.render.draw_frontier.
"""

import io
from itertools import pairwise
from typing import Any

from matplotlib import RcParams, rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path

from levee.cli.render.layout import Layout, Spot, arrange
from levee.planning.problem import Problem
from levee.plans import words
from levee.plans.amounts import floor4, number, percent
from levee.plans.measure import tasks_of
from levee.plans.report import ConfigurationPart, Copy, Report
from levee.topology.graph import Topology

PANELS_MAX = 6
WIDTH, HEIGHT, RADIUS = 1.5, 0.62, 0.12
MARGIN = 0.12  # above and below the boxes of a panel
HEAD, GAP = 0.85, 0.55  # room for the title, and above each panel
BARS_WIDTH = 3.4  # inches
INK, FAINT, ALARM = "#222222", "#9a9a9a", "#c0202f"
LOST = ("#fbe3e3", ALARM)  # fill and edge of a box
COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#8172b3",
    "#937860",
    "#6b8e23",
    "#b8860b",
    "#4c72b0",
    "#708090",
)
STYLE = RcParams({"svg.hashsalt": "levee", "font.size": 9, "font.family": "DejaVu Sans", "text.color": INK, "axes.edgecolor": FAINT})


def draw(topology: Topology, problem: Problem, report: Report, kind: str) -> bytes:
    with rc_context(STYLE):
        return saved(_figure(topology, problem, report), kind)


def saved(figure: Figure, kind: str) -> bytes:
    """The same bytes for the same figure: no dates, no random ids."""
    FigureCanvasAgg(figure)
    out = io.BytesIO()
    figure.savefig(out, format=kind, dpi=150, facecolor="white", metadata={"Date": None} if kind == "svg" else {"Software": None})
    return out.getvalue()


def colours(report: Report) -> dict[str, str]:
    names = [node.name for node in report.configurations[0].nodes]
    return {name: COLOURS[index % len(COLOURS)] for index, name in enumerate(names)}


def _figure(topology: Topology, problem: Problem, report: Report) -> Figure:
    shown = report.configurations[:PANELS_MAX]
    layout = arrange(parents(topology, problem))
    spots = [*layout.boxes.values(), *(spot for path in layout.paths.values() for spot in path)]
    across = max(spot.x for spot in spots) + WIDTH + 0.4
    tall = max(max(spot.y for spot in spots) - min(spot.y for spot in spots) + HEIGHT + 2 * MARGIN, 0.32 * len(problem.nodes) + 0.6)
    width, height = across + BARS_WIDTH + 0.4, HEAD + (tall + GAP) * len(shown) + 0.4
    figure = Figure(figsize=(width, height))
    _title(figure, report, height)
    for index, configuration in enumerate(shown):
        bottom = height - HEAD - (tall + GAP) * (index + 1)
        flow = figure.add_axes((0.2 / width, bottom / height, across / width, tall / height))
        bars = figure.add_axes(
            (
                (across + 1.2) / width,
                (bottom + tall / 2 - 0.16 * len(problem.nodes)) / height,
                2.2 / width,
                0.32 * len(problem.nodes) / height,
            )
        )
        _draw_flow(flow, topology, problem, report, configuration, layout)
        _draw_bars(bars, report, configuration)
    return figure


def parents(topology: Topology, problem: Problem) -> dict[str, list[str]]:
    """Whom every box reads; sinks are boxes, too."""
    found: dict[str, list[str]] = {source.id: [] for source in problem.sources}
    found |= {task.id: list(dict.fromkeys(edge.producer for edge in task.inputs)) for task in problem.tasks}
    for sink in topology.sinks:
        found[f"sink {sink.name}"] = list(tasks_of(problem, sink.origin))
    return found


def _title(figure: Figure, report: Report, height: float) -> None:
    figure.text(0.2 / figure.get_figwidth(), 1 - 0.28 / height, words.full_name(report), fontsize=15, fontweight="bold", va="center")
    line = f"planned by {report.search.strategy} for {words.target(report.wanted)}"
    if report.guarantee is not None and report.price is not None:
        line += f"   ·   guarantees completeness {floor4(report.guarantee.completeness)}, fidelity {floor4(report.guarantee.fidelity)}"
        line += f"   ·   {number(report.price.cores)} cores, {words.certainty(report.search)}"
    if report.failure is not None:
        line += f"\nif {words.failing(report.failure)}, completeness {floor4(report.failure.completeness)}"
        line += f" and fidelity {floor4(report.failure.fidelity)} are left"
    figure.text(0.2 / figure.get_figwidth(), 1 - 0.58 / height, line, fontsize=9.5, va="center", color="#555555")
    key = "filled: active replica   hollow: inactive replica   colour: its node"
    if report.failure is not None:
        key += "   ·   red box: lost in the failure"
    if hidden := max(0, len(report.configurations) - PANELS_MAX):
        key += f"   ·   {hidden} more configurations are not drawn"
    figure.text(0.2 / figure.get_figwidth(), 0.18 / height, key, fontsize=8, color="#777777", va="center")


def _draw_flow(axes: Axes, topology: Topology, problem: Problem, report: Report, configuration: ConfigurationPart, layout: Layout) -> None:
    spots = layout.boxes
    everything = [*spots.values(), *(spot for path in layout.paths.values() for spot in path)]
    low, high = min(spot.y for spot in everything), max(spot.y for spot in everything)
    centre, half = (low + high) / 2, (high - low + HEIGHT) / 2 + MARGIN
    axes.set_xlim(-WIDTH / 2 - 0.05, max(spot.x for spot in everything) + WIDTH / 2 + 0.35)
    axes.set_ylim(centre - half, centre + half)
    axes.set_aspect("equal", anchor="W")
    axes.axis("off")
    axes.set_title(
        f"{configuration.name}, {percent(configuration.probability)} of the time", loc="left", fontsize=11, fontweight="bold", pad=2
    )
    for path in layout.paths.values():
        _arrow(axes, path)
    tints = colours(report)
    active = {copy: node.name for node in configuration.nodes for copy in node.active}
    lost = frozenset(() if report.failure is None else report.failure.tasks_lost[configuration.name])
    for source in problem.sources:
        rate = source.rows_per_s[report.configurations.index(configuration)]
        _box(axes, spots[source.id], _short(source.id), f"{number(rate)} rows/s", *(LOST if source.id in lost else ("#eef1f4", FAINT)))
    for sink in topology.sinks:
        _box(axes, spots[f"sink {sink.name}"], sink.name, "sink", "#eef1f4")
    for task in problem.tasks:
        _box(axes, spots[task.id], _short(task.id), "", *(LOST if task.id in lost else ("white", FAINT)))
        for replica, node in enumerate(report.placement[task.id]):
            _replica(axes, spots[task.id], replica, problem.replicas, tints[node], Copy(task.id, replica) in active)


def _short(name: str) -> str:
    return name if len(name) <= 17 else f"{name[:10]}…{name[-6:]}"


def _box(axes: Axes, spot: Spot, name: str, below: str, fill: str, edge: str = FAINT) -> None:
    corner = (spot.x - WIDTH / 2, spot.y - HEIGHT / 2)
    rounded = "round,pad=0,rounding_size=0.1"
    axes.add_patch(FancyBboxPatch(corner, WIDTH, HEIGHT, boxstyle=rounded, facecolor=fill, edgecolor=edge, linewidth=1, zorder=2))
    axes.text(spot.x, spot.y + 0.15, name, ha="center", va="center", fontsize=8.5, zorder=3)
    axes.text(spot.x, spot.y - 0.14, below, ha="center", va="center", fontsize=8, color="#666666", zorder=3)


def _replica(axes: Axes, spot: Spot, replica: int, replicas: int, tint: str, is_active: bool) -> None:
    x = spot.x + (replica - (replicas - 1) / 2) * min(0.34, (WIDTH - 0.3) / replicas)
    fill = tint if is_active else "white"
    axes.add_patch(Circle((x, spot.y - 0.13), RADIUS, facecolor=fill, edgecolor=tint, linewidth=1.8, zorder=4))


def _arrow(axes: Axes, path: tuple[Spot, ...]) -> None:
    """From the right side of one box through the lanes to the left side of the other."""
    half = WIDTH / 2
    last = len(path) - 1
    stops = [Spot(path[0].x + half, path[0].y)]
    for index, spot in enumerate(path[1:], 1):
        stops += [Spot(spot.x - half, spot.y)] + ([Spot(spot.x + half, spot.y)] if index < last else [])
    stops[-1] = Spot(stops[-1].x - 0.02, stops[-1].y)
    points, codes = [(stops[0].x, stops[0].y)], [Path.MOVETO]
    for start, end in pairwise(stops):
        bend = (end.x - start.x) / 2
        points += [(start.x + bend, start.y), (end.x - bend, end.y), (end.x, end.y)]
        codes += [Path.CURVE4] * 3
    curve = Path(points, codes)
    axes.add_patch(FancyArrowPatch(path=curve, arrowstyle="-|>", mutation_scale=8, linewidth=0.9, color=FAINT, zorder=1))


def _draw_bars(axes: Axes, report: Report, configuration: ConfigurationPart) -> None:
    tints, nodes = colours(report), configuration.nodes
    widest = max(1.0, *(node.load_share for part in report.configurations for node in part.nodes))
    for y, node in enumerate(nodes):
        axes.barh(y, node.load_share, height=0.55, color=tints[node.name], zorder=2)
        if node.overloaded:
            axes.barh(y, node.load_share - 1, left=1, height=0.55, color=ALARM, zorder=2)
        style: dict[str, Any] = {"color": ALARM, "fontweight": "bold"} if node.overloaded else {}
        axes.text(1.3 * widest, y, percent(node.load_share), va="center", ha="right", fontsize=8.5, zorder=4, **style)
    axes.axvline(1.0, color=ALARM, linewidth=1, linestyle=(0, (4, 3)), zorder=3)
    axes.set_yticks(range(len(nodes)), [node.name for node in nodes], fontsize=8.5)
    axes.set_ylim(len(nodes) - 0.5, -0.5)
    axes.set_xlim(0, 1.3 * widest)
    axes.set_xticks([])
    for side in ("top", "right", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)
    axes.set_title("load; dashed: capacity", fontsize=8, color="#777777", loc="left", pad=3)
