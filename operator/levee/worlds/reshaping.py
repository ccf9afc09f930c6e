"""Another graph for streams that are there: what is added and removed, whether it can be, and where it begins.

Why: a graph changes while all tasks stand at the last epoch of a stop, for all of them with the epoch after it: so no task ever meets the
epochs of two graphs, what is removed has its last epoch, and what is added its first. Both worlds ask here before they write the record,
and what cannot be is refused with what to do instead, before anything has changed.
Called by: the local world's `opening`; serve, when a topology with another graph is resumed, or is to stop for it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from levee.control.names import task_of
from levee.control.wanted import Wanted
from levee.topology import drawing
from levee.topology.complaint import Complaint
from levee.topology.drawing import Difference, Drawing
from levee.topology.names import OperatorName, TaskId
from levee.worlds.local.book import Book
from levee_spark.log import ask, head, publish, rest
from levee_spark.log.requests import Script
from levee_spark.log.values import ControlRecord, PublishedCheckpoint

WHERE = "spec.operators"
NAMES_SHOWN = 5
SCATTERED = "rows of a key may reach another task than before (by parallelism, or by how it reads), and its state cannot follow them"
STAY = "say `state: discard`, and it begins with an empty state; or leave its parallelism and the partitionBy of its inputs as they were"


@dataclass(frozen=True, slots=True)
class Ways:
    """What people do in one world or the other."""

    to_rest: str  # "run it as it was, end that with `levee stop`, and ..."
    anew: str  # "name another --directory: that begins new streams"


def is_other(record: ControlRecord | None, wanted: Wanted) -> bool:
    return record is not None and record.shape.graph != wanted.shape.graph


def is_drawn_otherwise(record: ControlRecord, wanted: Wanted) -> bool:
    """For whoever knows by its plan that the graph is the same, whatever an early version has noted."""
    return is_other(record, wanted) and drawing.read(record.shape.graph) is not None


def complaints(book: Book, record: ControlRecord, wanted: Wanted, ways: Ways, *, at_rest: bool = True) -> Iterator[Complaint]:
    """Why these streams cannot go on with the wanted graph; nothing: `begin` may follow, and then the record.

    Asked while they run: why they could not if they stopped now.
    """
    before, after = drawing.read(record.shape.graph), drawing.read(wanted.shape.graph)
    if before is None or after is None:
        yield Complaint(WHERE, "an early version of Levee has made these streams, and did not note their graph", ways.anew)
        return
    found = drawing.difference(before, after)
    yield from of_names(before, after, found)
    if not at_rest:
        yield from of_states(book, before, found, wanted, None)
        return
    epoch = resting(book, record, before)
    if epoch is None:
        yield Complaint(WHERE, "the graph is another one, and its tasks do not stand at one epoch yet", ways.to_rest)
        return
    left = behind(book, before, epoch)
    if left:
        yield Complaint(WHERE, f"the graph is another one, and {told(left)} has not come to epoch {epoch}, where all stop", ways.to_rest)
    else:
        yield from of_states(book, before, found, wanted, epoch)


def begin(book: Book, record: ControlRecord, wanted: Wanted) -> int:
    """What is added is put where all stand; from the record on, which follows, it is like all the others. The epoch they stand at."""
    before, after = drawing.read(record.shape.graph), drawing.read(wanted.shape.graph)
    assert before is not None and after is not None, "it was checked"
    epoch = resting(book, record, before)
    assert epoch is not None, "it was checked"
    for task in sorted(drawing.difference(before, after).added):
        book.carry_out(rest.begin(book.wiring.layout, book.wiring.tasks[task], epoch, record.number))
    return epoch


def rewired(record: ControlRecord | None, wanted: Wanted) -> frozenset[OperatorName]:
    """Operators that read something else than in the record's graph, or in another number of tasks."""
    if record is None:
        return frozenset()
    return drawing.touched(record.shape.graph, wanted.shape.graph) & {name for name, _ in wanted.shape.functions}


# ---- may it be


def of_names(before: Drawing, after: Drawing, found: Difference) -> Iterator[Complaint]:
    for name in sorted(found.resized):
        widths = f"{before.sources[name]} before, {after.sources[name]} now"
        wrong = f"another parallelism ({widths}), and each task has read up to a place of its own"
        yield Complaint(f"spec.sources, '{name}'", wrong, "put it back, or give the source another name: that one reads from its beginning")
    for name in sorted(found.turned):
        wrong = f"was one of the {drawing.kind(before, name)}, and is one of the {drawing.kind(after, name)}"
        yield Complaint("spec", f"'{name}' {wrong}", "give it another name")


def of_states(book: Book, before: Drawing, found: Difference, wanted: Wanted, epoch: int | None) -> Iterator[Complaint]:
    """A state stands in the task whose rows have made it. None: by what each has published last."""
    tasks = before.tasks()
    for name in sorted(found.scattered - wanted.discards):
        if any(book.carry_out(keeps_state(book, task, epoch)) for task in tasks[name]):
            yield Complaint(f"{WHERE}, '{name}'", SCATTERED, STAY)


def keeps_state(book: Book, task: TaskId, epoch: int | None) -> Script[bool]:
    """A lane without any publishes one file, which says only where it stands."""
    if epoch is None:
        epoch = yield from publish.latest(book.wiring.layout, task)
    if epoch == 0:
        return False
    found = yield from ask.read(book.wiring.layout.checkpoint(task, epoch), PublishedCheckpoint)
    return found is not None and len(found.files) > 1


# ---- where do all stand


def resting(book: Book, record: ControlRecord, before: Drawing) -> int | None:
    """The last epoch of the stop that is the last word; 0 where no source was ever told to begin; None: they do not stand."""
    if record.shape.stopped and (epoch := book.stop_epoch()) is not None:
        return epoch
    sources = {task for name in before.sources for task in before.tasks()[name]}
    active = {task_of(replica) for replica, _ in record.live.ranks}  # type: ignore[arg-type]  # records know no other words
    begun = any(book.carry_out(head.find(book.wiring.layout, task)) is not None for task in sorted(sources))
    return None if begun or sources & active else 0


def behind(book: Book, before: Drawing, epoch: int) -> tuple[TaskId, ...]:
    tasks = before.tasks()
    sources = [task for name in before.sources for task in tasks[name]]
    others = [task for name in (*before.operators, *before.sinks) for task in tasks[name]]
    return book.carry_out(rest.lacking(book.wiring.layout, sources, others, epoch))


def told(tasks: Iterable[TaskId]) -> str:
    names = sorted(tasks)
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    return ", ".join(names[:NAMES_SHOWN]) + more
