"""Where the boxes of a drawn plan stand, and which way the streams go around them: sources left, sinks right, little crossing.

Why: laying out is arithmetic that can be tested; drawing is not.
Called by: cli.render.draw.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

COLUMN, ROW = 2.3, 1.05  # distances between boxes, in inches at full size
LANE = 0.45  # the height of a stream that passes a column, in rows
SWEEPS = 6

Names = Sequence[str]


@dataclass(frozen=True, slots=True)
class Spot:
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Layout:
    boxes: dict[str, Spot]
    paths: dict[tuple[str, str], tuple[Spot, ...]]  # (producer, consumer) -> the spots from one to the other, both included


def arrange(parents: Mapping[str, Names]) -> Layout:
    """A place for every box, given whom it reads (parents first), right of all of those; streams pass other columns in lanes."""
    depth = _depths(parents)
    lanes = _lanes(parents, depth)
    read = {name: [lanes.get((origin, depth[name] - 1), origin) for origin in origins] for name, origins in parents.items()}
    read |= {lane: [lanes.get((origin, at - 1), origin)] for (origin, at), lane in lanes.items()}
    depth |= {lane: at for (_, at), lane in lanes.items()}
    spots = _spots(_columns(read, depth), set(lanes.values()))
    return Layout(
        {name: spots[name] for name in parents},
        {
            (origin, name): tuple(
                spots[stop] for stop in (origin, *(lanes[origin, at] for at in range(depth[origin] + 1, depth[name])), name)
            )
            for name, origins in parents.items()
            for origin in origins
        },
    )


def _depths(parents: Mapping[str, Names]) -> dict[str, int]:
    depth: dict[str, int] = {}
    for name, origins in parents.items():
        depth[name] = 1 + max((depth[origin] for origin in origins), default=-1)
    return depth


def _lanes(parents: Mapping[str, Names], depth: Mapping[str, int]) -> dict[tuple[str, int], str]:
    """One lane per stream and column that it passes, shared by all who read it further right."""
    passed = {
        (origin, at): f"{origin} at {at}"
        for name, origins in parents.items()
        for origin in origins
        for at in range(depth[origin] + 1, depth[name])
    }
    return dict(sorted(passed.items(), key=lambda item: (item[0][1], item[0][0])))


def _columns(read: Mapping[str, Names], depth: Mapping[str, int]) -> list[list[str]]:
    """Each near the middle of its neighbours, column by column, to the right and back."""
    columns: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    children: dict[str, list[str]] = {name: [] for name in read}
    for name, origins in read.items():
        columns[depth[name]].append(name)
        for origin in origins:
            children[origin].append(name)
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        neighbours: Mapping[str, Names] = read if forward else children
        height = {name: _height(column, y) for column in columns for y, name in enumerate(column)}
        for column in columns if forward else reversed(columns):
            centre = {name: _mean([height[n] for n in neighbours[name]], height[name]) for name in column}
            column.sort(key=lambda name, centre=centre: centre[name])  # type: ignore[misc]
            height |= {name: _height(column, y) for y, name in enumerate(column)}
    return columns


def _height(column: Names, y: int) -> float:
    return (y + 0.5) / len(column)


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def _spots(columns: Sequence[Names], lanes: set[str]) -> dict[str, Spot]:
    spots: dict[str, Spot] = {}
    for x, column in enumerate(columns):
        heights = [LANE if name in lanes else 1.0 for name in column]
        top = sum(heights) / 2
        for name, height in zip(column, heights, strict=True):
            spots[name] = Spot(COLUMN * x, ROW * (top - height / 2))
            top -= height
    return spots
