"""Epochs as a sink is given them.

Called by: the tests beside it.
"""

import pyarrow as pa

from levee_spark.deliver.owner import Owner
from levee_spark.lane import rows
from levee_spark.log.requests import Deliver
from levee_spark.log.values import EpochObject, Kind, Manifest

OWNER = Owner("shop/clicks", "u1", "out")


def delivered(number: int, table: pa.Table, *, kind: Kind = Kind.FINAL, index: int = 0) -> Deliver:
    payload = rows.encode(table) if kind is Kind.FINAL else None
    return Deliver(index, EpochObject(Manifest(number, kind, table.num_rows, "d", "l", 0, "w"), payload))


def show(event: str, **more: object) -> None:
    """For sinks that print nothing."""
    raise AssertionError(f"{event}: {more}")
