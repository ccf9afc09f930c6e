"""Which events of the lifecycle hold, of a resource and what was just observed.

Why: the document says what each means; this is the one place where that becomes true or false.
Called by: life, at every turn.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from levee.control import outages, rules
from levee.control.names import Instant
from levee.control.seen import Observation, Status
from levee.control.wanted import Wanted
from levee.lifecycle.names import EventName
from levee.worlds.kubernetes.names import PAUSED

Object = Mapping[str, Any]
MENDED_MS = 15_000  # what fails by the way works again by then


@dataclass(frozen=True, slots=True)
class Known:
    """Beside the resource."""

    in_force: Object | None  # the resource that the plan in force was made for
    read: int  # the generation that was read last
    nonce: int  # the restartNonce of the last start
    pods: int  # that are left
    wanted: Wanted | None = None
    seen: Observation | None = None
    abandoned: bool = False  # its namespace goes
    adapts: bool = False  # a plan for what is measured is to be taken up
    ends_ms: int = 0  # for so long it has been told to end, or to be suspended


def holding(resource: Object, known: Known, now: Instant) -> frozenset[EventName]:
    return frozenset(map(EventName, (*of_user(resource, known), *of_world(known, now))))


def of_user(resource: Object, known: Known) -> Iterator[str]:
    metadata, spec = resource["metadata"], resource["spec"]
    suspended = bool(spec.get("suspend"))
    if metadata.get("deletionTimestamp") is not None:
        yield "cancel"
    if suspended:
        yield "suspend"
    if is_paused(resource):
        return
    if not suspended:
        yield "admit"
        yield "resume"
    if int(spec.get("restartNonce") or 0) != known.nonce:
        yield "restart"
    if int(metadata["generation"]) != known.read and (known.in_force is None or differs(spec, known.in_force["spec"])):
        yield "edit"


def is_paused(resource: Object) -> bool:
    told = resource["metadata"].get("annotations") or {}
    return str(told.get(PAUSED, "false")) != "false"


def differs(one: Object, other: Object) -> bool:
    """What is said by an event of its own is no edit."""
    apart = {"suspend", "restartNonce"}
    return {key: value for key, value in one.items() if key not in apart} != {
        key: value for key, value in other.items() if key not in apart
    }


def of_world(known: Known, now: Instant) -> Iterator[str]:
    if not known.pods or known.abandoned:
        yield "cleaned"
    if known.abandoned:
        yield "stopped"
    if known.adapts:
        yield "adapt"
    wanted, seen = known.wanted, known.seen
    if wanted is None or seen is None:
        return
    if seen.anchored or rules.set_the_clock(wanted, replace(seen, anchored=False), now) is not None:
        yield "all_ready"
    if outages.lasting(seen.outages, now, wanted.patience.failure_ms):
        yield "lost"
    if has_stopped(wanted, seen, now) or (known.ends_ms >= MENDED_MS and has_failed(wanted, seen)):
        yield "stopped"
    if seen.completed or rules.stop_when_all_have_ended(wanted, seen, now) is not None:
        yield "exhausted"
    if seen.completed and rules.finish_when_stopped(wanted, seen, now) is not None:
        yield "ended"


def has_stopped(wanted: Wanted, seen: Observation, now: Instant) -> bool:
    return seen.record is None or was_never_begun(wanted, seen) or rules.finish_when_stopped(wanted, seen, now) is not None


def has_failed(wanted: Wanted, seen: Observation) -> bool:
    """Some task, whose function or connector fails again and again: it comes to no last epoch, and all behind it do not either."""
    states = seen.states()
    there = ({states[one].status for one in replicas if one in states} for replicas in wanted.replicas.values())
    return any(Status.FAILED in found and not found & {Status.RUNNING, Status.STARTING} for found in there)


def was_never_begun(wanted: Wanted, seen: Observation) -> bool:
    """Stopped before its sources were told to begin: nobody will ever seal the epoch that would be the last."""
    if seen.record is None or not seen.record.shape.stopped or seen.stop_epoch is not None:
        return False
    sources = {replica for task in wanted.sources for replica in wanted.replicas[task]}
    return sources.isdisjoint(name for name, _ in seen.record.live.ranks)
