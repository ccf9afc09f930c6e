"""Epochs of rows as tests compare them.

Why: what an epoch holds is a multiset; the order in which Spark gives it is nobody's business.
Called by: the tests beside it.
"""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Operator: TypeAlias = "Callable[[dict[str, DataFrame]], DataFrame]"
Epochs: TypeAlias = list[pa.Table]
Run: TypeAlias = Callable[[Operator, dict[str, Epochs]], Epochs]

START_MS = 1_700_000_000_000  # when the first epoch is due; a full second
PERIOD_MS = 250


def rows_of(epoch: pa.Table) -> list[tuple[Any, ...]]:
    return sorted(zip(*(column.to_pylist() for column in epoch.columns), strict=True))


def shuffled(epochs: Epochs) -> Epochs:
    order = random.Random(7)
    return [rows.take(pa.array(order.sample(range(rows.num_rows), rows.num_rows), pa.int64())) for rows in epochs]
