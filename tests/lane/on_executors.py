"""Lanes whose rows and state two executors compute, in a process of their own: PySpark knows only one JVM.

Called by: test_lane_executors, which reads what it prints.
"""

import json
import os
import sys
import time
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from levee.topology.executors import Executors
from levee_spark.lane.query import Lane, LaneInput
from levee_spark.lane.trouble import Failed
from levee_spark.spark import executors
from levee_spark.spark.session import open_session
from levee_spark.spark.settings import Size
from tests.lane.cases import CASES, FORKED, FORKED_AT, LAST, rows
from tests.lane.lanes import PERIOD_MS, Inputs, drive

WANTED = Executors.model_validate({"instances": 2, "cores": 1, "memory": "512m"})
HANGS_S = 10.0
QUICK = {"spark.sql.streaming.stateStore.maintenanceInterval": "500ms", "spark.sql.streaming.stateStore.minDeltasForSnapshot": "2"}


def daemons(inputs: Inputs) -> DataFrame:
    """Each executor has one, the worker none."""
    parent = f.udf(lambda _: os.getppid(), "long")
    return inputs["rows"].select(parent("value").alias("daemon"))


def hangs(inputs: Inputs) -> DataFrame:
    def search(value: int) -> int:
        while value >= 0:
            time.sleep(0.1)
        return value

    return inputs["rows"].select(f.udf(lambda value: search(value) + 0, "long")("value").alias("value"))


def main(place: Path) -> None:
    extra = executors.settings_of(WANTED, None, place) | QUICK
    session, jvm = open_session(Size(heap_mib=512), extra, place / "spark.log", executors.home_for(None, place))
    executors.show(session, [place])
    made: list[Lane] = []

    def lane(function: object, name: str) -> Lane:
        found = Lane(session, place / name, place, name, function, (LaneInput("rows"),), limit_s=120, spread=WANTED.slots)  # type: ignore[arg-type]
        made.append(found)
        return found

    told: dict[str, object] = {}
    for name, function in CASES.items():
        first = lane(function, name)
        before = drive(first, range(1, FORKED_AT + 1), rows)
        kept = first.snapshot()
        after = drive(first, range(FORKED_AT + 1, LAST + 1), rows)
        told[name] = [one.digest for one in (*before, *after)]
        if name == FORKED:
            fork = lane(function, f"{name}-fork")
            fork.restore(FORKED_AT, [data for _, data in kept])
            told["fork"] = [one.digest for one in drive(fork, range(FORKED_AT + 1, LAST + 1), rows)]
    found = lane(daemons, "daemons").compute(1, PERIOD_MS, rows(1))
    told["daemons"] = len(set(found.table.column("daemon").to_pylist()))
    stuck = lane(hangs, "hangs")
    stuck.limit_s = HANGS_S
    try:
        stuck.compute(1, PERIOD_MS, rows(1))
    except Failed as failed:
        told["hangs"] = str(failed)
    told["snapshots"] = len(list(place.rglob("*.zip")))
    for one in made:
        one.close()
    print(json.dumps(told))
    session.stop()
    jvm.stop()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
