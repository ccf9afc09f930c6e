"""Whose stream it is that a source imports: found once, by name or by UID, and written down for good.

Why: a topology that is made again under its name has other streams (rule 9); a source that went on with those would repeat rows, or skip
them. And while the exporter is not there yet, people must be told so.
Called by: `ingest.importing`, controllers before they start a topology that imports (mapped); `imports`.
"""

from dataclasses import dataclass, replace

from levee.topology.complaint import Complaint
from levee.topology.names import TaskId
from levee_spark.log import ask, floor, head
from levee_spark.log.control import ControlView
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Script
from levee_spark.log.values import Floor, Imported


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
    for task in tasks:
        oldest = (yield from floor.latest(layout, task, Floor(0, 0))).epoch
        if not (yield from head.is_there(layout, task, max(1, oldest))):
            return Waiting(f"{wanted.topology} has no epoch of '{wanted.stream}' yet")
    if not tasks:
        return Waiting(f"{wanted.topology} has not begun yet")
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
    """Those that emit the stream; none: its topology has not begun."""
    view = ControlView(layout)
    yield from view.begin_at_the_end()
    yield from view.refresh()
    if not view.records:
        return ()
    there = {TaskId(replica.rpartition("/")[0]) for replica, _ in view.newest().live.ranks}
    mine = [task for task in there if task.rpartition("/")[0] == wanted.stream]
    if there and not mine:
        known = sorted({task.rpartition("/")[0] for task in there})
        wrong = f"imports '{wanted.stream}', which {wanted.topology} does not emit"
        raise CannotImport(f"source '{wanted.source}'", wrong, f"use one of {', '.join(known)}")
    return tuple(sorted(mine, key=lambda task: int(task.rpartition("/")[2])))


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
