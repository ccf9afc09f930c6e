"""What anybody can see of a life that has settled, and whether it has.

Why: two lives are compared by what they leave; what chance has given, such as the numbers of records, is not in it.
Called by: `levee.fit`.
"""

from collections.abc import Mapping

from levee.control.actions import Reason
from levee.control.seen import Phase
from levee.control.standing import unready
from levee.lifecycle.names import Kind
from levee.worlds.simulated.living.life import Life

AT_REST = {Reason.SETTLED, Reason.RATES_UNKNOWN, Reason.INPUT_ABOVE_CONTRACT}


def left(life: Life, *, strictly: bool) -> Mapping[str, object]:
    """`strictly`: the workers are the same ones, by their attempts."""
    record, estate, world = life.loaded, life.estate, life.world
    log = world.record
    workers = [
        f"{process.order.worker} on {process.order.node}: {' '.join(process.order.replicas)}"
        + f", attempt {process.order.attempt}" * strictly
        for process in world.ground.processes.values()
        if process.phase is not Phase.ENDED
    ]
    return {
        "state": record.record.state if record is not None else None,
        "ending": record.record.ending if record is not None else None,
        "workers": sorted(workers),
        "plan": estate.written,
        "plan in force": life.in_force,
        "active": sorted(name for name, _ in log.live.ranks) if log is not None else [],
        "stopped": world.stopped,
        "completed": life.is_completed,
        "anchored": world.anchored and world.anchored_ms is not None,
        "registrations": estate.registrations,
        "data": estate.data,
        "nonce": life.memory.nonce,
    }


def unsettled(life: Life) -> str:
    """Why it has not come to rest yet, as its user wants it; empty: it has."""
    position = life.position
    if position is None or position.failing is not None:
        return (
            f"it fails in {life.state}: {position.failing.why}"
            if position is not None and position.failing is not None
            else "nobody is there"
        )
    state = life.machine.states[position.state]
    if state.kind is Kind.PASSING or life.state != position.state:
        return f"it is {position.state}"
    if state.annotations.get("decide") != "all":
        return at_rest(life)
    return "" if life.decision is None else runs(life)


def at_rest(life: Life) -> str:
    wishes, state = life.wishes, life.state
    if life.living():
        return f"it is {state}, and {life.living()} workers live"
    if wishes.deleted and state != "canceled":
        return f"it is {state}, and its user has deleted it"
    return f"it is {state}, and its user wants it to run" if state == "submitted" and not wishes.suspend else ""


def runs(life: Life) -> str:
    world, wishes = life.world, life.wishes
    seen, decision = life.observe(), life.decision
    if wishes.deleted or wishes.suspend:
        return "it runs, and its user wants it not to"
    wanted = life.in_force == wishes.generation or not wishes.can_be(wishes.generation)
    if not wanted or {life.estate.written, life.estate.good} != {life.in_force}:
        return f"generation {life.in_force} is in force, {life.estate.written} is written, and {wishes.generation} is wanted"
    if missing := unready(world.wanted, seen, world.now):
        return f"it waits for {', '.join(missing)}"
    if decision is None or decision.reason not in AT_REST:
        return f"{decision.reason}: {decision.text}" if decision is not None else "nothing was decided"
    named = {name for name, _ in world.record.live.ranks} if world.record is not None else set()
    planned = world.wanted.active[world.configuration] if world.configuration is not None else set()
    homes = {(placed.worker, placed.node) for placed in world.wanted.workers}
    there = {(one.order.worker, one.order.node) for one in world.ground.processes.values() if one.phase is not Phase.ENDED}
    if named != planned:
        return f"active are {', '.join(sorted(named))}, and planned {', '.join(sorted(planned))}"
    return "" if there == homes else f"workers are {sorted(there)}, and planned {sorted(homes)}"
