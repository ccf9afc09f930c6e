"""Whether a run is ready, and whether it can still become so.

Why: who waits for a run must be told when it has begun to keep up, and also when it never will.
Called by: `run`, at every turn; `levee run --for`, which waits no longer for what has failed.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from levee.control.events import Event
from levee.control.names import Instant, ReplicaName
from levee.control.rules import backoff_ms
from levee.control.seen import Observation, Phase
from levee.control.standing import lag, reached, unready
from levee.control.wanted import Wanted
from levee.topology.names import TaskId

FAR_EPOCHS, FAR_MS = 10, 5_000  # both: a short period makes many epochs of a short time


@dataclass(slots=True)
class Readiness:
    wanted: Wanted
    period_ms: int
    ready: bool = False
    catches_up: bool = False
    failing: tuple[TaskId, ...] = ()  # tasks that no replica can do
    stuck: tuple[TaskId, ...] = ()  # of them those that have done no epoch, once nothing is left to wait for

    def events(self, seen: Observation, failing: Collection[ReplicaName], now: Instant) -> Iterator[Event]:
        yield from self.readiness(seen, now, failing)
        self.failing = tuple(task for task, mine in self.wanted.replicas.items() if all(self.is_lost(seen, one, failing) for one in mine))
        starting = not seen.homes or any(worker.phase is Phase.STARTING for worker in seen.homes.values())
        was, self.stuck = self.stuck, () if starting else tuple(task for task in self.failing if not reached(seen, task))
        if self.stuck and self.stuck != was:
            fix = "mend what they say and run it again, or end their workers (levee kill replica): they are started again"
            yield Event("run", f"cannot begin: {', '.join(self.stuck)} failed before the first epoch; {fix}", grave=True)

    def readiness(self, seen: Observation, now: Instant, failing: Collection[ReplicaName]) -> Iterator[Event]:
        """When it is lost, other events say why. Whoever has once caught up is not unready for being late; whoever fails is, also while
        it tries again."""
        behind = lag(self.wanted, seen)
        far = behind > FAR_EPOCHS and behind * self.period_ms > FAR_MS
        works = not unready(self.wanted, seen, now) and not failing
        was, self.ready = self.ready, works and (self.ready or not far)
        if self.ready and not was:
            yield Event("run", "is ready: every planned replica works and has done an epoch")
        caught_up, self.catches_up = not self.catches_up, works and not self.ready
        if self.catches_up and caught_up:
            yield Event("run", f"catches up: every planned replica works, {behind} epochs behind the sources")

    def is_lost(self, seen: Observation, replica: ReplicaName, failing: Collection[ReplicaName]) -> bool:
        if seen.nodes and not any(node.alive for node in seen.nodes):
            return True
        home = seen.homes.get(replica)
        given_up = home is not None and home.phase is Phase.ENDED and backoff_ms(self.wanted, home) is None
        return replica in failing or given_up
