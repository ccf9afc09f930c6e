"""A function is edited while its topology stands still: its state is kept where it can be, and discarded where that is wanted."""

import os
import sys
from pathlib import Path

import pytest

from levee.worlds.local.opening import CannotRun
from levee_spark.check import edits
from levee_spark.check.edits import Edited
from tests.faults.chain import KEYS, TOTAL, Row, Wish, expected, resource, value
from tests.faults.plant import check_undisturbed, planted
from tests.faults.streams import breaks, check_lines, delivered

MINE = """
from pyspark.sql import functions as f

def total(inputs):
    kept = f.sum("double").alias("all"), f.count("*").alias("rows"), f.max("epoch").alias("epoch")
    return inputs["labelled"].where("double >= 0").groupBy("key").agg(*kept).withColumnRenamed("all", "sum")

def since(inputs):
    kept = f.count("*").alias("sum"), f.sum("double").alias("rows"), f.min("epoch").alias("epoch")
    return inputs["labelled"].groupBy("key").agg(*kept)

def wrong(inputs):
    return inputs["labelled"].select("nothing")
"""


ADDED = """
  - {{name: well, function: "{well}", inputs: [{{from: labelled, cost: 1us}}]}}
  - {{name: bad, function: "{bad}", inputs: [{{from: labelled, cost: 1us}}]}}
  - {{name: last, function: "{reads_what_is_new}", inputs: [{{from: well, cost: 1us}}]}}"""

SHOWN = ", {name: one, from: bad, spark: {format: console}}, {name: other, from: last, spark: {format: console}}"


def test_an_edit_goes_on_with_the_state_or_is_refused_or_begins_anew_as_it_says(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    with planted(tmp_path, Wish(nodes=1, replicas=1)) as plant:
        before = plant.delivered_epoch()

    with planted(tmp_path, Wish(nodes=1, replicas=1, total="mine:total")) as plant:
        assert plant.delivered_epoch() > before
    check_undisturbed(tmp_path, plant.streams())

    other = Wish(nodes=1, replicas=1, total="mine:since")
    with pytest.raises(CannotRun, match=r"its state cannot be kept(.|\n)*Count") as refused, planted(tmp_path, other):
        pass
    assert refused.value.complaints[0].where == "spec.operators, 'total'"

    with planted(tmp_path, Wish(nodes=1, replicas=1, total="mine:since", total_policies=", state: discard")) as plant:
        plant.until("it begins anew", lambda _: TOTAL in breaks(plant.streams()))
        [anew] = breaks(plant.streams())[TOTAL]
        plant.until("it goes on", lambda _: plant.delivered_epoch() >= anew + 4)
    streams = plant.streams()
    check_lines(streams)
    assert breaks(streams) == {TOTAL: [anew]}
    out = delivered(tmp_path / "out")
    assert out == {epoch: rows if epoch < anew else since(epoch, anew) for epoch, rows in expected(max(out)).items()}


def test_what_begins_anew_is_tried_on_the_rows_that_are_there_and_what_has_none_is_found_at_least(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    with planted(tmp_path, Wish(nodes=1, replicas=1)) as plant:
        plant.goes_on()
        uid = plant.run.world.book.wiring.layout.uid

    anew = Wish(nodes=1, replicas=1, total="mine:wrong", total_policies=", state: discard")
    with pytest.raises(CannotRun, match=r"from an empty state, and fails(.|\n)*nothing"), planted(tmp_path, anew):
        pass

    added = ADDED.format(well="mine:since", bad="mine:wrong", reads_what_is_new="mine:nowhere")
    told = resource(tmp_path, Wish(more_operators=added, more_sinks=SHOWN)).encode()
    beside = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    bad, missing = edits.tried(told, uid, Edited(anew=("well", "bad", "last")), beside)
    assert (bad.operator, "nothing" in bad.wrong + bad.detail) == ("bad", True)
    assert (missing.operator, "has no 'nowhere'" in missing.wrong) == ("last", True)


def since(epoch: int, anew: int) -> list[Row]:
    """What `mine:since` gives if its state was empty before."""
    found = []
    for place, key in enumerate(KEYS):
        kept = [(one, 2 * value(one, place)) for one in range(anew, epoch + 1) if value(one, place) % 5 != 0]
        if kept and kept[-1][0] == epoch:
            found.append({"key": key, "sum": len(kept), "rows": sum(double for _, double in kept), "epoch": kept[0][0]})
    return found
