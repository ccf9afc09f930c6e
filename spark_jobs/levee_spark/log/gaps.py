"""Epochs that are gone: absent, although later ones of the same stream are there.

Why: epochs are committed one after the other, so what is absent before others is not to come: the store has lost it, or somebody has
deleted it. Whoever waited for it would wait for ever, and nobody would know.
Called by: `inputs`, whenever an epoch is absent.
"""

from dataclasses import dataclass, field

from levee.topology.names import TaskId
from levee_spark.log import ask
from levee_spark.log.requests import Script
from levee_spark.log.wiring import Wiring

AFTER = 2  # times `failureTimeout` that nothing comes


@dataclass(slots=True)
class Gaps:
    wiring: Wiring
    since_ms: dict[tuple[TaskId, int], int] = field(default_factory=dict)  # what is absent
    gone: set[tuple[TaskId, int]] = field(default_factory=set)

    def forget(self) -> None:
        """Another epoch is waited for."""
        self.since_ms, self.gone = {}, set()

    def is_gone(self, task: TaskId, epoch: int, now_ms: int) -> Script[bool]:
        """Asked seldom; and whoever has seen a later epoch looks again, for both may have been committed since."""
        if (task, epoch) in self.gone:
            return True
        since_ms = self.since_ms.setdefault((task, epoch), now_ms)
        if now_ms - since_ms < AFTER * self.wiring.times.failure_timeout_ms:
            return False
        self.since_ms[task, epoch] = now_ms
        key = self.wiring.layout.epoch(task, epoch)
        later = yield from ask.page_of(self.wiring.layout.epochs(task), key, 1)
        if not later or (yield from ask.is_there(key)):
            return False
        self.gone.add((task, epoch))
        return True
