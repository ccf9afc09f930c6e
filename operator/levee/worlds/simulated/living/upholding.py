"""What must hold at every step of a life.

Why: that a life ends well does not say that it went well; each promise is looked at by itself, and by the words of the document alone.
Called by: life.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from levee.control.actions import StartWorker
from levee.control.names import ReplicaName
from levee.control.seen import Phase
from levee.lifecycle.machine import Machine
from levee.lifecycle.names import ENDING, StateName
from levee.lifecycle.position import Passage, Record
from levee.topology.names import TaskId
from levee.worlds.simulated.living.dying import must
from levee_spark.log.values import ControlRecord

if TYPE_CHECKING:
    from levee.worlds.simulated.living.life import Life

GONE_MS = 120_000  # what is at rest has no workers by then
IDLE_MS = 45_000  # nobody computes a task that somebody could compute: a failover, a restart, or an outage of whoever decides


@dataclass(slots=True)
class Upholding:
    machine: Machine
    edges: frozenset[tuple[str, str, str]] = field(init=False)
    lives_since: int | None = None  # what should be gone
    agreed: list[ControlRecord] = field(default_factory=list)  # the control log, as it was
    idle_since: dict[TaskId, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.edges = frozenset((str(one.origin), str(one.when), str(one.to)) for one in self.machine.transitions)

    def check(self, life: Life) -> None:
        self.check_running(life)
        self.check_rest(life)
        self.check_log(life)
        self.check_covered(life)

    # ---- the record

    def check_passages(self, before: Record | None, after: Record) -> None:
        """From what was stored last to what is stored now, by what the record itself says of its way."""
        if before is None:
            must(after.state == self.machine.initial, f"a life begins as {after.state}")
            return
        last = before.history[-1]
        must(last in after.history, f"{after.state} does not follow from {before.state}, where it was")
        for one, other in pairwise(after.history[after.history.index(last) :]):
            must(self.is_legal(one, other, after), f"from {one.state} nothing leads to {other.state} by {other.why}")
        must(after.history[-1].state == after.state, f"its way ends in {after.history[-1].state}, and it is in {after.state}")

    def is_legal(self, one: Passage, other: Passage, after: Record) -> bool:
        direct = (str(one.state), str(other.why), str(other.state)) in self.edges
        return direct or (other.state == after.ending and (str(one.state), str(other.why), str(ENDING)) in self.edges)

    # ---- what runs, and what rests

    def check_running(self, life: Life) -> None:
        position = life.position
        if position is not None and position.state == "running" and position.failing is None:
            must(not life.world.stopped or life.is_completed, "it runs, and the log says that it has stopped")

    def check_rest(self, life: Life) -> None:
        """But for the moment until that is done."""
        state = self.machine.states.get(StateName(life.state))
        rests = state is not None and state.annotations.get("decide", "nothing") == "nothing" and not state.timeout_ms
        if not rests or not life.living():
            self.lives_since = None
            return
        self.lives_since = life.world.now if self.lives_since is None else self.lives_since
        must(life.world.now - self.lives_since < GONE_MS, f"{life.living()} workers live on, and it is {life.state}")

    # ---- the control log

    def check_log(self, life: Life) -> None:
        records, was = life.world.records, len(self.agreed)
        same = records[:was] == self.agreed if len(records) != was else not was or records[-1] is self.agreed[-1]
        must(same, "a control record has changed its meaning")
        for record in records[was:]:
            self.check_record(life, record)
        self.agreed += records[was:]

    def check_record(self, life: Life, record: ControlRecord) -> None:
        """Every task has its active replicas, ranked from 0 on."""
        wanted = life.plans[record.plan % 2]
        ranks = {ReplicaName(name): rank for name, rank in record.live.ranks}
        anchored = any(replica in ranks for task in wanted.sources for replica in wanted.replicas[task])
        for task, replicas in wanted.replicas.items():
            mine = sorted(ranks[one] for one in replicas if one in ranks)
            must(mine == list(range(len(mine))), f"record {record.number} ranks {task} {mine}")
            must(bool(mine) or (task in wanted.sources and not anchored), f"in record {record.number} nobody of {task} is active")

    # ---- the ground

    def check_start(self, life: Life, action: StartWorker) -> None:
        must(life.world.ground.nodes[action.node].is_open, f"{action.worker} is started on {action.node}, which is gone")

    def check_covered(self, life: Life) -> None:
        """Where a replica works that could compute a task, one that is active does, but for the time until that was seen."""
        world, now = life.world, life.world.now
        if life.state != "running" or life.is_silent or not world.anchored or now < max(life.silences.operator_ms, life.silences.api_ms):
            self.idle_since.clear()
            return
        active = {name for name, _ in world.record.live.ranks} if world.record is not None else set()
        copies = ((process, copy) for process, copy in world.ground.copies() if process.phase is Phase.READY)
        can = {copy.replica for _, copy in copies if world.ground.broken[copy.replica] <= 0}
        for task, replicas in world.wanted.replicas.items():
            if can.isdisjoint(replicas) or any(one in can and one in active for one in replicas):
                self.idle_since.pop(task, None)
                continue
            since = self.idle_since.setdefault(task, now)
            must(now - since < IDLE_MS, f"for {(now - since) // 1000} s nobody active of {task} could work, and another could")
