"""Of what tasks of a query have died that is still at work.

Why: an executor's task that fails is tried again on another, four times in all, and only then the query says why. One whose function hangs
would say so after four times its limit, when its lane has long given it up.
Called by: query, when it gives up.
"""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

TASKS_MAX = 1_000


def errors(session: SparkSession, query: StreamingQuery) -> Iterator[str]:
    """As Spark's own pages would show them."""
    store: Any = session.sparkContext._jsc.sc().statusStore()  # noqa: SLF001
    tracker = session.sparkContext.statusTracker()
    for job in tracker.getJobIdsForGroup(str(query.runId)):
        info = tracker.getJobInfo(job)
        for stage in info.stageIds if info is not None else ():
            tasks = store.taskList(stage, 0, TASKS_MAX)
            found = (tasks.apply(place).errorMessage() for place in range(tasks.size()))
            yield from (str(one.get()) for one in found if one.isDefined())
