"""What the lifecycle's methods do in the simulated world, by the controller's own rules.

Why: each looks first, and does what is missing, as those on a cluster do. Imports, data and plans are no more here than that they exist.
Called by: life.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from levee.control import rules
from levee.control.actions import Reason
from levee.lifecycle.handlers import Context
from levee.lifecycle.names import MethodName
from levee.worlds.simulated.living.dying import must
from levee_spark.log import control

if TYPE_CHECKING:
    from levee.worlds.simulated.living.life import Life

DIVISIBLE: Final = frozenset({MethodName("start_replicas"), MethodName("remove_replicas")})  # they act on one worker after the other


async def read_spec(life: Life, _: Context) -> str:
    life.memory.read = life.wishes.generation
    if not life.estate.written:
        life.memory.nonce = life.wishes.nonce
    return "refused" if life.memory.read in life.wishes.broken else "parsed"


async def reread_spec(life: Life, context: Context) -> str | None:
    return "refused" if await read_spec(life, context) == "refused" else None


async def map_streams(life: Life, _: Context) -> str:
    life.need_store()
    life.estate.registrations += 1
    must(life.estate.registrations == 1, "what it imports is registered twice")
    return "mapped"


async def release_imports(life: Life, _: Context) -> None:
    life.need_store()
    life.estate.registrations = 0


async def make_plan(life: Life, _: Context) -> str:
    return "infeasible" if life.memory.read in life.wishes.infeasible else "planned"


async def replan(life: Life, context: Context) -> str:
    life.need_store()
    said = await read_spec(life, context)
    if said != "refused":
        said = await make_plan(life, context)
    runs = life.world.record is not None and not life.world.stopped
    is_other = life.wishes.graph(life.memory.read) != life.wishes.graph(life.in_force)
    return "reshape" if said == "planned" and runs and is_other else said


async def write_plan(life: Life, _: Context) -> str:
    life.need_store()
    life.estate.written = life.memory.read
    return "written"


async def forget_plan(life: Life, _: Context) -> None:
    life.estate.written = life.estate.good = 0


async def open_log(life: Life, _: Context) -> None:
    """Who was killed after the record finds it there."""
    life.need_store()
    world, plan = life.world, life.estate.written
    world.wanted = life.plans[plan % 2]
    if world.record is None or world.record.shape.stopped or world.record.plan != plan:
        seen = replace(life.observe(), opened=False)
        await life.carry_out(rules.open_the_log(world.wanted, seen, world.now), "open_log", plan)


async def change_plan(life: Life, context: Context) -> None:
    life.need_store()
    life.estate.written, life.estate.adapts = life.memory.read, False
    await life.point()
    await open_log(life, context)


async def revert_plan(life: Life, context: Context) -> None:
    """What was taken up by now is taken back."""
    life.need_store()
    life.estate.written = life.estate.good or life.in_force
    await life.point()
    await open_log(life, context)


async def start_replicas(life: Life, context: Context) -> None:
    life.need_store()
    if context.record.state == "dispatching":
        await end_earlier_starts(life)
    await life.carry_out(rules.start_what_is_planned(life.world.wanted, life.observe(), life.world.now), "start_replicas")


async def end_earlier_starts(life: Life) -> None:
    """By what they bear: who dies in this, and who goes on with it, end no worker twice."""
    life.memory.nonce = life.wishes.nonce
    for worker in [one for one in life.world.ground.processes if life.estate.born.get(one) != life.memory.nonce]:
        await remove(life, worker)


async def remove_replicas(life: Life, _: Context) -> None:
    workers = [*life.world.ground.processes]
    for number, worker in enumerate(workers, start=1):
        await remove(life, worker)
        life.acted(MethodName("remove_replicas"), number, len(workers))


async def remove(life: Life, worker: Any) -> None:
    await life.point()
    life.need_api()
    life.world.ground.end(worker, life.world.now, "was removed")
    life.world.ground.processes.pop(worker)
    life.estate.born.pop(worker, None)
    life.world.change()


async def set_the_clock(life: Life, _: Context) -> None:
    life.need_store()
    seen = life.observe()
    if not seen.anchored:
        await life.carry_out(rules.set_the_clock(life.world.wanted, seen, life.world.now), "set_the_clock")
    if not life.estate.good or life.wishes.can_be(life.in_force):
        life.estate.good = life.in_force


async def order_stop(life: Life, context: Context) -> None:
    life.need_store()
    reason = f"{Reason.COMPLETED}: {rules.ALL_DONE}" if context.record.state == "completing" else f"{Reason.STOPPING}"
    write_stop(life, reason)


def write_stop(life: Life, reason: str) -> None:
    record = life.world.record
    if record is not None and not record.shape.stopped:
        stopped = control.successor(record, "", shape=replace(record.shape, stopped=True))
        life.world.write(replace(stopped, reason=reason))


async def find_the_end(life: Life, _: Context) -> str | None:
    life.need_store()
    seen = life.observe()
    return "ended" if seen.completed and rules.finish_when_stopped(life.world.wanted, seen, life.world.now) is not None else None


async def settle_data(life: Life, _: Context) -> None:
    life.need_store()
    life.estate.data = life.estate.data and not life.wishes.deleted


Method = Callable[["Life", Context], Coroutine[Any, Any, "str | None"]]
METHODS: Final[Mapping[str, Method]] = {
    one.__name__: one
    for one in (
        *(read_spec, reread_spec, map_streams, release_imports, make_plan, write_plan, forget_plan, open_log, start_replicas),
        *(remove_replicas, set_the_clock, replan, change_plan, revert_plan, find_the_end, settle_data),
    )
} | {"pause_at_epoch": order_stop, "stop_at_epoch": order_stop}
