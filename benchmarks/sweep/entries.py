"""What the forked processes are: the operator as it is, and a worker as it is but for what computes.

Why: faults wrap, and production never asks whether it is a test. Here the modules that put an operator or a worker together are given a
store that asks first; besides, plans are made in the operator's own process, and operators of the topology are computed without Spark.
Called by: nursery, in a child of its own.
"""

import os
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.lifecycle.stub import PlannerHere
from benchmarks.sweep.lines import GatedBlobs, Line
from benchmarks.sweep.plain import Plain
from benchmarks.sweep.points import Kind
from levee.serve import access, app
from levee.serve import planning as _planning
from levee_spark.store.address import open_store
from levee_spark.store.blobs import Blobs
from levee_spark.worker import main as worker
from levee_spark.worker import replica as replicas
from levee_spark.worker import serve as telling
from levee_spark.worker import wiring
from levee_spark.worker.assembly import Parts, Work, end, work_of
from levee_spark.worker.order import ReplicaName
from levee_spark.worker.status import Status

POLL_MS = 25  # a directory is asked for the next epoch so often, instead of two hundred times a second: there are many lives
IMPORTED = (_planning,)  # so that no child has to


def operator(told: Mapping[str, Any]) -> None:
    os.environ.update(told["environment"])
    vars(access).update(open_store=partial(opened, Line(Path(told["gate"]), Kind.STORE)))
    vars(app).update(Planner=PlannerHere)
    app.serve(app.Settings.read())


def worker_of(told: Mapping[str, Any]) -> None:
    """`told`: its order, as the pod has it."""
    vars(worker).update(open_store=partial(opened, Line(Path(told["gate"]), Kind.WORKER)), needs_spark=lambda *_: False)
    vars(wiring).update(POLL_LOCAL_MS=POLL_MS)
    vars(replicas).update(work_of=plain_work_of, end=end_plain)
    vars(telling).update(of_replica=partial(said, Path(told["rate"]), telling.of_replica))
    os.environ[worker.ORDER] = told["order"]
    worker.main([])


def opened(line: Line, uri: str, **more: Any) -> Blobs:
    return GatedBlobs(open_store(uri, **more), line)


def plain_work_of(parts: Parts, name: ReplicaName, function_name: str, run: int, tell: Any) -> Work:
    task = parts.task(name)
    return work_of(parts, name, function_name, run, tell) if task.is_source or task.sink else Plain.of(function_name)


def end_plain(work: Work) -> None:
    if not isinstance(work, Plain):
        end(work)


def said(rate: Path, tell: Any, one: Status) -> dict[str, Any]:
    """Sources say that they are offered what the file says: rows stay what they are, whatever the rate."""
    found: dict[str, Any] = tell(one)
    if one.operator == "numbers" and found["rows_per_s"]:
        found |= dict.fromkeys(("rows_per_s", "offered_per_s"), float(rate.read_text(encoding="ascii")))
    return found


ENTRIES = {"operator": operator, "worker": worker_of}
