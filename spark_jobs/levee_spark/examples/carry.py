"""One state per task, carried from epoch to epoch: how the stateful examples use Structured Streaming.

Why: `applyInPandasWithState` calls Python once per group and epoch. With one group per task that is one call, however many
symbols or segments the task has, and a step is a plain function of what was kept and what has come. Nothing promises in which order
the rows of an epoch arrive, so they are sorted first, and by their first column above all.
Called by: levee_spark.examples.bargains, top100 and traffic.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

import pandas as pd
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.streaming.state import GroupState, GroupStateTimeout

Rows: TypeAlias = list[tuple[Any, ...]]
Step: TypeAlias = Callable[[bytes, Rows], tuple[bytes, Rows]]  # what was kept (at first nothing), an epoch -> what to keep, the output


def carry(rows: DataFrame, step: Step, schema: str) -> DataFrame:
    """The output of `step` over every epoch that has rows; in these no column may be null, for pandas would make it something else."""
    columns = rows.columns

    def epoch(_group: tuple[int], frames: Iterator[pd.DataFrame], state: GroupState) -> Iterator[pd.DataFrame]:
        # Where there is no output Spark pads with nulls, and pandas warns the log of it.
        warnings.filterwarnings("ignore", "The behavior of DataFrame concatenation", FutureWarning)
        arrived = [row for frame in frames for row in zip(*(frame[column].tolist() for column in columns), strict=True)]
        kept, output = step(bytes(state.get[0]) if state.exists else b"", sorted(arrived))
        state.update((kept,))
        if output:
            yield pd.DataFrame(output, columns=names)

    names = [column.split()[0] for column in schema.split(", ")]
    all_of_it = rows.coalesce(1).withColumn("task", f.lit(0)).groupBy("task")  # one partition is grouped already: no shuffle
    return all_of_it.applyInPandasWithState(epoch, schema, "kept binary", "append", GroupStateTimeout.NoTimeout)
