"""The simulated world: observes and does what was decided, as the others do, and lets time pass.

Why: `decide` cannot tell it from a cluster, so what it does here it does there. What a controller knows between its turns is kept apart
from what there is: a new controller begins with the control log, and nothing else.
Called by: `play`, through `worlds.world.step`; tests of the control plane.
"""

from dataclasses import dataclass, field, replace
from random import Random
from typing import assert_never

from levee.control import joining, outages
from levee.control.actions import Action, EndWorker, Finish, StartWorker, WriteAnchor, WriteRecord
from levee.control.joining import Joining
from levee.control.names import Instant, ReplicaName, task_of
from levee.control.seen import Observation, Outage
from levee.control.standing import uncovered
from levee.control.wanted import Wanted
from levee.topology.names import ConfigurationName, OperatorName, TaskId
from levee.worlds.measuring import Measuring
from levee.worlds.simulated.faults import Fault
from levee.worlds.simulated.flow import Flow
from levee.worlds.simulated.ground import Ground
from levee.worlds.simulated.pace import Pace
from levee.worlds.simulated.rows import Roster, Rows
from levee.worlds.simulated.sight import Moment, workers_seen
from levee.worlds.simulated.tally import Tally
from levee_spark.log.values import ControlRecord

NOISE_MS = 1_000
START = Instant(0)


@dataclass(slots=True)
class Memory:
    """Of one controller."""

    measuring: Measuring = field(default_factory=Measuring)
    outages: tuple[Outage, ...] = ()
    joining: Joining = field(default_factory=Joining)


