"""What became of epochs under a fault: lost, changed, or given up by their stream's own policy.

Why: none of the first two is ever promised away, whatever the plan.
Called by: weighing.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from levee.topology.names import TaskId
from levee_spark.log.digest import lineage
from levee_spark.log.values import Kind, Manifest


@dataclass(frozen=True, slots=True)
class Harm:
    lost: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    given_up: int = 0  # sealed as skipped or failed, by their stream's own policy

    @property
    def texts(self) -> tuple[str, ...]:
        return (*self.lost, *self.changed)


def harm(before: Mapping[TaskId, Mapping[int, Manifest]], after: Mapping[TaskId, Mapping[int, Manifest]]) -> Harm:
    """`before`: the newest epochs when the fault came; `after`: from the first of these on. What was trimmed meanwhile is in neither."""
    lost = [f"{task}: epoch {epoch} is lost" for task, line in after.items() for epoch in missing(before.get(task, {}), line)]
    changed = [f"{task}: {text}" for task, line in after.items() for text in changes(before.get(task, {}), line)]
    news = [one for task, line in after.items() for epoch, one in line.items() if epoch not in before.get(task, {})]
    return Harm(tuple(lost), tuple(changed), sum(one.kind is not Kind.FINAL for one in news))


def missing(before: Mapping[int, Manifest], after: Mapping[int, Manifest]) -> list[int]:
    first = min(after, default=max(before, default=0) + 1)
    known = {epoch for epoch in before if epoch >= first}
    return sorted((known | set(range(first, max(after, default=0) + 1))) - after.keys())


def changes(before: Mapping[int, Manifest], after: Mapping[int, Manifest]) -> Iterator[str]:
    for epoch, one in sorted(after.items()):
        known, last = before.get(epoch), after.get(epoch - 1)
        if known is not None and (known.digest, known.lineage, known.kind) != (one.digest, one.lineage, one.kind):
            yield f"epoch {epoch} is another one: {known.digest} before, {one.digest} now"
        elif last is not None and one.lineage != lineage(last.lineage, one.digest):
            yield f"epoch {epoch} does not continue epoch {epoch - 1}"
        elif one.rebased and known is None:
            yield f"epoch {epoch} goes on from another state than that of the epoch before"
