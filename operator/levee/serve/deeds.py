"""What the lifecycle's methods do on Kubernetes, for one topology.

Why: the document says when each is called; here each has its name. Each looks first, and does what is missing: whoever called it before
may have died in it.
Called by: life, through the lifecycle's runner, in threads: everything here may block.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from levee.lifecycle.handlers import Context, missing_handlers
from levee.lifecycle.machine import Machine
from levee.lifecycle.names import MethodName
from levee.serve.edits import Edits
from levee.serve.ground import Ground
from levee.serve.making import Making
from levee.serve.replicas import Replicas
from levee.serve.settling import Settling
from levee.topology.complaint import Complaint

Deed: TypeAlias = Callable[[Context], str | None]


@dataclass(slots=True)
class Deeds:
    ground: Ground
    making: Making = field(init=False)
    replicas: Replicas = field(init=False)
    edits: Edits = field(init=False)
    settling: Settling = field(init=False)

    def __post_init__(self) -> None:
        ground = self.ground
        self.making, self.replicas = Making(ground), Replicas(ground)
        self.edits = Edits(ground, self.making, self.replicas)
        self.settling = Settling(ground.shop, ground.owner, ground.news.append)

    @property
    def handlers(self) -> Mapping[MethodName, Deed]:
        return {name: deed_of(self) for name, deed_of in METHODS.items()}

    def set_the_clock(self, context: Context) -> None:
        """And what was tried before that is over: its pod may have changed when it was to go."""
        self.edits.trials.clear()
        self.replicas.set_the_clock(context)

    def settle_data(self, context: Context) -> None:
        self.settling.settle(self.ground.resource, context, self.ground.open_store)


BY_NAME: dict[str, Callable[[Deeds], Deed]] = {
    "read_spec": lambda deeds: deeds.making.read_spec,
    "reread_spec": lambda deeds: deeds.making.reread_spec,
    "map_streams": lambda deeds: deeds.making.map_streams,
    "release_imports": lambda deeds: deeds.making.release_imports,
    "make_plan": lambda deeds: deeds.making.make_plan,
    "write_plan": lambda deeds: deeds.making.write_plan,
    "forget_plan": lambda deeds: deeds.making.forget_plan,
    "open_log": lambda deeds: deeds.replicas.open_log,
    "start_replicas": lambda deeds: deeds.replicas.start_replicas,
    "remove_replicas": lambda deeds: deeds.replicas.remove_replicas,
    "set_the_clock": lambda deeds: deeds.set_the_clock,
    "replan": lambda deeds: deeds.edits.replan,
    "change_plan": lambda deeds: deeds.edits.change_plan,
    "revert_plan": lambda deeds: deeds.edits.revert_plan,
    "pause_at_epoch": lambda deeds: deeds.replicas.order_stop,
    "stop_at_epoch": lambda deeds: deeds.replicas.order_stop,
    "find_the_end": lambda deeds: deeds.replicas.find_the_end,
    "settle_data": lambda deeds: deeds.settle_data,
}
METHODS = {MethodName(name): deed_of for name, deed_of in BY_NAME.items()}


def missing(document: Machine) -> tuple[Complaint, ...]:
    """What a lifecycle calls and nobody here can do."""
    return missing_handlers(document, METHODS)
