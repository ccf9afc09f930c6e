"""What the lifecycle's methods do on Kubernetes, for one topology.

Why: the document says when each is called; here each has its name. Each looks first, and does what is missing: whoever called it before
may have died in it.
Called by: life, through the lifecycle's runner, in threads: everything here may block.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from levee.lifecycle.handlers import Context
from levee.lifecycle.names import MethodName
from levee.serve.edits import Edits
from levee.serve.ground import Ground
from levee.serve.making import Making
from levee.serve.replicas import Replicas
from levee.serve.settling import Settling

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
        methods: dict[str, Deed] = {
            "read_spec": self.making.read_spec,
            "reread_spec": self.making.reread_spec,
            "map_streams": self.making.map_streams,
            "release_imports": self.making.release_imports,
            "make_plan": self.making.make_plan,
            "write_plan": self.making.write_plan,
            "forget_plan": self.making.forget_plan,
            "open_log": self.replicas.open_log,
            "start_replicas": self.replicas.start_replicas,
            "remove_replicas": self.replicas.remove_replicas,
            "set_the_clock": self.set_the_clock,
            "replan": self.edits.replan,
            "change_plan": self.edits.change_plan,
            "revert_plan": self.edits.revert_plan,
            "pause_at_epoch": self.replicas.order_stop,
            "stop_at_epoch": self.replicas.order_stop,
            "find_the_end": self.replicas.find_the_end,
            "settle_data": self.settle_data,
        }
        return {MethodName(name): deed for name, deed in methods.items()}

    def set_the_clock(self, context: Context) -> None:
        """And what was tried before that is over: its pod may have changed when it was to go."""
        self.edits.trials.clear()
        self.replicas.set_the_clock(context)

    def settle_data(self, context: Context) -> None:
        self.settling.settle(self.ground.resource, context, self.ground.open_blobs)
