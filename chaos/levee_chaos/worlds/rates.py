"""How much each source takes in, by what its replicas say.

Called by: both worlds.
"""

from collections.abc import Iterable, Mapping

from levee.control.names import operator_of
from levee.worlds.local.rows import ReplicaRow
from levee.worlds.local.table import RunTable


def rates_in(table: RunTable, rows: Iterable[ReplicaRow]) -> Mapping[str, float]:
    """Of each task the fastest replica: all of them read the same."""
    fastest = {task.task: 0.0 for task in table.tasks if not task.reads}
    for row in rows:
        if row.task in fastest:
            fastest[row.task] = max(fastest[row.task], row.rows_per_s)
    found: dict[str, float] = {}
    for task, rate in fastest.items():
        found[operator_of(task)] = found.get(operator_of(task), 0.0) + rate
    return found
