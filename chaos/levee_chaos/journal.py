"""What is about to be done and how it is undone, as lines; and what of it stands.

Why: it is written before anything is done, so whoever survives knows what to undo: the experiment itself, or the dead man's process when
the experiment was killed. Doing and undoing follow from these lines alone, so both may be told twice and happen once.
Called by: keeping, which has the file; inflicting, deadman and probes.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from levee.worlds.local.processes import Process
from levee_chaos.fault import Kind


@dataclass(frozen=True, slots=True)
class Undo:
    """A word of a world, and what that world needs to do it, as JSON: whoever reads it knows nothing else of the experiment."""

    world: str  # local | kubernetes
    do: str
    how: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Entry:
    name: str  # follows from the kind and from whom it meets: the same again is the same fault
    kind: Kind
    what: str  # for people
    by: Process  # the experiment: when it is gone, the dead man undoes
    undo: Undo | None  # None: whoever runs the topology repairs it
    until_ms: int | None = None  # by this machine's monotonic clock; None: as long as the experiment
    share: float = 0.0  # of the time that the dead man's process has it stand still

    @property
    def lasts(self) -> bool:
        return self.undo is not None


class Step(StrEnum):
    BEGUN = "begun"  # written before anything is done
    DONE = "done"  # its effect was seen
    UNDONE = "undone"
    FAILED = "failed"  # its effect was not seen: undone as well


@dataclass(frozen=True, slots=True)
class Line:
    step: Step
    name: str
    at_utc_ms: int
    entry: Entry | None = None  # of BEGUN; of DONE, with the time when it ends
    why: str = ""  # of UNDONE and FAILED


def standing(lines: Iterable[Line]) -> dict[str, Entry]:
    """What was begun and must still be undone, in that order. Begun is enough: perhaps it was done before anybody could say so."""
    found: dict[str, Entry] = {}
    for line in lines:
        if line.entry is not None and line.entry.lasts:
            found[line.name] = line.entry
        elif line.step in {Step.UNDONE, Step.FAILED}:
            found.pop(line.name, None)
    return found


def due(entries: Mapping[str, Entry], now_ms: int, lives: Callable[[Process], bool]) -> Iterator[tuple[Entry, str]]:
    """What the dead man undoes now, and why."""
    for entry in entries.values():
        if not lives(entry.by):
            yield entry, "the experiment's process is gone"
        elif entry.until_ms is not None and entry.until_ms <= now_ms:
            yield entry, "its time is over"


def done(lines: Iterable[Line]) -> list[Line]:
    """The faults that have happened."""
    return [line for line in lines if line.step is Step.DONE]


# ---- as text, one line each


def written(line: Line) -> str:
    value: dict[str, Any] = {"step": line.step, "name": line.name, "atUtcMs": line.at_utc_ms}
    if line.entry is not None:
        value["entry"] = entry_document(line.entry)
    if line.why:
        value["why"] = line.why
    return json.dumps(value) + "\n"


def read(text: str) -> list[Line]:
    """A last line without its end was never written whole, so nothing of it was done."""
    return [line_of(json.loads(one)) for one in text.split("\n")[:-1] if one]


def line_of(value: Mapping[str, Any]) -> Line:
    entry = entry_of(value["name"], value["entry"]) if "entry" in value else None
    return Line(Step(value["step"]), value["name"], value["atUtcMs"], entry, value.get("why", ""))


def entry_document(entry: Entry) -> dict[str, Any]:
    by, undo = [entry.by.pid, entry.by.started], None if entry.undo is None else asdict(entry.undo)
    return {"kind": entry.kind, "what": entry.what, "by": by, "undo": undo, "untilMs": entry.until_ms, "share": entry.share}


def entry_of(name: str, value: Mapping[str, Any]) -> Entry:
    undo = None if value["undo"] is None else Undo(**value["undo"])
    return Entry(name, Kind(value["kind"]), value["what"], Process(*value["by"]), undo, value["untilMs"], value["share"])
