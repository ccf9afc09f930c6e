"""Executors of a lifecycle that break a promise of the real one.

Why: a sweep that finds nothing is worth something only if it finds these.
Called by: tests that crash lives, here and in tests/fit.
"""

from levee.lifecycle.names import EventName
from levee.lifecycle.runner import Runner
from levee.lifecycle.step import step


class ActsFirst(Runner):
    """What must not be: it acts, then it writes down what it has done."""

    async def take(self, event: EventName) -> EventName | None:
        assert self.position is not None
        before, after = self.position, step(self.machine, self.position, event, self.clock())
        self.position, said = after.position, None
        self.taken.append(after.transition)
        for name in after.methods:
            said = await self.perform(name, before, after)
            if said is not None or self.position.failing is not None:
                break
        if after.persist:
            self.version = await self.records.store(after.position.record, expected=self.version)
        return said


class Forgets(Runner):
    """What must not be: it takes a stored state for granted, and recovers nothing."""

    async def open(self) -> EventName | None:
        await super().open()
        return None
