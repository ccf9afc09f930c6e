"""The rules, each about one thing that may be wrong and what to do about it.

Why: a rule fits on a screen and in a test. Their order, which is the policy, stands in `decide`.
Called by: `decide`.
"""

import sys
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from levee.control import outages, placing, ranks
from levee.control.actions import Action, Decision, EndWorker, Finish, Reason, StartWorker, WriteAnchor, WriteRecord
from levee.control.names import Instant, ReplicaName, WorkerName
from levee.control.seen import Observation, Phase, WorkerSeen
from levee.control.standing import is_taken_over, reached, uncovered
from levee.control.wanted import Wanted
from levee.topology import drawing
from levee.topology.names import ConfigurationName, NodeName
from levee.topology.wording import count
from levee_spark.log import control
from levee_spark.log.values import ControlRecord

ALL_DONE = "all rows of all sources have been computed"


def finish_when_completed(_wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    """By an earlier run: nothing is started, and nothing changes."""
    if seen.opened or not seen.completed:
        return None
    return Decision(Reason.COMPLETED, f"{ALL_DONE}, by an earlier run; there is nothing left to do", (Finish(failed=False),))


def stop_when_all_have_ended(wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    """All sources are bounded, and every task has let out what it held."""
    if seen.record is None or seen.configuration is None or seen.record.shape.stopped:
        return None
    ended = {state.task for state in seen.states().values() if state.ended}
    if not wanted.replicas or not ended.issuperset(wanted.replicas):
        return None
    record = control.successor(seen.record, "", shape=replace(seen.record.shape, stopped=True))
    return writing(record, seen.configuration, Reason.COMPLETED, ALL_DONE)


def finish_when_stopped(wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    """E(n) is the last epoch of all; every task must have come there, and have said so for whoever goes on from it."""
    if not seen.order_to_stop() or seen.stop_epoch is None or seen.unpublished:
        return None
    if any(reached(seen, task) < seen.stop_epoch for task in wanted.replicas):
        return None
    text = f"every task has reached epoch {seen.stop_epoch}, the last"
    if seen.completed:
        return Decision(Reason.COMPLETED, f"{ALL_DONE}: {text}", (Finish(failed=False),))
    return Decision(Reason.STOPPED, text, (Finish(failed=False),))


def wait_for_nodes(wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    """A node may come back, and nothing that was committed is lost meanwhile."""
    if not seen.nodes or any(node.alive for node in seen.nodes):
        return None
    if wanted.cancels:
        return Decision(Reason.NO_NODE_LEFT, "no node is left to run on, and onFailure is cancel", (Finish(failed=True),))
    return Decision(Reason.NO_NODE_LEFT, "no node is left to run on: it goes on when one is back")


def cancel_if_wanted(wanted: Wanted, seen: Observation, now: Instant) -> Decision | None:
    if not wanted.cancels or not seen.anchored:
        return None
    lost = outages.lasting(seen.outages, now, wanted.patience.failure_ms)
    if not lost:
        return None
    return Decision(Reason.CANCELED, f"no replica of {', '.join(lost)} is left, and onFailure is cancel", (Finish(failed=True),))


def open_the_log(wanted: Wanted, seen: Observation, now: Instant) -> Decision | None:
    """The first record, or the one that takes over from whoever controlled this topology before."""
    if seen.opened:
        return None
    configuration = seen.configuration or wanted.likeliest()
    live = ranks.ranks(wanted, seen, now, ranks.active(wanted, seen, now, configuration))
    if seen.record is None:
        return writing(control.first(wanted.shape, live, ""), configuration, Reason.OPENING, "the first record")
    rewired = drawing.touched(seen.record.shape.graph, wanted.shape.graph)
    shape = control.edited(seen.record, wanted.shape, wanted.discards, rewired)
    return writing(control.successor(seen.record, "", shape=shape, live=live), configuration, Reason.OPENING, "the streams go on")


def let_survivors_lead(wanted: Wanted, seen: Observation, now: Instant) -> Decision | None:
    """Failover has happened by then, one hold after the fault; new ranks spare the survivors the holds that follow."""
    if seen.record is None or seen.configuration is None:
        return None
    among = ranks.active(wanted, seen, now, seen.configuration)
    lost = ranks.leaderless(wanted, seen, now, among)
    if among == seen.ranks().keys() and not (seen.anchored and lost):
        return None
    live = ranks.ranks(wanted, seen, now, among)
    text = f"others lead {', '.join(lost)}" if lost else "standbys take over, or step back"
    return writing(control.successor(seen.record, "", live=live), seen.configuration, Reason.SURVIVORS_LEAD, text)


def start_what_is_planned(wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    """What has stopped goes on by a record, and a silent store takes none."""
    if seen.silent and (seen.record is None or seen.record.shape.stopped):
        return None
    known = {worker.worker for worker in seen.workers}
    open_nodes = {node.node for node in seen.nodes if node.is_open}
    missing = [placed for placed in wanted.workers if placed.worker not in known and placed.node in open_nodes]
    if not missing:
        return None
    actions = tuple(StartWorker(placed.worker, placed.node, placed.replicas, attempt=1) for placed in missing)
    return Decision(Reason.REPLICAS_STARTING, f"starts {count(len(missing), 'worker')}", actions)


def replace_lost_workers(wanted: Wanted, seen: Observation, now: Instant) -> Decision | None:
    """At once after a long life, else later and later: what dies of its input dies again."""
    ended = [(worker, backoff_ms(wanted, worker)) for worker in ended_workers(wanted, seen)]
    lost = [worker for worker, pause in ended if pause is not None and now - worker.since >= pause]
    if not lost:
        return None
    most = wanted.patience.restarts - 1 if seen.silent else sys.maxsize  # no worker can start without the store: none is given up for it
    actions = tuple(
        StartWorker(one.worker, one.node, one.replicas, one.attempt + 1, min(most, failures_after(wanted, one))) for one in lost
    )
    return Decision(Reason.WORKER_LOST, f"{', '.join(one.worker for one in lost)} ended and is started again", actions)


def leave_dead_nodes(wanted: Wanted, seen: Observation, now: Instant) -> Decision | None:
    """A node that has been gone for `failureTimeout` does not come back in time; its replicas begin where there is most room."""
    dead = [node.node for node in seen.nodes if not node.alive and now - node.since >= wanted.patience.failure_ms]
    return moving(wanted, seen, dead, Reason.NODE_LOST, f"{', '.join(dead)} is gone")


def leave_cordoned_nodes(wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    """What was evicted from one would wait there for its end; what still works there is left alone."""
    cordoned = [node.node for node in seen.nodes if node.alive and not node.accepts]
    return moving(wanted, seen, cordoned, Reason.NODE_CORDONED, f"{', '.join(cordoned)} takes no pods")


def end_what_hangs(wanted: Wanted, seen: Observation, now: Instant) -> Decision | None:
    """What somebody has paused is no accident and is left alone."""
    patience = wanted.patience
    limits = {Phase.SILENT: patience.hang_ms, Phase.STARTING: patience.start_ms}
    hung = [worker for worker in seen.workers if worker.phase in limits and now - worker.since >= limits[worker.phase]]
    cordoned = {node.node for node in seen.nodes if node.alive and not node.accepts}
    shut_out = (worker for worker in seen.workers if worker.phase is Phase.STARTING and worker.node in cordoned and worker not in hung)
    hung += [worker for worker in shut_out if now - worker.since >= patience.failure_ms]
    if not hung:
        return None
    actions: tuple[Action, ...] = tuple(EndWorker(worker.worker, worker.attempt) for worker in hung)
    return Decision(Reason.WORKER_HANGS, f"{', '.join(worker.worker for worker in hung)} does not answer and is ended", actions)


def leave_refuges(wanted: Wanted, seen: Observation, _now: Instant) -> Decision | None:
    """When a node has come back and its replicas work there again, nobody needs those that took their place meanwhile, nor those whose
    replicas an earlier plan had."""
    living = {node.node for node in seen.nodes if node.alive}
    planned = {placed.worker for placed in wanted.workers}
    refuges = [one for one in seen.workers if one.worker not in planned and one.phase is not Phase.ENDED and one.node in living]
    there = [worker for worker in seen.workers if worker.worker in planned and worker.node in living] if refuges else []
    planned_homes = {one: worker for worker in there for one in worker.replicas}  # which of two works last is no matter: a home is one
    left = [worker for worker in refuges if nobody_needs(wanted, seen, worker, planned_homes)]
    if not left:
        return None
    actions: tuple[Action, ...] = tuple(EndWorker(worker.worker, worker.attempt) for worker in left)
    replicas = ", ".join(sorted(one for worker in left for one in worker.replicas))
    return Decision(Reason.HOME_AGAIN, f"{replicas} are at home again: {', '.join(one.worker for one in left)} ends", actions)


def set_the_clock(wanted: Wanted, seen: Observation, now: Instant) -> Decision | None:
    """Epochs are due from the moment when all tasks are ready: at the start, on a resume, after an outage of a source.

    Who stops has a clock already, and goes on by a record that orders no stop; unless that came before its sources had begun. Then
    they begin all the same, for the one epoch that is the last: who has no epoch after the order never comes to its end.
    """
    if seen.order_to_stop() and ranks.has_begun(wanted, seen):
        return None
    returned = set(outages.ended(seen.outages, wanted.patience.failure_ms)) & set(wanted.sources)
    if (seen.anchored and not returned) or uncovered(wanted, seen, now, wanted.replicas):
        return None
    if any(worker.phase is Phase.STARTING and now - worker.since < wanted.patience.settle_ms for worker in seen.homes.values()):
        return None
    text = f"{', '.join(sorted(returned))} is back" if seen.anchored else "all tasks are ready"
    actions: tuple[Action, ...] = (WriteAnchor(),)
    if seen.record is not None and seen.configuration is not None and not seen.anchored:
        after = replace(seen, anchored=True)
        live = ranks.ranks(wanted, after, now, ranks.active(wanted, after, now, seen.configuration))
        record = replace(control.successor(seen.record, "", live=live), reason=f"{Reason.ALL_READY}: the sources begin")
        actions = (*actions, WriteRecord(record, seen.configuration))  # in this order: no source may seal by an older anchor
    return Decision(Reason.ALL_READY, f"{text}: epochs are due from now on", actions)


# ---- what several rules need


def writing(record: ControlRecord, configuration: ConfigurationName, reason: Reason, text: str) -> Decision:
    """The record carries why it was written."""
    return Decision(reason, text, (WriteRecord(replace(record, reason=f"{reason}: {text}"), configuration),))


def moving(wanted: Wanted, seen: Observation, left: Sequence[NodeName], reason: Reason, why: str) -> Decision | None:
    """Those that have lost their place on these nodes, and have none elsewhere, begin where there is most room."""
    if not left:
        return None
    stranded = {replica for worker in seen.workers if worker.node in left for replica in worker.replicas}
    stranded |= {replica for placed in wanted.workers if placed.node in left for replica in placed.replicas}
    stranded &= wanted.everyone
    homes = {one: home.node for one, home in seen.homes.items() if home.phase is not Phase.ENDED or home.node not in left}
    open_nodes = [node.node for node in seen.nodes if node.is_open]
    found = placing.refuge(sorted(stranded - homes.keys()), homes, open_nodes, wanted.loads, wanted.capacities, wanted.zones)
    if not found:
        return None
    known = [worker.worker for worker in seen.workers]
    actions = tuple(StartWorker(placing.next_worker(node, known), node, replicas, attempt=1) for node, replicas in found.items())
    moved = ", ".join(f"{' '.join(replicas)} to {node}" for node, replicas in found.items())
    return Decision(reason, f"{why}: {moved}", actions)


def ended_workers(wanted: Wanted, seen: Observation) -> list[WorkerSeen]:
    """On nodes that take them again; a refuge only if its replicas are not at home elsewhere."""
    living = {node.node for node in seen.nodes if node.is_open}
    ended = [worker for worker in seen.workers if worker.phase is Phase.ENDED and worker.node in living]
    needed = needed_workers(wanted, seen) if ended else ()
    return [worker for worker in ended if worker.worker in needed]


def needed_workers(wanted: Wanted, seen: Observation) -> Set[WorkerName]:
    """Those that are planned, and the homes of whoever is; a replica that an earlier plan had needs none."""
    homes = {worker.worker for replica, worker in seen.homes.items() if replica in wanted.everyone}
    return {placed.worker for placed in wanted.workers} | homes


def nobody_needs(wanted: Wanted, seen: Observation, refuge: WorkerSeen, planned: Mapping[ReplicaName, WorkerSeen]) -> bool:
    mine = (one for one in refuge.replicas if one in wanted.everyone)
    return all(is_taken_over(seen, refuge, one, planned.get(one)) for one in mine)


def failures_after(wanted: Wanted, worker: WorkerSeen) -> int:
    """Ends in a row, this one included."""
    return 1 if worker.since - worker.started >= wanted.patience.stable_ms else worker.failures + 1


def backoff_ms(wanted: Wanted, worker: WorkerSeen) -> int | None:
    """None: it has died too often."""
    patience, failures = wanted.patience, failures_after(wanted, worker)
    if failures > patience.restarts:
        return None
    return 0 if failures == 1 else min(patience.backoff_ms * 2 ** (failures - 2), patience.backoff_ms_max)
