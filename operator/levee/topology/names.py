"""The names that keep one kind of string from being taken for another.

Why: a node, a task and an operator are all text; the type checker should know them apart.
Called by: everything that speaks of a topology.
"""

from typing import NewType

OperatorName = NewType("OperatorName", str)  # a source, an operator or a sink; also names the stream it emits
TaskId = NewType("TaskId", str)  # "vwap/0"
NodeName = NewType("NodeName", str)
ZoneName = NewType("ZoneName", str)
ConfigurationName = NewType("ConfigurationName", str)


def task_id(operator: OperatorName, index: int) -> TaskId:
    return TaskId(f"{operator}/{index}")
