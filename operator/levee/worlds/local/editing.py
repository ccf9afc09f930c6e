"""What a topology that is run again has changed: functions, inputs, and what becomes of their states.

Why: an edit that cannot go on with the state that is there is refused before anything has changed, and what was in force stays.
Called by: opening.
"""

from collections.abc import Iterator, Mapping

from levee.control.wanted import Wanted
from levee.topology.complaint import Complaint
from levee.worlds import reshaping
from levee_spark.check import edits
from levee_spark.check.edits import Edited
from levee_spark.check.finding import Finding
from levee_spark.check.running import Broken
from levee_spark.log.values import ControlRecord


def edited(record: ControlRecord | None, wanted: Wanted) -> Edited:
    """Operators whose streams were made by another function, or from other inputs, or that are new."""
    if record is None:
        return Edited()
    before, rewired = dict(record.shape.functions), reshaping.rewired(record, wanted)
    changed = [name for name, function in wanted.shape.functions if before.get(name) != function or name in rewired]
    anew = {name for name in changed if name in wanted.discards or name not in before}
    return Edited(tuple(name for name in changed if name not in anew), tuple(name for name in changed if name in anew))


def complaints(resource: bytes, uid: str, operators: Edited, environment: Mapping[str, str]) -> Iterator[Complaint]:
    if not operators.all:
        return
    try:
        found = edits.tried(resource, uid, operators, environment)
    except Broken as broken:
        yield untried(str(broken))
        return
    yield from (complaint(one, operators) for one in found)


def untried(why: str) -> Complaint:
    return Complaint("spec.operators", f"the new functions could not be tried: {why}", "see what it says, and run it again")


def complaint(found: Finding, operators: Edited) -> Complaint:
    kept = found.operator in operators.kept
    tried = "on the state that is there, and does not go on with it" if kept else "from an empty state, and fails"
    wrong = "\n".join([f"the new function was tried {tried}: {found.wrong}", found.detail])
    return Complaint(f"spec.operators, '{found.operator}'", wrong.rstrip(), found.fix)