@dataclass(slots=True)
class SimulatedWorld:
    flow: Flow
    wanted: Wanted
    random: Random
    pace: Pace = field(default_factory=Pace)
    now: Instant = START
    memory: Memory = field(default_factory=Memory)
    records: list[ControlRecord] = field(default_factory=list)  # the control log
    anchored_ms: int | None = None
    base: int = 0  # the epoch before the first that is due by the anchor
    last_epoch: int | None = None  # of a stop, once it was read
    finished_tasks: set[TaskId] = field(default_factory=set)  # that have it
    finished: Finish | None = None
    rates: dict[OperatorName, float] = field(default_factory=dict)  # as the trace has them
    rows_per_s: list[float] = field(init=False)  # of each source task, as they come
    tally: Tally = field(default_factory=Tally)
    failovers: int = 0
    leaders: dict[int, ReplicaName] = field(default_factory=dict)  # of each task, the last that it has had
    roster: Roster = field(init=False)
    ground: Ground = field(init=False)
    rows: Rows = field(init=False)

    def __post_init__(self) -> None:
        self.ground, self.rows = Ground(self.flow, self.random, self.pace), Rows(self.flow)
        self.rows_per_s = [0.0] * len(self.flow.shares)
        self.roster = self.ground.settle(self.now)
        self.vary(self.now)

    # ---- observe

    def observe(self, now: Instant) -> Observation:
        """As of now, which the time of the world must have come to."""
        assert now == self.now, f"it is {self.now} here, and not {now}"
        ground, record = self.ground, self.record
        workers = workers_seen(ground, Moment(now, self.epoch(), self.rows_per_s))
        nodes = tuple(ground.nodes.values())
        last, done = (self.last_epoch, frozenset(self.finished_tasks)) if self.stopped else (None, frozenset[TaskId]())
        how = (record is not None, self.anchored, self.configuration)
        seen = Observation(nodes, workers, record, *how, stop_epoch=last, finished=done)
        measured = self.memory.measuring.measured(self.wanted.sources, seen, now)
        if seen.anchored:
            down = set(uncovered(self.wanted, seen, now, self.wanted.replicas))
            self.memory.outages = outages.followed(self.memory.outages, down, now)
        self.memory.joining = joining.followed(self.memory.joining, self.wanted, seen, now)
        return seen.with_history(measured, self.memory.outages, joining=self.memory.joining.behind)

    @property
    def record(self) -> ControlRecord | None:
        return self.records[-1] if self.records else None

    @property
    def anchored(self) -> bool:
        """The record that makes sources active comes after the anchor, and whoever takes over can read it."""
        if self.stopped:
            return False
        named = {replica for replica, _ in self.record.live.ranks} if self.record is not None else set[str]()
        return any(replica in named for task in self.wanted.sources for replica in self.wanted.replicas[task])

    @property
    def configuration(self) -> ConfigurationName | None:
        return ConfigurationName(self.record.configuration) if self.record is not None else None

    @property
    def stopped(self) -> bool:
        return self.record is not None and self.record.shape.stopped

    def epoch(self) -> int:
        due = self.base if self.anchored_ms is None else self.base + (self.now - self.anchored_ms) // self.pace.period_ms + 1
        return due if self.last_epoch is None else min(due, self.last_epoch)

    # ---- act

    def perform(self, action: Action, now: Instant) -> str:
        match action:
            case WriteRecord(record, configuration):
                self.write(replace(record, configuration=configuration))
            case WriteAnchor():
                if not self.stopped:  # Who stops goes on by a record, and by nothing else.
                    self.go_on()
                self.anchored_ms = now if self.anchored_ms is None else self.anchored_ms
                self.memory.outages = ()
            case StartWorker():
                self.ground.start(action, now)
            case EndWorker(worker, attempt):
                self.ground.end(worker, now, "was ended", attempt)
            case Finish():
                self.finished = action
            case _:
                assert_never(action)
        self.change()
        return ""

    def write(self, record: ControlRecord) -> None:
        """Put if absent: who has decided by an older record finds its number taken. Replicas read it with their next epoch."""
        assert 1 <= record.number <= len(self.records) + 1, "numbers are dense"
        if record.number == len(self.records) + 1:
            self.records.append(record)
            at_ms = self.now + self.pace.period_ms
            self.ground.agenda.at(at_ms, lambda: self.read(record, at_ms))

    def read(self, record: ControlRecord, at_ms: int) -> None:
        self.ground.ranks = {ReplicaName(name): rank for name, rank in record.live.ranks}
        self.ground.record, self.ground.read_ms = record.number, at_ms
        if record.shape.stopped and self.last_epoch is None:
            self.last_epoch = self.epoch()
        elif not record.shape.stopped:
            self.go_on()

    def go_on(self) -> None:
        """After a stop: from the epoch after the last one on, once there is an anchor."""
        if self.last_epoch is not None:
            self.base, self.anchored_ms, self.last_epoch = self.last_epoch, None, None
            self.finished_tasks.clear()

    # ---- time

    def schedule(self, fault: Fault, from_ms: int) -> None:
        begins = Instant(from_ms + fault.at_ms)
        self.ground.agenda.at(begins, lambda: self.ground.fail(fault, begins))
        if fault.for_ms is not None:
            ends = Instant(begins + fault.for_ms)
            self.ground.agenda.at(ends, lambda: self.ground.mend(fault, ends))

    def let_pass(self, until: Instant) -> None:
        """Step by step; what happens within a step happens at its beginning."""
        while self.now < until:
            step_ms = min(self.pace.step_ms, until - self.now)
            if self.ground.agenda.carry_out(self.now):
                self.change()
            if self.last_epoch is not None:
                self.finish()
            self.rows.step(self.roster, self.rows_per_s, step_ms / 1_000, self.tally)
            self.now = Instant(self.now + step_ms)

    def finish(self) -> None:
        """A stream has its last epoch for good."""
        working = (one for one in self.ground.working() if not one.blocked)
        self.finished_tasks.update(task_of(one.replica) for one in working)

    def change(self) -> None:
        """A failover: somebody leads in place of one that should still work."""
        self.roster = self.ground.settle(self.now)
        for task, working in enumerate(self.roster.of_tasks):
            leader = self.leaders.get(task)
            if not working or working[0].replica == leader:
                continue
            self.failovers += leader in self.ground.ranks and all(one.replica != leader for one in working)
            self.leaders[task] = working[0].replica

    def vary(self, now: Instant) -> None:
        """Sources are never quite as they are said to be."""
        factors = {name: max(0.0, self.random.gauss(1.0, self.pace.noise)) for name in self.rates}
        self.rows_per_s = [self.rates.get(name, 0.0) * factors.get(name, 1.0) * share for name, share in self.flow.shares]
        again = Instant(now + NOISE_MS)
        self.ground.agenda.at(again, lambda: self.vary(again))

    def flow_at(self, rates: dict[OperatorName, float]) -> None:
        """From now on."""
        self.rates = dict(rates)
        self.rows_per_s = [self.rates.get(name, 0.0) * share for name, share in self.flow.shares]

    def empty_queues(self) -> None:
        """So that a trace is accounted without what came before it."""
        for one in (one for working in self.roster.of_tasks for one in working):
            one.queues[:] = [0.0] * len(one.queues)
