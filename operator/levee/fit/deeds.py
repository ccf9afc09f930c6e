"""What can be done to a life from outside, so that an event holds.

Why: what a method says is asked of the method; all else is somebody's doing, or the world's.
Called by: steering.
"""

from collections.abc import Callable, Mapping

from levee.control.actions import Reason
from levee.worlds.simulated.living.deeds import write_stop
from levee.worlds.simulated.living.life import Life


def delete_workers(life: Life) -> None:
    """As somebody may do by hand."""
    life.world.ground.clear(life.world.now)
    life.world.change()


def edit(life: Life) -> None:
    life.wishes.generation += life.wishes.generation in {life.in_force, life.memory.read}


def restart(life: Life) -> None:
    life.wishes.nonce += life.wishes.nonce == life.memory.nonce
    life.estate.exhausted = False


def cancel(life: Life) -> None:
    life.wishes.deleted = True


def suspend(life: Life) -> None:
    life.wishes.suspend = True


def resume(life: Life) -> None:
    life.wishes.suspend = False


def adapt(life: Life) -> None:
    life.estate.adapts = True


def exhaust(life: Life) -> None:
    life.estate.exhausted = True


def end(life: Life) -> None:
    """Its sources end without being asked, as those do that another topology feeds."""
    if life.world.anchored:
        write_stop(life, Reason.COMPLETED)


DEEDS: Mapping[str, Callable[[Life], None]] = {one.__name__: one for one in (edit, restart, cancel, suspend, resume, adapt)} | {
    "exhausted": exhaust,
    "ended": end,
    "admit": resume,
}
