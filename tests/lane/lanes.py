"""Lanes for tests: made, driven for some epochs, and closed.

Called by: the tests of lanes.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from levee_spark.lane.query import Function, Keyed, Lane, LaneInput, Output

Inputs = dict[str, DataFrame]
PERIOD_MS = 1_000


@dataclass
class Lanes:
    session: SparkSession
    place: Path
    made: list[Lane] = field(default_factory=list)

    def __call__(self, function: Function, *streams: str, keyed: Keyed | None = None, limit_s: float = 120) -> Lane:
        name = f"task/0/{len(self.made)}"
        inputs = tuple(LaneInput(stream, keyed) for stream in streams or ("rows",))
        folder = self.place / f"lane-{len(self.made)}"
        lane = Lane(self.session, folder, self.place, name, function, inputs, limit_s=limit_s)
        self.made.append(lane)
        return lane

    def close(self) -> None:
        for lane in self.made:
            lane.close()


def table(**columns: Sequence[object]) -> pa.Table:
    """Where there is nothing to go by, numbers."""
    return pa.table({name: pa.array(of, None if len(of) else pa.int64()) for name, of in columns.items()})


def drive(lane: Lane, epochs: Iterable[int], inputs: Callable[[int], Sequence[pa.Table]]) -> list[Output]:
    return [lane.compute(epoch, PERIOD_MS * epoch, inputs(epoch)) for epoch in epochs]


def digests(outputs: Iterable[Output]) -> list[str]:
    return [one.digest for one in outputs]


def values(output: Output) -> list[tuple[object, ...]]:
    """Its rows, in an order of their own."""
    return sorted(zip(*output.table.to_pydict().values(), strict=True), key=repr)
