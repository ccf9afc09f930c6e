"""Who can work: the questions about replicas and tasks that several rules ask.

Called by: rules, `ranks`, `outages`, the live view, serve's status.
"""

from collections.abc import Iterable

from levee.control.names import Instant, ReplicaName
from levee.control.seen import Observation, Phase, ReplicaSeen, Status, WorkerSeen
from levee.control.wanted import Wanted
from levee.topology.names import TaskId

CAUGHT_UP_EPOCHS = 3  # a replica that is farther behind would not be of help if it had to lead
CANNOT = frozenset({Status.FAILED, Status.STARTING})


def usable(wanted: Wanted, seen: Observation, now: Instant, replica: ReplicaName) -> bool:
    """Its worker answers, or has only just fallen silent, and it has not failed."""
    home = seen.homes.get(replica)
    if home is None or home.phase in {Phase.ENDED, Phase.STARTING}:
        return False
    if home.phase is not Phase.READY and now - home.since >= wanted.patience.failure_ms:
        return False
    state = seen.states().get(replica)
    return state is not None and state.status not in CANNOT


def caught_up(wanted: Wanted, seen: Observation, now: Instant, replica: ReplicaName) -> bool:
    """With the task's other replicas: where all are late, for want of input or of cores, none is behind."""
    state = seen.states().get(replica)
    running = state is not None and state.status is Status.RUNNING and state.epoch >= reached(seen, state.task) - CAUGHT_UP_EPOCHS
    return running and usable(wanted, seen, now, replica)


def uncovered(wanted: Wanted, seen: Observation, now: Instant, tasks: Iterable[TaskId]) -> tuple[TaskId, ...]:
    """The tasks of which no replica can work, nor is about to."""
    return tuple(task for task in tasks if not any(usable(wanted, seen, now, one) or is_ready(seen, one) for one in wanted.replicas[task]))


def is_ready(seen: Observation, replica: ReplicaName) -> bool:
    """Its worker is; it may still be fetching its state."""
    home, state = seen.homes.get(replica), seen.states().get(replica)
    can = state is not None and state.status is not Status.FAILED and not state.has_yet_to_begin
    return home is not None and home.phase is Phase.READY and can


def unready(wanted: Wanted, seen: Observation, now: Instant) -> tuple[ReplicaName, ...]:
    """What should be active and cannot work, or has yet to do its first epoch; none: the topology is ready."""
    if seen.configuration is None or not seen.anchored:
        return tuple(one for replicas in wanted.replicas.values() for one in replicas)
    states = seen.states()
    planned = sorted(wanted.active[seen.configuration])
    return tuple(
        one for one in planned if not usable(wanted, seen, now, one) or not (states[one].epoch or stands_by(wanted, seen, states[one]))
    )


def stands_by(wanted: Wanted, seen: Observation, state: ReplicaSeen) -> bool:
    """Beside a deliverer that delivers: where an epoch must not come twice, the others wait for its end."""
    is_sink = state.task in wanted.ends and state.task not in wanted.sources
    return is_sink and state.status is Status.IDLE and reached(seen, state.task) > 0


def is_taken_over(seen: Observation, worker: WorkerSeen, replica: ReplicaName, planned: WorkerSeen | None = None) -> bool:
    """Somewhere else it is as far as here, or has nothing to do, neither there nor here: in its home, or where it was `planned`."""
    return any(goes_on_in(home, seen, worker, replica) for home in (seen.homes.get(replica), planned))


def goes_on_in(home: WorkerSeen | None, seen: Observation, worker: WorkerSeen, replica: ReplicaName) -> bool:
    there, here = (home.state(replica) if home else None), worker.state(replica)
    if home is None or home is worker or not home.works or there is None:
        return False
    can = there.status in {Status.RUNNING, Status.IDLE}
    is_active = seen.record is None or replica in seen.ranks()
    return can and (not is_active or there.epoch >= (here.epoch if here else 0) - CAUGHT_UP_EPOCHS)


def lag(wanted: Wanted, seen: Observation) -> int:
    """By how many epochs the slowest task is behind the newest of a source."""
    newest = max((reached(seen, task) for task in wanted.sources), default=0)
    return max(0, newest - min((reached(seen, task) for task in wanted.replicas), default=0))


def reached(seen: Observation, task: TaskId) -> int:
    """By what its replicas say; the stream itself has the last word, since whoever came after the last epoch has done none."""
    if task in seen.finished and seen.stop_epoch is not None:
        return seen.stop_epoch
    return seen.epochs().get(task, 0)
