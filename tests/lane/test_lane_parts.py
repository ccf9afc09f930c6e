"""A small epoch is one part from its input to its state, a large one several; what comes out is the same, whichever came before."""

from collections.abc import Callable, Iterator, Sequence

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

from levee_spark.lane import query
from levee_spark.lane.query import Lane
from tests.lane.lanes import Inputs, Lanes, digests
from tests.lane.test_lane_state import both, joined, rows, updates, windows

LAST = 6


def unlike(inputs: Inputs) -> DataFrame:
    return inputs["rows"].withWatermark("_epoch_time", "3 seconds").dropDuplicatesWithinWatermark(["key"]).select("key", "value")


def counted(inputs: Inputs) -> DataFrame:
    def count(key: tuple[str], frames: Iterator[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
        state.update(((state.get[0] if state.exists else 0) + sum(map(len, frames)),))
        yield pd.DataFrame({"key": key, "rows": state.get})

    return (
        inputs["rows"]
        .groupBy("key")
        .applyInPandasWithState(count, "key string, rows long", "n long", "append", GroupStateTimeout.NoTimeout)
    )


def merged(inputs: Inputs) -> DataFrame:
    of_two = inputs["rows"].unionByName(inputs["others"])
    return of_two.groupBy("key").agg(f.sum("value").alias("total"))


@pytest.mark.parametrize(
    ("function", "streams", "given"),
    [
        pytest.param(updates, ("rows",), rows, id="updates"),
        pytest.param(windows, ("rows",), rows, id="windows"),
        pytest.param(unlike, ("rows",), rows, id="duplicates"),
        pytest.param(counted, ("rows",), rows, id="applyInPandasWithState"),
        pytest.param(joined, ("rows", "others"), both, id="join"),
        pytest.param(merged, ("rows", "others"), both, id="union"),
    ],
)
def test_small_epochs_need_no_shuffle_and_large_ones_go_on_from_their_state(
    lanes: Lanes,
    monkeypatch: pytest.MonkeyPatch,
    function: query.Function,
    streams: tuple[str, ...],
    given: Callable[[int], Sequence[pa.Table]],
) -> None:
    small, mixed = lanes(function, *streams), lanes(function, *streams)
    of_small, of_mixed = [], []
    for epoch in range(1, LAST + 1):
        of_small.append(small.compute(epoch, 1000 * epoch, given(epoch)))
        assert not shuffles(small), "all rows are in one part"
        with monkeypatch.context() as patched:
            if epoch % 2 == 0:
                patched.setattr(query, "LARGE_ROWS", 0)
            of_mixed.append(mixed.compute(epoch, 1000 * epoch, given(epoch)))
        assert shuffles(mixed) == (epoch % 2 == 0)
    assert digests(of_small) == digests(of_mixed)
    assert sum(one.table.num_rows for one in of_small), "there is something to compare"


def shuffles(lane: Lane) -> bool:
    assert lane.query is not None
    return "Exchange" in lane.query._jsq.explainInternal(False)
