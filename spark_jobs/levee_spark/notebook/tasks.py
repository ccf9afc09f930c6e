"""Which task a folder of a store is of, and which stream a task is of.

Called by: `look`, `rows`.
"""

import re

from levee.topology.names import TaskId
from levee_spark.log.keys import segment

TASK = re.compile(r"(?P<operator>.+)\.(?P<index>\d+)~[0-9a-f]+\Z")  # the folder of a task, as `keys.segment` names it


def operator_of(task: TaskId) -> str:
    return task.rpartition("/")[0]


def task_of(folder: str) -> TaskId | None:
    """None: no task's, or one whose name is too long to be kept in it."""
    found = TASK.match(folder)
    task = TaskId(f"{found['operator']}/{found['index']}") if found else None
    return task if task is not None and segment(task) == folder else None
