"""What happened between two observations, in words.

Why: people follow a topology by what changes, and the live view, the plain lines and the status must tell the same.
Called by: chronicle, which knows what was told before.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from levee.control.actions import Decision, Reason
from levee.control.names import ReplicaName
from levee.control.seen import Observation, Phase, ReplicaSeen, Status
from levee.topology.names import TaskId


@dataclass(frozen=True, slots=True)
class Event:
    subject: str  # the node, worker, replica, task or rule it is about
    text: str
    grave: bool = False  # something was lost or failed


PHASES = {
    Phase.READY: ("is ready", False),
    Phase.SILENT: ("does not answer", True),
    Phase.PAUSED: ("is paused", True),
    Phase.ENDED: ("ended", True),
}
REBASED = "its next epoch is marked rebased, and may have other rows than the one that was lost"
GRAVE = {
    *(Reason.CANCELED, Reason.NO_NODE_LEFT, Reason.NODE_LOST, Reason.WORKER_HANGS, Reason.TASK_FAILED, Reason.WORKER_GIVEN_UP),
    Reason.INPUT_ABOVE_CONTRACT,
}


def nodes(before: Observation, after: Observation) -> Iterator[Event]:
    for node in after.nodes:
        earlier = before.node(node.node)
        if not node.alive and (earlier is None or earlier.alive):
            yield Event(node.node, "crashed", grave=True)
        elif node.alive and earlier is not None and not earlier.alive:
            yield Event(node.node, "is back")
        if earlier is not None and earlier.accepts != node.accepts:
            yield Event(
                node.node, "is open again" if node.accepts else "is cordoned: what runs there goes on, and begins elsewhere when it ends"
            )


def workers(before: Observation, after: Observation) -> Iterator[Event]:
    earlier = {(worker.worker, worker.attempt): worker.phase for worker in before.workers}
    for worker in after.workers:
        if worker.phase in PHASES and earlier.get((worker.worker, worker.attempt), Phase.STARTING) is not worker.phase:
            text, grave = PHASES[worker.phase]
            yield Event(worker.worker, f"{text} (attempt {worker.attempt}) {worker.ending}".strip(), grave)


def primaries(before: Observation, after: Observation) -> Iterator[Event]:
    earlier = primary_of(before)
    for task, replica in primary_of(after).items():
        if earlier.get(task, replica) != replica:
            yield Event(task, f"{replica} leads now, instead of {earlier[task]}")


def primary_of(seen: Observation) -> dict[TaskId, ReplicaName]:
    """Who committed a task's last epoch, as far as it is known."""
    found: dict[TaskId, ReplicaName] = {}
    ready = {replica for replica, home in seen.homes.items() if home.phase is Phase.READY}
    for state in sorted(seen.states().values(), key=lambda one: one.epoch):
        if state.is_primary and state.replica in ready:
            found[state.task] = state.replica
    return found


def divergences(before: Observation, after: Observation) -> Iterator[Event]:
    """The more often, the more seldom it is told. Where breaks are forbidden the replica fails, and that is told instead."""
    earlier = before.states()
    for replica, state in after.states().items():
        known = earlier[replica].diverged if replica in earlier else 0
        if state.diverged.bit_length() > known.bit_length() and state.status is not Status.FAILED:
            text = f"computed other rows than were committed, {state.diverged} times by now; levee check says which column"
            yield Event(replica, text, grave=True)


def losses(before: Observation, after: Observation) -> Iterator[Event]:
    """What somebody has permitted, and nobody should have to look for. The more often, the more seldom it is told."""
    earlier = before.states()
    for replica, state in after.states().items():
        known = earlier.get(replica, ReplicaSeen(replica, state.status))
        for now, then, text in (
            (state.dropped, known.dropped, "raised and was skipped (onError: skip), {} times by now; levee tail --dead says which and why"),
            (
                state.sealed,
                known.sealed,
                "has sealed late epochs of its inputs without rows (late: skip), {} by now; levee tail --dead says which",
            ),
            (
                state.adopted,
                known.adopted,
                "goes on from a state of its own, since nobody computes what was committed, {} times by now: {}",
            ),
        ):
            if now.bit_length() > then.bit_length():
                yield Event(replica, text.format(now, REBASED), grave=True)


def waiting(before: Observation, after: Observation) -> Iterator[Event]:
    """Sources, for what they import; once for all replicas of a task."""
    earlier = {(state.task, state.waits) for state in before.states().values()}
    now = {(state.task, state.waits) for state in after.states().values() if state.waits}
    yield from (Event(task, f"waits: {what}") for task, what in sorted(now - earlier))


def damages(before: Observation, after: Observation) -> Iterator[Event]:
    """What a task stands still for, once for all its replicas; and that it goes on."""
    earlier, now = lacks_of(before), lacks_of(after)
    yield from (Event(task, f"stands still: {what}", grave=True) for task, what in sorted(now - earlier))
    epochs_before, epochs_after = before.epochs(), after.epochs()
    for task in sorted({task for task, _ in earlier} - {task for task, _ in now}):
        if epochs_after.get(task, 0) > epochs_before.get(task, 0):
            yield Event(task, "goes on: what it could not read is there again")


def lacks_of(seen: Observation) -> set[tuple[TaskId, str]]:
    return {(state.task, state.lacks) for state in seen.states().values() if state.lacks}


def decided(was: Decision | None, decision: Decision) -> Iterator[Event]:
    """What is done, and how things are once that changes."""
    if decision.actions or was is None or was.reason is not decision.reason:
        yield Event(decision.reason.value, decision.text, decision.reason in GRAVE)
