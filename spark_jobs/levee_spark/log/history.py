"""What a stream has become: its manifests one after another, and what is wrong with them, if anything.

Why: after every fault the same question is asked: is each stream dense, and one line from the first of these epochs to the last?
Called by: levee_chaos, and the tests of faults.
"""

from collections.abc import Iterator, Sequence

from levee.topology.names import TaskId
from levee_spark.log import ask, head
from levee_spark.log.digest import lineage
from levee_spark.log.keys import Layout, numbered
from levee_spark.log.requests import Script
from levee_spark.log.values import Kind, Manifest


def manifests(layout: Layout, task: TaskId, after: int = 0) -> Script[tuple[Manifest, ...]]:
    """Of all epochs after one, in order; of those that are trimmed meanwhile none.

    A listing may pass over what is written while it is made, and show what came after it: what is not listed is asked for.
    """
    listed = [numbered(name) for name in (yield from ask.names(layout.epochs(task), layout.epoch(task, after) if after else ""))]
    found = []
    for epoch in range(min(listed), max(listed) + 1) if listed else ():
        manifest = yield from head.manifest_at(layout, task, epoch)
        if manifest is not None:
            found.append(manifest)
    return tuple(found)


def newest(layout: Layout, task: TaskId, most: int) -> Script[tuple[Manifest, ...]]:
    last = yield from head.find(layout, task)
    return (yield from manifests(layout, task, max(0, last.epoch - most))) if last is not None else ()


def complaints(line: Sequence[Manifest]) -> Iterator[str]:
    """Of epochs that follow each other: what is missing, what does not continue the one before, and whose rows were given up."""
    for before, one in zip((None, *line), line, strict=False):
        if before is not None and one.epoch != before.epoch + 1:
            yield f"epochs {before.epoch + 1} to {one.epoch - 1} are missing"
        elif before is not None and one.lineage != lineage(before.lineage, one.digest):
            yield f"epoch {one.epoch} does not continue epoch {before.epoch}"
        if one.rebased:
            yield f"epoch {one.epoch} goes on from another state than that of the epoch before"
        if one.kind is not Kind.FINAL:
            yield f"epoch {one.epoch} was sealed as {one.kind.value}: its rows are lost"
