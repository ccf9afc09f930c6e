"""One fault from beginning to end: aimed, its means checked, written down, done, and its effect seen; and how it is undone.

Why: every action takes the same steps in the same order, so none can act that has not written down how it is undone, or forget to look.
Called by: actions and controls.
"""

import os
import time
from dataclasses import dataclass

from levee.topology.complaint import Complaint
from levee.worlds.local import processes
from levee.worlds.local.folder import Folder
from levee.worlds.local.processes import Process
from levee_chaos import deadman
from levee_chaos.aim import Aimed, aim
from levee_chaos.fault import Fault, Kind
from levee_chaos.journal import Entry, Step
from levee_chaos.keeping import Keeping, now_ms
from levee_chaos.refusals import NoEffect, Refused
from levee_chaos.worlds import local
from levee_chaos.worlds.local import Target
from levee_chaos.worlds.local_run import Local, find

NOTHING = "levee-chaos: nothing was done."
ROLE_S = 5.0  # a task may be between two primaries, or its worker too busy to answer
EFFECT_S = 10.0  # for a signal to be seen, on a machine that is busy
LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class Inflicted:
    entry: Entry
    anew: bool  # False: it stood already

    def document(self) -> dict[str, object]:
        """What the experiment's own journal has of it."""
        return {"fault": self.entry.kind.value, "met": self.entry.what, "name": self.entry.name, "stoodAlready": not self.anew}


def inflict(fault: Fault, directory: str) -> Inflicted:
    run, aimed = aimed_at(fault, directory)
    target = local.target_of(run, fault.kind, aimed)
    if complaints := list(local.without_means(target)):
        raise Refused(NOTHING, complaints)
    keeping, undo = Keeping(run.folder.path), local.undo_of(fault, target, aimed)
    keeping.place.mkdir(exist_ok=True)
    guard(keeping)
    until_ms = now_ms() + fault.for_ms if fault.for_ms else None
    entry = Entry(name_of(fault, target), fault.kind, aimed.what, myself(), undo, until_ms, fault.share)
    with keeping.held():
        anew = entry.name not in keeping.standing()
        if anew:
            keeping.begin(entry)
    return carried_out(run, keeping, entry, target, anew=anew)


def aimed_at(fault: Fault, directory: str) -> tuple[Local, Aimed]:
    until_s = time.monotonic() + ROLE_S
    while True:
        run = find(directory, fault.whom.topology)
        found = aim(fault, run.seen())
        if isinstance(found, Aimed):
            return run, found
        if found.where != "role" or time.monotonic() > until_s:
            raise Refused(NOTHING, [found])
        time.sleep(LOOK_S)


def name_of(fault: Fault, target: Target) -> str:
    ids = [f"{one.pid}@{one.started}" for one in (target.hit.node, *target.hit.workers) if one is not None]
    return " ".join([fault.kind, *ids])


def guard(keeping: Keeping) -> None:
    """Nothing is done before somebody else is there to undo it."""
    try:
        deadman.ensure(keeping, myself())
    except deadman.NotThere as wrong:
        fix = "mend that: without it the faults of an experiment that is killed would not end"
        raise Refused(NOTHING, [Complaint("the dead man's process", str(wrong), fix)]) from None


def carried_out(run: Local, keeping: Keeping, entry: Entry, target: Target, *, anew: bool) -> Inflicted:
    left = until_effective(entry.kind, target)
    with keeping.held():
        if not left:
            keeping.say(Step.DONE, entry)
            return Inflicted(entry, anew)
        local.undo(entry.undo, run.folder)
        keeping.say(Step.FAILED, entry, f"no effect on {len(left)} of {len(target.processes)} processes")
    pids = ", ".join(str(one.pid) for one in left[:8])
    raise NoEffect(f"{entry.kind}: {entry.what}: after {EFFECT_S:g} s there was no effect on processes {pids}; what was done is undone")


def until_effective(kind: Kind, target: Target) -> list[Process]:
    """Those on whom it has none after all that time. Done again and again: who forks while it is hit may have been passed over."""
    until_s = time.monotonic() + EFFECT_S
    while True:
        local.do(kind, target)
        left = local.lacking(kind, target)
        if not left or time.monotonic() > until_s:
            return left
        time.sleep(LOOK_S)


# ---- the other way round


def undo_all(folder: Folder) -> list[str]:
    """What this experiment has begun, and what experiments that are gone have left; twice is once."""
    keeping, me = Keeping(folder.path), myself()
    if not keeping.journal.exists():
        return []
    with keeping.held():
        mine = [one for one in keeping.standing().values() if one.by == me or not processes.lives(one.by)]
        for entry in mine:
            local.undo(entry.undo, folder)
            keeping.say(Step.UNDONE, entry, "the experiment has undone it")
    return [f"{entry.kind}: {entry.what}" for entry in mine]


def myself() -> Process:
    found = processes.identify(os.getpid())
    assert found is not None
    return found
