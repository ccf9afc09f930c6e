"""What has become of the rows that an operator reads: processed in time, late, or lost.

Why: a promise of completeness is kept by rows that are processed in time, whatever else is well. Whoever commits an epoch knows when, so it
counts the epoch's rows, and nobody else does: the counts of all replicas together have each row once.
Called by: replica, with what its role asks for and reports.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from levee.topology.names import TaskId
from levee.topology.spec import Spec
from levee.topology.timing import deadline_s
from levee_spark.log.requests import Answer, Compute, Raised, Report
from levee_spark.log.values import Kind
from levee_spark.log.wiring import TaskWiring, Wiring


@dataclass(slots=True)
class Processed:
    """Rows that were read, by what became of their epochs."""

    epochs: int = 0
    in_time: int = 0
    late: int = 0
    lost: int = 0  # the stream goes on without what would have come of them


@dataclass(frozen=True, slots=True)
class Read:
    epoch: int
    rows: int
    due_ms: int  # by the store's clock; 0: nobody knows
    dropped: bool


@dataclass(slots=True)
class Judge:
    allowed_ms: int  # from when an epoch is due until it is late here
    sharing: tuple[int, ...] = ()  # by input: the tasks of the operator among which its rows are divided; none: it has all to itself
    processed: Processed = field(default_factory=Processed)
    read: Read | None = None  # what is under way
    judged: int = 0  # the last epoch that was counted: what is replayed from a checkpoint counts no second time

    def computed(self, asked: Compute, answer: Answer) -> None:
        sharing = self.sharing or (1,) * len(asked.inputs)
        rows = round(sum(one.manifest.rows / among for one, among in zip(asked.inputs, sharing, strict=True)))
        due_ms = max((one.manifest.time_ms for one in asked.inputs), default=0)
        self.read = Read(asked.epoch, rows, due_ms, asked.dropped or isinstance(answer, Raised))

    def ended(self, report: Report, now_ms: int | None, *, leads: bool) -> None:
        """`now_ms`: the least that it can be by the store's clock. What somebody else has sealed is counted by the first of the ranks."""
        read = self.read
        if read is None or read.epoch != report.epoch or read.epoch <= self.judged:
            return
        skipped = report.what == "lost" and report.detail == Kind.SKIPPED
        if report.what == "won" or (skipped and leads):
            self.judged = read.epoch
            self.count(read, now_ms, lost=skipped or read.dropped)

    def count(self, read: Read, now_ms: int | None, *, lost: bool) -> None:
        processed = self.processed
        processed.epochs += 1
        if lost:
            processed.lost += read.rows
        elif read.due_ms and now_ms is not None and now_ms > read.due_ms + self.allowed_ms:
            processed.late += read.rows
        else:
            processed.in_time += read.rows


def allowed_ms(wiring: Wiring, spec: Spec) -> Mapping[TaskId, int]:
    """By task: the deadlines of all that lie on the longest way from a source to it, its own included."""
    deadlines = {one.name: round(1000 * deadline_s(spec, one.deadline)) for one in (*spec.sources, *spec.operators)}
    found: dict[TaskId, int] = {}
    for task, wired in wiring.tasks.items():  # whoever is read stands before who reads
        found[task] = deadlines.get(wired.operator, 0) + max((found[one] for one in wired.inputs), default=0)
    return found


def sharing(wiring: Wiring, task: TaskWiring) -> tuple[int, ...]:
    """What several tasks of an operator read they divide among them, about equally."""
    readers = [one.inputs for one in wiring.tasks.values() if one.operator == task.operator]
    return tuple(sum(producer in inputs for inputs in readers) for producer in task.inputs)
