"""The fault of a trial, by the faults that levee_chaos has; and how it is kept up for as long as it has to stand.

Why: whoever dies for good is started again by Levee, which is its duty. So a worker that is to stay dead is killed, and whatever is
started in its place is stopped before it can do an epoch: it is dead as far as anybody can see, its end is in the journal, and nobody
counts it as one that dies of its input, which would be given up.
Called by: taking.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from levee.control.names import ReplicaName, WorkerName
from levee.topology.complaint import Complaint
from levee_chaos import inflicting
from levee_chaos.aim import GONE, Aimed
from levee_chaos.fault import Fault, Role, Whom
from levee_chaos.fault import Kind as Deed
from levee_chaos.keeping import utc_ms
from levee_chaos.refusals import NOTHING, Refused
from levee_chaos.verifying.trials import Kind, Trial
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.world import Where


@dataclass(frozen=True, slots=True)
class Met:
    what: str  # for people
    dead: frozenset[ReplicaName]
    done_ms: int


@dataclass(slots=True)
class Strike:
    trial: Trial
    where: Where
    driver: Mapping[str, str] = field(default_factory=dict)  # how a machine of a cluster is crashed
    held: dict[WorkerName, int] = field(default_factory=dict)  # to be dead for good, and the attempt that was hit last

    def begin(self) -> Met:
        match self.trial.kind:
            case Kind.PRIMARY:
                return self.crash_primary()
            case Kind.NODE | Kind.ZONE:
                return self.crash_nodes()
            case Kind.WORST:
                return self.crash_for_good()

    def crash_primary(self) -> Met:
        """Named by its worker from then on: meanwhile another one may have become the primary."""
        aimed = self.aimed(Fault(Deed.CRASH_REPLICA, Whom(task=self.trial.whom, role=Role.PRIMARY)))
        inflicting.inflict(Fault(Deed.CRASH_WORKER, Whom(worker=aimed.workers[0])), self.where)
        return Met(aimed.what, frozenset(aimed.replicas), utc_ms())

    def crash_nodes(self) -> Met:
        each = [Fault(Deed.CRASH_NODE, Whom(node=node), how=self.driver) for node in self.trial.nodes]
        aimed = [self.aimed(one) for one in each]  # all are aimed at before any is hit
        for one in each:
            inflicting.inflict(one, self.where)
        dead = frozenset(replica for one in aimed for replica in one.replicas)
        return Met(", ".join(one.what for one in aimed), dead, utc_ms())

    def crash_for_good(self) -> Met:
        """One worker after the other, as fast as it goes."""
        workers = self.condemned()
        for worker, attempt in workers.items():
            inflicting.inflict(Fault(Deed.CRASH_WORKER, Whom(worker=worker)), self.where)
            self.held[worker] = attempt
        return Met(f"{', '.join(workers)} with {', '.join(sorted(self.trial.dead))}", self.trial.dead, utc_ms())

    def condemned(self) -> Mapping[WorkerName, int]:
        """Those whose replicas are all to die; who shares a worker with a survivor cannot die alone."""
        rows = [row for row in find(self.where).seen().replicas if row.status not in GONE]
        found = {row.worker: row.attempt for row in rows if row.replica in self.trial.dead}
        for row in rows:
            if row.worker in found and row.replica not in self.trial.dead:
                wrong = f"has {row.replica}, which is to survive, beside replicas that are to die"
                fix = "let levee verify start a run of its own, or run it with placement.packing: replica"
                raise Refused(NOTHING, [Complaint(row.worker, wrong, fix)])
        return found

    def aimed(self, fault: Fault) -> Aimed:
        return inflicting.aimed_at(fault, self.where)[1]

    def hold(self, left_s: float) -> None:
        """Whoever was started in the place of one that is dead is stopped until the fault is over."""
        if not self.held:
            return
        for row in find(self.where).seen().replicas:
            if row.worker in self.held and row.attempt > self.held[row.worker] and row.status not in GONE:
                self.stop(row.worker, row.attempt, left_s)

    def stop(self, worker: WorkerName, attempt: int, left_s: float) -> None:
        try:
            pause = Fault(Deed.PAUSE_REPLICA, Whom(worker=worker), max(1, round(1_000 * left_s)))
            inflicting.inflict(pause, self.where)
        except Refused:
            return  # it is only just being started: at the next look
        self.held[worker] = attempt
