"""What users do to a topology over its life, and what is to be seen after each deed.

Called by: the crash sweeps.
"""

from collections.abc import Callable, Sequence

from levee.lifecycle.machine import Machine
from levee.lifecycle.runner import Runner
from tests.lifecycle.fake import Operator, World

Deed = Callable[[World], None]


def edit(world: World) -> None:
    world.generation += 1


def edit_badly(world: World) -> None:
    world.generation += 1
    world.infeasible.add(world.generation)


def redraw(world: World) -> None:
    edit(world)
    world.redrawn.add(world.generation)


def suspend(world: World) -> None:
    world.suspend = True


def resume(world: World) -> None:
    world.suspend = False


def restart(world: World) -> None:
    world.nonce += 1


def delete(world: World) -> None:
    world.deleted = True


def exhaust(world: World) -> None:
    world.exhausted = True


def nothing(_: World) -> None:
    """It is only submitted."""


SCRIPTS: dict[str, tuple[str, tuple[Deed, ...]]] = {
    "edited, suspended, resumed and deleted": ("job", (nothing, edit, suspend, resume, delete)),
    "edited into nonsense, restarted and deleted": ("job", (nothing, edit_badly, restart, edit, delete)),
    "given another graph and deleted": ("job", (nothing, redraw, delete)),
    "comes to its end": ("bounded", (nothing, suspend, resume, exhaust, restart, delete)),
}


def seen(
    machine: Machine, deeds: Sequence[Deed], kill_at: Sequence[int] = (), kind: type[Runner] = Runner
) -> tuple[list[object], Operator]:
    """What is left after each deed, when everything has settled."""
    operator = Operator(machine, World(kill_at=frozenset(kill_at)), kind=kind)
    views: list[object] = []
    for deed in deeds:
        deed(operator.world)
        if deed is restart:
            operator.world.exhausted = False
        operator.settle()
        views.append(operator.world.left())
    return views, operator
