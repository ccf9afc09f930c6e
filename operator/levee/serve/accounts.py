"""The account of one topology, as long as this process leads it: by what its plan in force promises.

Called by: life, before it says how things are.
"""

from dataclasses import dataclass

from levee.control.account import Statement
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.serve.ground import Ground
from levee.serve.promises import wanted_of
from levee.worlds.accounting import Accounting, level_of
from levee.worlds.plans import WrittenPlan


@dataclass(slots=True)
class Accounts:
    accounting: Accounting | None = None
    plan: WrittenPlan | None = None  # by which it is accounted

    def look(self, ground: Ground, seen: Observation, now: Instant, wall_ms: int) -> Statement | None:
        world, plan = ground.world, ground.plan
        if world is None or plan is None:
            return None
        if self.accounting is None or plan is not self.plan:
            self.follow(ground, plan)
        assert self.accounting is not None
        return self.accounting.look(world.wanted, seen, now, wall_ms)

    def follow(self, ground: Ground, plan: WrittenPlan) -> None:
        book = ground.need_world().book
        level = level_of(book.wiring, ground.read_resource(plan.resource).spec, wanted_of(plan))
        if self.accounting is None:
            self.accounting = Accounting(book.driver.blobs, book.wiring.layout, level)
        else:
            self.accounting.follow(level)
        self.plan = plan
