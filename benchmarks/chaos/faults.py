"""The faults, one a line: an action of levee-chaos with its arguments, or a verb of the test cluster, and what is waited for.

Why: what is measured is the same fault that an experiment file asks for, by the same code.
Called by: keys, replicas, plain, report.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from benchmarks.chaos.settings import Mode
from benchmarks.cluster.rows import Key

NONE: Mapping[str, object] = MappingProxyType({})
LASTS_S, NODE_S = 15.0, 30.0  # the failure timeout is 5 s, and a node is given up after 9 s
PRIMARY = {"operator": "aggregator", "role": "primary"}


@dataclass(frozen=True, slots=True)
class Fault:
    name: str
    about: str
    action: str = ""  # of levee_chaos, with its module
    how: Mapping[str, object] = field(default_factory=lambda: NONE)
    whom: Mapping[str, object] = field(default_factory=lambda: PRIMARY)
    lasts_s: float = 0.0  # then it is undone
    verbs: tuple[str, str] | None = None  # of hack.cluster, to the primary's node: to do it and to undo it
    replaces: bool = False  # the primary's pod becomes another one
    plain: bool = False  # it is done to a plain pod, too

    def done_by(self) -> Callable[..., Mapping[str, object]]:
        module, _, name = self.action.partition(".")
        found: Callable[..., Mapping[str, object]] = getattr(importlib.import_module(f"levee_chaos.{module}"), name)
        return found


FAULTS = (
    Fault("pod", "its pod is deleted, with a grace of 0", "actions.crash_replica", {"by": "pod"}, replaces=True, plain=True),
    Fault("container", "the first process of its container is killed", "actions.crash_replica", {"by": "container"}, replaces=True),
    Fault("jvm", "its Java is killed", "actions.crash_replica", {"by": "jvm"}, replaces=True, plain=True),
    Fault("pause", f"it stands still for {LASTS_S:.0f} s", "actions.pause_replica", {"for_s": LASTS_S}, lasts_s=LASTS_S),
    Fault(
        "slow",
        f"it stands still for three quarters of the time, for {LASTS_S:.0f} s",
        "actions.slow_replica",
        {"for_s": LASTS_S, "share": 0.75},
        lasts_s=LASTS_S,
    ),
    Fault(
        "delay",
        f"what its node's workers send and get takes 100 ms longer, more or less 50, for {LASTS_S:.0f} s",
        "network.delay_network",
        {"for_s": LASTS_S, "ms": 100, "jitter_ms": 50},
        lasts_s=LASTS_S,
    ),
    Fault(
        "loss",
        f"a tenth of it is lost, for {LASTS_S:.0f} s",
        "network.lose_packets",
        {"for_s": LASTS_S, "share": 0.1},
        lasts_s=LASTS_S,
    ),
    Fault("operator", "Levee's operator is killed, and started again after 3 s"),
    Fault(
        "node", f"the power of its node is cut for {NODE_S:.0f} s", "actions.crash_node", {"driver": "cluster"}, lasts_s=NODE_S, plain=True
    ),
    Fault("partition", f"its node is cut off for {NODE_S:.0f} s", lasts_s=NODE_S, verbs=("partition", "heal")),
)
BY_NAME = {one.name: one for one in FAULTS}


def keys(mode: Mode, way: str) -> list[Key]:
    """In turns, so that an interrupted run has a bit of everything."""
    mine = [one.name for one in FAULTS if way != "plain" or one.plain]
    return [(name, number) for number in range(1, mode.times + 1) for name in mine]
