"""Whose stream it is that a source imports: found once, by name or by UID, and written down for good.

Why: a topology that is made again under its name has other streams (rule 9); a source that went on with those would repeat rows, or skip
them. And while the exporter is not there yet, people must be told so.
Called by: `ingest.importing`, controllers before they start a topology that imports (mapped); `imports`.
"""

import json
from dataclasses import dataclass, replace

from levee.topology.complaint import Complaint
from levee.topology.names import OperatorName, TaskId, task_id
from levee_spark.log import ask, floor, head
from levee_spark.log.control import FIRST, ControlView
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Script
from levee_spark.log.values import ChangeEpoch, ControlRecord, Floor, Imported


class CannotImport(Exception):
    """It will not work until somebody changes something."""

    def __init__(self, where: str, wrong: str, fix: str) -> None:
        super().__init__(f"{where}: {wrong}\n  Fix: {fix}")
        self.complaint = Complaint(where, wrong, fix)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why it cannot begin yet, for people."""

    why: str


def mapped(own: Layout, wanted: Imported) -> Script[Imported | Waiting]:
    """`wanted`: as the topology says it, without the UID where that is to be found. What was found first holds for good."""
    known = yield from ask.read(own.imported(wanted.source), Imported)
    if known is not None:
        return agreed(known, wanted)
    uid = wanted.uid or (yield from uid_of(wanted))
    if not uid:
        return Waiting(f"there is no topology {wanted.topology} in this store yet")
    layout = Layout(wanted.topology, uid)
    tasks = yield from tasks_of(layout, wanted)
    if not tasks:
        return Waiting(f"{wanted.topology} has not begun yet")
    for task in tasks:
        oldest = (yield from floor.latest(layout, task, Floor(0, 0))).epoch
        if (yield from head.is_there(layout, task, max(1, oldest))):
            break
    else:
        return Waiting(f"{wanted.topology} has no epoch of '{wanted.stream}' yet")
    return agreed((yield from ask.agree(own.imported(wanted.source), replace(wanted, uid=uid), Imported)), wanted)


def agreed(known: Imported, wanted: Imported) -> Imported:
    same = (known.topology, known.stream) == (wanted.topology, wanted.stream) and wanted.uid in {"", known.uid}
    if not same:
        of = f"'{known.stream}' of {known.topology} (uid {known.uid})"
        now = f"'{wanted.stream}' of {wanted.topology}" + (f" (uid {wanted.uid})" if wanted.uid else "")
        wrong = f"has begun with {of}, and now names {now}: that is another stream"
        raise CannotImport(f"source '{wanted.source}'", wrong, "put it back, or make a new topology for the other stream")
    return known


def uid_of(wanted: Imported) -> Script[str]:
    """Of the one topology of that name in the store; empty: there is none."""
    found: list[str] = []
    after = ""
    while page := (yield from ask.page_of(wanted.topology, after, 1)):
        name, below, _ = page[0].removeprefix(f"{wanted.topology}/").partition("/")
        found.append(name)
        after = f"{wanted.topology}/{name}" + ("0" if below else "")  # "0" follows "/"
    if len(found) > 1:
        wrong = f"imports from {wanted.topology}, and the store holds several of that name: {', '.join(found)}"
        raise CannotImport(f"source '{wanted.source}'", wrong, "write import.uid: one of them (levee status -o json says a run's)")
    return found[0] if found else ""


def tasks_of(layout: Layout, wanted: Imported) -> Script[tuple[TaskId, ...]]:
    """Those that emit the stream now; none: its topology has not begun."""
    view = ControlView(layout)
    yield from view.begin_at_the_end()
    yield from view.refresh()
    if not view.records:
        return ()
    there = streams_in(view.newest())
    if there and wanted.stream not in there:
        wrong = f"imports '{wanted.stream}', which {wanted.topology} does not emit"
        raise CannotImport(f"source '{wanted.source}'", wrong, f"use one of {', '.join(sorted(there))}")
    return there.get(wanted.stream, ())


def streams_in(record: ControlRecord) -> dict[OperatorName, tuple[TaskId, ...]]:
    """What a topology emits, and by which tasks: as its graph is drawn, or, where it only has a name, by whose replicas are active."""
    if record.shape.graph.startswith("{"):
        told = json.loads(record.shape.graph)
        widths: dict[str, int] = told["sources"] | {name: part[0] for name, part in told["operators"].items()}
        return {OperatorName(name): tuple(task_id(OperatorName(name), index) for index in range(width)) for name, width in widths.items()}
    found: dict[OperatorName, set[TaskId]] = {}
    for replica, _ in record.live.ranks:
        task = TaskId(replica.rpartition("/")[0])
        found.setdefault(OperatorName(task.rpartition("/")[0]), set()).add(task)
    return {name: tuple(sorted(tasks, key=lambda task: int(task.rpartition("/")[2]))) for name, tasks in found.items()}


@dataclass(slots=True)
class Widths:
    """Which tasks emit a stream at an epoch: that may change, from one epoch on for all (rule 6)."""

    layout: Layout
    stream: OperatorName
    position: int = 0  # that the epochs asked for last carry
    until: int | None = None  # and up to where the same holds, if they go on to carry it

    def is_known(self, epoch: int, position: int) -> bool:
        return position == self.position and (self.until is None or epoch < self.until)

    def at(self, epoch: int, position: int, tasks: tuple[TaskId, ...]) -> Script[tuple[TaskId, ...] | None]:
        """`tasks`, where nothing is drawn. None: what its topology has decided is not yet known to hold there, or not to."""
        until: int | None = None
        record = yield from ask.read(self.layout.control(position), ControlRecord)
        while record is not None and record.shape_number > FIRST:
            change = yield from ask.read(self.layout.change(record.shape_number), ChangeEpoch)
            if change is None:
                return None
            if change.epoch <= epoch:
                break
            until, record = change.epoch, (yield from ask.read(self.layout.control(record.shape_number - 1), ControlRecord))
        self.position, self.until = position, until
        is_drawn = record is not None and record.shape.graph.startswith("{")
        return streams_in(record).get(self.stream) if record is not None and is_drawn else tasks


def stands_still(layout: Layout, imported: Imported, epoch: int) -> Script[str]:
    """Why nothing follows an epoch, as far as that can be seen from here; for people."""
    view = ControlView(layout)
    yield from view.begin_at_the_end()
    yield from view.refresh()
    after = f"{imported.topology} has no epoch of '{imported.stream}' after {epoch}"
    if not view.records:
        return f"{after}: its data are gone"
    number = view.stop_number()
    return f"{after}: it was stopped ({view.records[number].reason or 'no reason is known'})" if number is not None else f"{after} yet"
