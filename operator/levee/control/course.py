"""Which configurations have been in force, and whether the last step down was taken back.

Why: a step down is a bet that the rates stay down. Who has just lost one does not make the next one at once.
Called by: worlds, which note; the rule that follows rates, which asks.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from levee.control.names import Instant
from levee.control.seen import Course
from levee.control.space import covers
from levee.topology.graph import Configuration
from levee.topology.names import ConfigurationName

KEPT_MS = 600_000


@dataclass(slots=True)
class Noted:
    """By one controller; whoever takes over begins anew."""

    course: Course = ()

    def note(self, now: Instant, configuration: ConfigurationName | None) -> Course:
        if configuration is not None and (not self.course or self.course[-1][1] != configuration):
            recent = (one for one in self.course[:-1] if now - one[0] <= KEPT_MS)
            self.course = (*recent, *self.course[-1:], (now, configuration))
        return self.course


def taken_back(course: Course, configurations: Sequence[Configuration]) -> Instant | None:
    """When the last step down was that a step up came after. Down is where not all is covered that the one before covered."""
    rows = {one.name: one.rows_per_s for one in configurations}
    known = [(at, rows[name]) for at, name in course if name in rows]
    steps = [(at, not covers(after, before, 0.0)) for (_, before), (at, after) in pairwise(known)]
    ups = [at for at, down in steps if not down]
    return max((at for at, down in steps if down and at < max(ups, default=at)), default=None)
