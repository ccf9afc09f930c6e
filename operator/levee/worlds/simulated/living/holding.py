"""Which events of the lifecycle hold in a simulated life.

Why: the document says what each means; this is the one place where that becomes true or false here.
Called by: life, at every turn.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

from levee.control import outages, rules
from levee.control.seen import Observation
from levee.lifecycle.names import EventName

if TYPE_CHECKING:
    from levee.worlds.simulated.living.life import Life


def holding(life: Life, seen: Observation) -> Collection[EventName]:
    found = {**of_user(life), **of_world(life, seen)}
    return {EventName(name) for name, is_so in found.items() if is_so and name in life.machine.events}


def of_user(life: Life) -> dict[str, bool]:
    wishes = life.wishes
    return {
        "admit": not wishes.suspend,
        "resume": not wishes.suspend,
        "suspend": wishes.suspend,
        "cancel": wishes.deleted,
        "edit": wishes.generation not in {life.in_force, life.memory.read},
        "restart": wishes.nonce != life.memory.nonce,
    }


def of_world(life: Life, seen: Observation) -> dict[str, bool]:
    wanted, now = life.world.wanted, life.world.now
    ready = seen.anchored or rules.set_the_clock(wanted, replace(seen, anchored=False), now) is not None
    stopped = rules.finish_when_stopped(wanted, seen, now) is not None
    return {
        "all_ready": ready and seen.record is not None,
        "lost": bool(outages.lasting(seen.outages, now, wanted.patience.failure_ms)),
        "stopped": seen.record is None or stopped or was_never_begun(life, seen),
        "ended": seen.completed and stopped,
        "exhausted": life.estate.exhausted and seen.anchored,
        "adapt": life.estate.adapts,
        "cleaned": not life.living() and not life.estate.registrations,
    }


def was_never_begun(life: Life, seen: Observation) -> bool:
    """Stopped before its sources were told to begin: nobody will ever seal the epoch that would be the last."""
    sources = {one for task in life.world.wanted.sources for one in life.world.wanted.replicas[task]}
    return seen.record is not None and seen.record.shape.stopped and sources.isdisjoint(seen.ranks())
