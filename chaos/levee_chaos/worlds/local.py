"""Faults of `levee run`: nodes are process groups, and all that is needed are signals.

Why: no root, no container; the same experiment that runs on a cluster is tried here first.
Called by: inflicting and deadman.
"""

import contextlib
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from levee.topology.complaint import Complaint
from levee.worlds.local import faults, processes, revivals
from levee.worlds.local.faults import Hit, Missed
from levee.worlds.local.folder import Folder
from levee.worlds.local.processes import Process
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault, Kind
from levee_chaos.journal import GoOn, Nothing, Revive, Undo
from levee_chaos.refusals import Refused
from levee_chaos.worlds.local_run import Local

# ---- before


@dataclass(frozen=True, slots=True)
class Target:
    """Processes, and everything that is a part of them."""

    hit: Hit
    processes: tuple[Process, ...]


def target_of(local: Local, kind: Kind, aimed: Aimed) -> Target:
    """Refused where it has gone since it was seen."""
    try:
        if kind.is_of_node:
            hit = faults.aim_at_node(aimed.node, local.table, {})
        else:
            assert aimed.replica is not None
            hit = faults.aim_at_replica(aimed.replica, local.table, {})
    except Missed as missed:
        raise Refused("levee-chaos: nothing was done.", [Complaint("whom", str(missed), "try again")]) from None
    families = [one for worker in hit.workers for one in processes.family(worker)]
    return Target(hit, (*families, *([hit.node] if hit.node and kind.is_crash else [])))


def without_means(target: Target) -> Iterator[Complaint]:
    """Whether signals reach them all."""
    for one in target.processes:
        try:
            os.kill(one.pid, 0)
        except ProcessLookupError:
            continue  # a short-lived child of a worker
        except PermissionError:
            wrong = "belongs to another user, and may not be signalled"
            yield Complaint(f"process {one.pid}", wrong, "run the experiment as who runs the topology")


def undo_of(fault: Fault, target: Target, aimed: Aimed) -> Undo:
    match fault.kind:
        case Kind.PAUSE_REPLICA | Kind.PAUSE_NODE | Kind.SLOW_REPLICA:
            return GoOn(target.processes)
        case Kind.CRASH_NODE:
            return Revive(aimed.node)
        case Kind.CRASH_REPLICA | Kind.CRASH_WORKER:
            return Nothing()
        case _:
            assert_never(fault.kind)


# ---- the deed, and whether it was done


def do(kind: Kind, target: Target) -> None:
    match kind:
        case Kind.CRASH_REPLICA | Kind.CRASH_WORKER | Kind.CRASH_NODE:
            faults.kill(target.hit)
        case Kind.PAUSE_REPLICA | Kind.PAUSE_NODE:
            faults.pause(target.hit)
        case Kind.SLOW_REPLICA:
            pass  # the dead man's process stops it and lets it go on, by the journal
        case _:
            assert_never(kind)


def lacking(kind: Kind, target: Target) -> list[Process]:
    """Those on whom the effect is not there; measured, not concluded."""
    if kind.is_crash:
        return [one for one in target.processes if processes.lives(one)]
    everybody = [one for worker in target.hit.workers for one in processes.family(worker) if processes.lives(one)]
    if kind is Kind.SLOW_REPLICA:  # seen standing still at least once
        return [] if any(map(processes.is_paused, everybody)) else everybody
    return [one for one in everybody if not processes.is_paused(one)] or [one for one in target.hit.workers if not processes.lives(one)]


# ---- afterwards


def stop(what: Undo) -> None:
    """Whoever is slowed, until it is let go on."""
    if isinstance(what, GoOn):
        send(what.processes, signal.SIGSTOP)


def undo(what: Undo, folder: Folder) -> None:
    """Twice is once."""
    match what:
        case GoOn(stopped):
            send(stopped, signal.SIGCONT)
        case Revive(node):
            revivals.ask(folder, node)
        case Nothing():
            pass
        case _:
            assert_never(what)


def send(whom: tuple[Process, ...], number: signal.Signals) -> None:
    """To each of them, whoever of the others has gone, and to what it has started since."""
    for one in whom:
        with contextlib.suppress(PermissionError):
            processes.send_family(one, number)
