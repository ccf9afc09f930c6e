"""What people read of an experiment: its phase, why, numbers and conditions.

Why: pure, so that each sentence that kubectl shows is a test; and only what has changed is written.
Called by: turning.
"""

from collections.abc import Mapping
from typing import Any

from levee.experiments.status import Phase
from levee.serve.experiments.actions import Say

MESSAGE_MAX = 4_000
Status = Mapping[str, Any]


def fields(said: Say, before: Status, generation: int, now: str) -> dict[str, Any]:
    """All of it, as it is to be."""
    told = {**before, **said.more, "observedGeneration": generation}
    told |= {"phase": said.phase.value, "reason": said.reason, "message": said.message[:MESSAGE_MAX]}
    return told | {"conditions": conditions(told, before, generation, now)}


def changed(before: Status, now: Status) -> dict[str, Any]:
    """A null takes away what is there."""
    return {name: value for name, value in now.items() if before.get(name) != value}


def conditions(told: Status, before: Status, generation: int, now: str) -> list[dict[str, Any]]:
    known = {one["type"]: one for one in before.get("conditions") or ()}
    found = []
    for kind, status, reason, message in said(told):
        same = known.get(kind, {}).get("status") == status
        since = known[kind]["lastTransitionTime"] if same else now
        one = {"type": kind, "status": status, "reason": reason, "message": message}
        found.append(one | {"lastTransitionTime": since, "observedGeneration": generation})
    return found


def said(told: Status) -> list[tuple[str, str, str, str]]:
    phase, reason, message = Phase(told["phase"]), str(told["reason"]), str(told["message"])
    refused = phase is Phase.REFUSED
    accepted = ("Accepted", "False", reason, message) if refused else ("Accepted", "True", "Valid", "it may be done")
    complete = ("Complete", "True" if phase.is_final else "False", reason, message)
    return [accepted, complete, passed(phase, reason, message), undone(told, phase)]


def passed(phase: Phase, reason: str, message: str) -> tuple[str, str, str, str]:
    match phase:
        case Phase.PASSED:
            return "Passed", "True", reason, message
        case Phase.FAILED:
            return "Passed", "False", reason, message
        case _:
            return "Passed", "Unknown", reason, message


def undone(told: Status, phase: Phase) -> tuple[str, str, str, str]:
    if phase is Phase.PENDING or (phase is Phase.REFUSED and told.get("undone")):
        return "Undone", "True", "NothingDone", "nothing was done"
    if told.get("undone"):
        return "Undone", "True", "Undone", "nothing that it has done still stands"
    if not phase.is_final:
        return "Undone", "Unknown", "Runs", "it runs"
    return "Undone", "False", "NotUndone", "what it has done may still stand, until its own time is over"


def event_of(before: Status, now: Status) -> tuple[str, str, bool] | None:
    """A word, a note, and whether it is grave; None: there is no news."""
    if (before.get("phase"), before.get("reason")) == (now.get("phase"), now.get("reason")):
        return None
    phase = Phase(now["phase"])
    if not phase.is_final:
        return str(now["reason"]), str(now["message"]), False
    return phase.value, f"{now['reason']}: {now['message']}", phase not in {Phase.PASSED, Phase.PENDING}
