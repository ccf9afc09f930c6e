"""The rules that only say how things are: nothing can be done, or it is being done.

Called by: `decide`, after all rules that act.
"""

from collections.abc import Sequence

from levee.control.actions import Decision, Reason
from levee.control.names import Instant
from levee.control.rules import backoff_ms, ended_workers
from levee.control.seen import Observation, Status
from levee.control.standing import reached, uncovered, unready, usable
from levee.control.wanted import Wanted

AND = "; "  # between what is said of several tasks


def wait_until_ready(wanted: Wanted, seen: Observation, now: Instant) -> Decision | None:
    if seen.anchored:
        return None
    missing = uncovered(wanted, seen, now, wanted.replicas)
    return Decision(Reason.WAITING, f"for replicas of {', '.join(missing)}" if missing else "for the last worker")


def say_what_failed(_wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    """Each task once, with the first line; the replicas themselves say the rest."""
    failed = {state.task: state for state in seen.states().values() if state.status is Status.FAILED}
    if not failed:
        return None
    return Decision(Reason.TASK_FAILED, AND.join(f"{task} after epoch {one.epoch}: {one.first_line}" for task, one in failed.items()))


def say_what_is_damaged(_wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    """Nothing here can mend it; each object once, with those that stand still for it."""
    tasks: dict[str, set[str]] = {}
    for state in seen.states().values():
        if state.lacks:
            tasks.setdefault(state.lacks, set()).add(state.task)
    if not tasks:
        return None
    stand = (f"{', '.join(sorted(found))} stand{'s' if len(found) == 1 else ''} still: {what}" for what, found in tasks.items())
    return Decision(Reason.STREAM_DAMAGED, AND.join(stand))


def say_what_was_given_up(wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    given_up = [worker.worker for worker in ended_workers(wanted, seen) if backoff_ms(wanted, worker) is None]
    if not given_up:
        return None
    return Decision(Reason.WORKER_GIVEN_UP, f"{', '.join(given_up)} ended {wanted.patience.restarts} times in a row; its log says why")


def wait_for_the_last_epoch(wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    if not seen.order_to_stop():
        return None
    if seen.stop_epoch is None:
        return Decision(Reason.STOPPING, "until every source has read the order")
    behind = [task for task in wanted.replicas if reached(seen, task) < seen.stop_epoch or task in seen.unpublished]
    return Decision(Reason.STOPPING, f"after epoch {seen.stop_epoch}; {have_yet(behind)} to come there")


def say_what_is_missing(wanted: Wanted, seen: Observation, now: Instant) -> Decision | None:
    """Only what should be active counts."""
    if seen.configuration is None:
        return None
    missing = sorted(one for one in wanted.active[seen.configuration] if not usable(wanted, seen, now, one))
    return Decision(Reason.DEGRADED, f"{', '.join(missing)} cannot work") if missing else None


def wait_for_first_epochs(wanted: Wanted, seen: Observation, now: Instant) -> Decision | None:
    """Until then a topology has begun, and is not ready: a query's first epoch takes many times as long as the others."""
    missing = unready(wanted, seen, now)
    return (
        Decision(Reason.FIRST_EPOCHS, f"{have_yet(missing)} to do {'its' if len(missing) == 1 else 'their'} first epoch")
        if missing
        else None
    )


def say_who_joins(_wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    """Well, and not yet what the configuration promises."""
    joining = sorted(seen.joining)
    if not joining:
        return None
    return Decision(
        Reason.CATCHING_UP,
        f"{have_yet(joining)} to catch up: until then {'it counts' if len(joining) == 1 else 'they count'} as not active",
    )


def miss_rates(_wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    if seen.rates is not None:
        return None
    why = f" ({seen.rates_missing})" if seen.rates_missing else ""
    return Decision(
        Reason.RATES_UNKNOWN, f"all are ready; configuration {seen.configuration} stays until the rates of all sources are known{why}"
    )


def have_yet(names: Sequence[str]) -> str:
    return f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} yet"
