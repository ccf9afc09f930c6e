"""What a stop waits for, in words: who has yet to come to its epoch, and who has failed before it and does not come there as it is.

Why: a stop that lasts looks the same whether it is a moment away or never comes.
Called by: cli.commands.stop.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from levee.control.findings import have_yet
from levee.control.names import ReplicaName
from levee.control.seen import Observation, Status
from levee.topology.names import TaskId
from levee.worlds.local.rows import ReplicaRow, rows_of
from levee.worlds.local.table import RunTable


def rows_in(table: RunTable) -> tuple[ReplicaRow, ...]:
    """As the run itself has heard them last: nobody is asked."""
    return rows_of(table, Observation(workers=tuple(one.left for one in table.workers)))


@dataclass(slots=True)
class Stopping:
    epoch: int | None = None  # None: no source has read the order
    failed: dict[ReplicaName, ReplicaRow] = field(default_factory=dict)  # as they failed, also while they try again
    told: set[str] = field(default_factory=set)

    def news(self, rows: Sequence[ReplicaRow]) -> Iterator[str]:
        self.look(rows)
        for line in self.lines(rows):
            if line not in self.told:
                self.told.add(line)
                yield line

    def look(self, rows: Sequence[ReplicaRow]) -> None:
        reached = reached_in(rows)
        self.failed |= {one.replica: one for one in rows if one.status == Status.FAILED}
        self.failed = {replica: one for replica, one in self.failed.items() if reached[one.task] <= one.epoch}

    def lines(self, rows: Sequence[ReplicaRow]) -> Iterator[str]:
        if self.epoch is None:
            yield "waits until every source has read the order"
            return
        behind = [task for task, epoch in reached_in(rows).items() if epoch < self.epoch]
        if behind:
            yield f"stops after epoch {self.epoch}; {have_yet(behind)} to come there"
        for task in behind:
            mine = [one for one in rows if one.task == task and one.status != Status.IDLE]
            if mine and all(one.replica in self.failed for one in mine):
                yield f"{task} has failed and does not come there as it is: {first_line(self.failed[mine[0].replica])}"
            yield from sorted({f"{task}: {first_line(one)}" for one in rows if one.task == task and self.stands_still(one)})

    def stands_still(self, one: ReplicaRow) -> bool:
        """It has not failed, and says why it does not go on: for want of something that it cannot read, or that has yet to come."""
        return bool(one.error) and one.replica not in self.failed

    def fix(self) -> str:
        if not self.failed:
            return "wait, or end levee run with Ctrl-C"
        workers = "; ".join(f"levee kill replica {replica}" for replica in self.failed)
        return f"mend what levee status says of the failure and start its workers again ({workers}), or end levee run with Ctrl-C"


def first_line(failed: ReplicaRow) -> str:
    return failed.error.strip().partition("\n")[0]


def reached_in(rows: Sequence[ReplicaRow]) -> dict[TaskId, int]:
    found: dict[TaskId, int] = {}
    for one in rows:
        found[one.task] = max(one.epoch, found.get(one.task, 0))
    return found
