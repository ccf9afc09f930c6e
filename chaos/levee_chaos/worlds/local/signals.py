"""Faults by signals: nodes are process groups, so that crashes and pauses need nothing else.

Called by: deeds.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass

from levee.topology.complaint import Complaint
from levee.worlds.local import faults, processes
from levee.worlds.local.faults import Hit, Missed
from levee.worlds.local.processes import Process
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault, Kind, Reach
from levee_chaos.journal import Undo
from levee_chaos.refusals import NOTHING, Refused
from levee_chaos.worlds.local.going_on import going_on, reviving
from levee_chaos.worlds.local.run import Run

EFFECT_S = 10.0  # for a signal to be seen, on a machine that is busy

# ---- the deeds


@dataclass(frozen=True, slots=True)
class Signals:
    """Processes, and everything that is a part of them."""

    kind: Kind
    hits: tuple[Hit, ...]
    processes: tuple[Process, ...]
    undo: Undo | None
    share: float = 0.0
    patience_s: float = EFFECT_S

    @property
    def name(self) -> str:
        met = [one for hit in self.hits for one in (hit.node, *hit.workers) if one is not None]
        return " ".join([self.kind, *(f"{one.pid}@{one.started}" for one in met)])

    @property
    def workers(self) -> list[Process]:
        return [one for hit in self.hits for one in hit.workers]

    @property
    def everybody(self) -> list[Process]:
        """By now: who forks while it is hit may have been passed over."""
        return [one for worker in self.workers for one in processes.family(worker) if processes.lives(one)]

    def without_means(self) -> Iterator[Complaint]:
        """Whether signals reach them all."""
        for one in self.processes:
            try:
                os.kill(one.pid, 0)
            except ProcessLookupError:
                continue  # a short-lived child of a worker
            except PermissionError:
                wrong = "belongs to another user, and may not be signalled"
                yield Complaint(f"process {one.pid}", wrong, "run the experiment as who runs the topology")


class Crash(Signals):
    def do(self) -> None:
        for hit in self.hits:
            faults.kill(hit)

    def lacking(self) -> list[str]:
        return told([one for one in self.processes if processes.lives(one)])


class Pause(Signals):
    def do(self) -> None:
        for hit in self.hits:
            faults.pause(hit)

    def lacking(self) -> list[str]:
        awake = [one for one in self.everybody if not processes.is_paused(one)]
        return told(awake or [one for one in self.workers if not processes.lives(one)])


class Slow(Signals):
    def do(self) -> None:
        """The dead man's process stops it and lets it go on, by the journal."""

    def lacking(self) -> list[str]:
        """Seen standing still at least once."""
        everybody = self.everybody
        return [] if any(map(processes.is_paused, everybody)) else told(everybody or self.workers)


def told(left: list[Process]) -> list[str]:
    return [f"process {one.pid}" for one in left]


# ---- made for a target


def crash(run: Run, fault: Fault, aimed: Aimed) -> Crash:
    hits = hits_of(run, fault, aimed)
    whole = fault.kind.reach is not Reach.WORKER
    undo = reviving(run.folder, aimed.nodes) if whole else None
    return Crash(fault.kind, hits, (*families(hits), *(one.node for one in hits if one.node)), undo)


def pause(run: Run, fault: Fault, aimed: Aimed) -> Pause:
    hits = hits_of(run, fault, aimed)
    stopped = families(hits)
    return Pause(fault.kind, hits, stopped, going_on(stopped))


def slow(run: Run, fault: Fault, aimed: Aimed) -> Slow:
    hits = hits_of(run, fault, aimed)
    slowed = families(hits)
    return Slow(fault.kind, hits, slowed, going_on(slowed), fault.how["share"])


def hits_of(run: Run, fault: Fault, aimed: Aimed) -> tuple[Hit, ...]:
    """Refused where it has gone since it was seen."""
    try:
        if fault.kind.reach is Reach.WORKER:
            assert aimed.replica is not None
            return (faults.aim_at_replica(aimed.replica, run.table, {}),)
        return tuple(faults.aim_at_node(node, run.table, {}) for node in aimed.nodes)
    except Missed as missed:
        raise Refused(NOTHING, [Complaint("whom", str(missed), "try again")]) from None


def families(hits: tuple[Hit, ...]) -> tuple[Process, ...]:
    return tuple(one for hit in hits for worker in hit.workers for one in processes.family(worker))
