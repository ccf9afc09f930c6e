"""The boxes of a picture with the replicas of their tasks, and what flows between them.

Called by: `whole`.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from levee.control.names import ReplicaName, operator_of
from levee.control.seen import Status
from levee.page.picture.graph import Box, Graph
from levee.page.picture.values import short, text
from levee.page.picture.view import View
from levee.topology.names import OperatorName, TaskId
from levee.worlds.local.rows import ReplicaRow

TASKS_MAX = 100  # of one box: those that are not well come first
MARKS = ("primary", "secondary", "deliverer", "idle", "starting", "failed")  # the ways in which a replica is drawn
OF_ROLE = {"primary": "primary", "secondary": "secondary", "deliverer": "deliverer", "standby": "idle"}
OF_STATUS = {Status.STARTING.value: "starting", Status.STOPPED.value: "idle"}  # of those that have no role
NOT_THERE = "not there"


def boxes(view: View, rows: Iterable[ReplicaRow]) -> Iterator[dict[str, Any]]:
    """In the order of the graph."""
    replicas = of_tasks(view, rows)
    tasks: dict[OperatorName, list[dict[str, Any]]] = {box.name: [] for box in view.graph.boxes}
    for entry in view.table.tasks:
        tasks.setdefault(operator_of(entry.task), []).append({"task": entry.task, "replicas": replicas[entry.task]})
    for box in view.graph.boxes:
        shown = most_needed(tasks[box.name])
        yield {
            "name": box.name,
            "kind": box.kind,
            "says": text(box.says),
            "rowsPerS": flow(tasks[box.name]),
            "tasks": shown,
            "tasksLeftOut": len(tasks[box.name]) - len(shown),
        }


def of_tasks(view: View, rows: Iterable[ReplicaRow]) -> Mapping[TaskId, list[dict[str, Any]]]:
    """Those that are planned and that nobody has seen come last."""
    found: dict[TaskId, list[dict[str, Any]]] = {entry.task: [] for entry in view.table.tasks}
    active = active_now(view)
    for row in rows:
        found[row.task].append(replica(row, active))
    for task, names in (view.wanted.replicas if view.wanted is not None else {}).items():
        there = {one["replica"] for one in found.get(task, ())}
        found.get(task, []).extend(missing(view, name, active) for name in names if name not in there)
    return found


def active_now(view: View) -> frozenset[ReplicaName] | None:
    """By the plan; None: it is not known."""
    if view.wanted is None or view.seen.configuration is None:
        return None
    return view.wanted.active.get(view.seen.configuration)


def replica(row: ReplicaRow, active: frozenset[ReplicaName] | None) -> dict[str, Any]:
    return {
        "replica": row.replica,
        "node": row.node,
        "role": row.role,
        "status": row.status,
        "mark": OF_ROLE.get(row.role) or OF_STATUS.get(row.status, "failed"),
        "active": None if active is None else row.replica in active,
        "epoch": row.epoch,
        "lagEpochs": row.lag_epochs,
        "rowsPerS": short(row.rows_per_s),
        "attempt": row.attempt,
        "error": text(row.error),
    }


def missing(view: View, name: ReplicaName, active: frozenset[ReplicaName] | None) -> dict[str, Any]:
    """Before the first epoch is due nobody is missed."""
    nothing = dict.fromkeys(("epoch", "lagEpochs", "rowsPerS", "attempt"))
    told = {"replica": name, "node": "", "role": "none", "status": NOT_THERE, "mark": "failed" if view.seen.anchored else "starting"}
    return {**told, "active": None if active is None else name in active, **nothing, "error": ""}


def most_needed(tasks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """In their order, where all of them have room."""
    if len(tasks) <= TASKS_MAX:
        return list(tasks)
    return sorted(tasks, key=lambda task: all(one["mark"] != "failed" for one in task["replicas"]))[:TASKS_MAX]


def flow(tasks: Iterable[dict[str, Any]]) -> float | None:
    """All replicas of a task emit the same rows; whoever starts or has failed emits none."""
    told = [[one["rowsPerS"] for one in task["replicas"] if one["rowsPerS"] is not None] for task in tasks]
    return short(sum(max(rates) for rates in told if rates)) if any(told) else None


def streams(graph: Graph) -> Iterator[dict[str, Any]]:
    """One for each that reads; its rate is that of who emits it."""
    of_name: dict[OperatorName, Box] = {box.name: box for box in graph.boxes}
    for line in graph.lines:
        origin = of_name[line.origin]
        late = origin.late.value if origin.late is not None else None
        told = {"from": line.origin, "to": line.to, "partitioning": line.partitioning, "columns": [text(one) for one in line.columns]}
        yield {**told, "late": late, "lanes": list(origin.lanes)}
