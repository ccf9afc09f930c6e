"""A worker's sink: what it writes belongs to its topology's run, and another run's folder fails it with the reason."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from levee.topology.load import load
from levee.topology.spec import Resource
from levee_spark.deliver.delivery import CannotDeliver
from levee_spark.deliver.owner import MARK
from levee_spark.store.address import open_store
from levee_spark.store.driver import StoreDriver
from levee_spark.worker.assembly import Parts, delivery_of
from levee_spark.worker.logs import Log
from levee_spark.worker.order import Order, ReplicaName
from levee_spark.worker.wiring import wiring_of
from tests.deliver.epochs import delivered
from tests.worker.topologies import TEXT

OUT = ReplicaName.parse("out/0/0")


def no_spark() -> SparkSession:
    raise AssertionError("files need no Spark")


def resource(folder: Path) -> Resource:
    text = TEXT.format(epoch="{}", store="memory:///levee").replace("/nowhere", str(folder))
    [loaded] = load(text, origin="wired.yaml")
    assert loaded.resource is not None, loaded.complaints
    return loaded.resource


def parts(place: Path, uid: str) -> Parts:
    order = Order(place / "topology.yaml", uid, "w", "node-1", place, (OUT,))
    found, driver = resource(place / "out"), StoreDriver(open_store("memory:///levee"))
    return Parts(order, found, wiring_of(found, uid), driver, place, no_spark, Log("tests/wired", "w"))


def test_a_run_that_begins_anew_does_not_pass_over_what_the_one_before_has_left(tmp_path: Path) -> None:
    rows = pa.table({"n": [1]})
    for _ in range(2):  # a worker that starts again is the same run
        delivery_of(parts(tmp_path, "u1"), OUT).deliver(delivered(1, rows))
    assert '"uid": "u1"' in (tmp_path / "out" / MARK).read_text()
    with pytest.raises(CannotDeliver, match=r"another run of tests/wired \(its uid is u1, this run's u2\)"):
        delivery_of(parts(tmp_path, "u2"), OUT).deliver(delivered(1, rows))
