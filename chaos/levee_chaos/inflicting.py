"""One fault from beginning to end: aimed, its means checked, written down, done, and its effect seen; and how it is undone.

Why: every action takes the same steps in the same order, in every world, so none can act that has not written down how it is undone, or
forget to look.
Called by: actions and controls.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from levee.topology.complaint import Complaint
from levee.topology.names import NodeName
from levee.topology.wording import listed
from levee.worlds.local import processes
from levee.worlds.local.processes import Process
from levee_chaos import deadman, limits
from levee_chaos.aim import Aimed, Seen, aim
from levee_chaos.fault import Fault, Kind, Reach
from levee_chaos.journal import Entry, Step
from levee_chaos.keeping import Keeping, now_ms
from levee_chaos.refusals import NOTHING, NoEffect, NotUndone, Refused
from levee_chaos.worlds import finding
from levee_chaos.worlds.world import Deed, Where, World

ROLE_S = 5.0  # a task may be between two primaries, or its worker too busy to answer
LOOK_S, LOOKS = 0.05, 200
TRIED_AGAIN = "mend that: it is tried again and again, as long as this machine runs"
TAKE_NODES = {Kind.CRASH_NODE, Kind.CRASH_ZONE}


@dataclass(slots=True)
class Rehearsal:
    goes_on: bool = False
    gone: tuple[NodeName, ...] = ()  # nodes that the steps so far take

    def with_earlier(self, aimed: Aimed, seen: Seen) -> Aimed | Complaint:
        """Each may be harmless by itself."""
        earlier, self.gone = self.gone, tuple(dict.fromkeys((*self.gone, *aimed.nodes)))
        if earlier and not any(lives and node not in self.gone for node, lives in seen.nodes.items()):
            wrong = f"with {listed(aimed.nodes, 'and')} no node would be left, after {listed(earlier, 'and')}"
            return Complaint("node", wrong, "leave at least one, or undo_faults before")
        return replace(aimed, nodes=self.gone)


REHEARSAL = Rehearsal()


@contextmanager
def rehearsal() -> Iterator[None]:
    """Actions are aimed and checked, and nothing is done."""
    before, REHEARSAL.goes_on = REHEARSAL.goes_on, True
    try:
        yield
    finally:
        REHEARSAL.goes_on = before
        if not before:
            REHEARSAL.gone = ()


@dataclass(frozen=True, slots=True)
class Inflicted:
    entry: Entry
    anew: bool  # False: it stood already

    def document(self) -> dict[str, object]:
        """What the experiment's own journal has of it."""
        return {"fault": self.entry.kind.value, "met": self.entry.what, "name": self.entry.name, "stoodAlready": not self.anew}


def inflict(fault: Fault, where: Where) -> Inflicted:
    """Rehearsing, it ends before anything is done."""
    world, aimed = aimed_at(fault, where)
    deed = checked(world, fault, aimed)
    if REHEARSAL.goes_on:
        return Inflicted(Entry(deed.name, fault.kind, aimed.what, myself(), deed.undo), anew=True)
    keeping = Keeping(world.folder)
    keeping.place.mkdir(parents=True, exist_ok=True)
    guard(keeping)
    entry = Entry(deed.name, fault.kind, aimed.what, myself(), deed.undo, until(fault, deed.patience_s), deed.share)
    with keeping.held():
        anew = entry.name not in keeping.standing()
        if anew:
            keeping.begin(entry)
    return carried_out(keeping, entry, deed, until=lambda: until(fault), anew=anew)


def until(fault: Fault, begins_s: float = 0.0) -> int | None:
    """Its time counts from when its effect is there, which may take so long at most."""
    return now_ms() + round(1_000 * begins_s) + fault.for_ms if fault.for_ms else None


def checked(world: World, fault: Fault, aimed: Aimed) -> Deed:
    met = limits.outside(aimed.replicas, aimed.nodes, whole_nodes=fault.kind.reach in {Reach.NODE, Reach.ZONE})
    if complaints := [*limits.complaints(world.topology, is_shared=world.is_shared), *met]:
        raise Refused(NOTHING, complaints)
    deed = world.deed(fault, aimed)
    if complaints := list(deed.without_means()):
        raise Refused(NOTHING, complaints)
    return deed


def aimed_at(fault: Fault, where: Where) -> tuple[World, Aimed]:
    until_s = time.monotonic() + (0 if REHEARSAL.goes_on else ROLE_S)
    while True:
        world = finding.find(where)
        found = aim(fault, world.seen())
        if isinstance(found, Aimed) and REHEARSAL.goes_on and fault.kind in TAKE_NODES:
            found = REHEARSAL.with_earlier(found, world.seen())
        if isinstance(found, Aimed):
            return world, found
        if found.where != "role" or time.monotonic() > until_s:
            raise Refused(NOTHING, [found])
        time.sleep(LOOK_S)


def guard(keeping: Keeping) -> None:
    """Nothing is done before somebody else is there to undo it."""
    try:
        deadman.ensure(keeping, myself())
    except deadman.NotThere as wrong:
        fix = "mend that: without it the faults of an experiment that is killed would not end"
        raise Refused(NOTHING, [Complaint("the dead man's process", str(wrong), fix)]) from None


def carried_out(keeping: Keeping, entry: Entry, deed: Deed, *, until: Callable[[], int | None], anew: bool) -> Inflicted:
    try:
        left = until_effective(deed)
    except Refused as failed:
        with keeping.held():
            taken_back(keeping, entry, str(failed))
        raise
    with keeping.held():
        if not left:
            keeping.done(replace(entry, until_ms=until()) if anew else entry, anew=anew)
            return Inflicted(entry, anew)
        taken_back(keeping, entry, f"no effect on {len(left)}")
    after = f"after {deed.patience_s:g} s there was no effect on {', '.join(left[:8])}"
    raise NoEffect(f"{entry.kind}: {entry.what}: {after}; what was done is undone")


def taken_back(keeping: Keeping, entry: Entry, why: str) -> None:
    """What cannot be undone now stands; the dead man's process tries it again."""
    if entry.undo is not None:
        try:
            finding.undo(entry.undo)
        except NotUndone as left:
            raise Refused(f"levee-chaos: {why}", [Complaint(entry.what, str(left), TRIED_AGAIN)]) from None
    keeping.say(Step.FAILED, entry, why)


def until_effective(deed: Deed) -> Sequence[str]:
    """Those on whom it has none after all that time. Done again and again: who is new while it is hit may have been passed over."""
    until_s = time.monotonic() + deed.patience_s
    while True:
        deed.do()
        left = deed.lacking()
        if not left or time.monotonic() > until_s:
            return left
        time.sleep(max(LOOK_S, deed.patience_s / LOOKS))


# ---- the other way round


def undo_all(keeping: Keeping) -> list[str]:
    """What this experiment has begun, and what experiments that are gone have left; twice is once."""
    me, undone, wrong = myself(), [], []
    if not keeping.journal.exists():
        return []
    with keeping.held():
        for entry in [one for one in keeping.standing().values() if one.by == me or not processes.lives(one.by)]:
            assert entry.undo is not None
            try:
                finding.undo(entry.undo)
            except NotUndone as failed:  # the others get their turn; the dead man's process tries it again
                wrong.append(Complaint(entry.what, str(failed), TRIED_AGAIN))
                continue
            keeping.say(Step.UNDONE, entry, "the experiment has undone it")
            undone.append(f"{entry.kind}: {entry.what}")
    if wrong:
        raise Refused("levee-chaos: not everything could be undone.", wrong)
    return undone


def myself() -> Process:
    found = processes.identify(os.getpid())
    assert found is not None
    return found
