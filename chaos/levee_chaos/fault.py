"""A fault as a value: what, whom, and its numbers.

Why: the same experiment means the same on a laptop and on a cluster, because nothing in it names a process or a pod.
Called by: actions, which make it; aim, journal and the worlds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum, auto
from typing import Any, Self


class Reach(Enum):
    """How far a fault goes."""

    WORKER = auto()  # of one replica, and all that share it
    NODE = auto()
    ZONE = auto()  # all of its nodes
    TOPOLOGY = auto()  # what is there once: nobody in particular is hit


class Kind(StrEnum):
    """Each world has a handler for each: levee_chaos.worlds.local.deeds, levee_chaos.worlds.kubernetes.deeds."""

    reach: Reach

    def __new__(cls, word: str, reach: Reach = Reach.WORKER) -> Self:
        found = str.__new__(cls, word)
        found._value_, found.reach = word, reach
        return found

    CRASH_REPLICA = "crash replica", Reach.WORKER
    CRASH_WORKER = "crash worker", Reach.WORKER
    CRASH_NODE = "crash node", Reach.NODE
    CRASH_ZONE = "crash zone", Reach.ZONE
    CRASH_OPERATOR = "crash operator", Reach.TOPOLOGY
    CUT_OPERATOR = "cut operator", Reach.TOPOLOGY
    PAUSE_REPLICA = "pause replica", Reach.WORKER
    PAUSE_NODE = "pause node", Reach.NODE
    SLOW_REPLICA = "slow replica", Reach.WORKER
    PARTITION_NODE = "partition node", Reach.NODE
    DELAY_NETWORK = "delay network", Reach.NODE
    LOSE_PACKETS = "lose packets", Reach.NODE
    LIMIT_BANDWIDTH = "limit bandwidth", Reach.NODE
    FAIL_STORE = "fail store", Reach.TOPOLOGY
    SLOW_STORE = "slow store", Reach.TOPOLOGY
    FILL_DISK = "fill disk", Reach.TOPOLOGY
    SKEW_CLOCK = "skew clock", Reach.NODE
    SKEW_STORE_CLOCK = "skew store clock", Reach.TOPOLOGY
    CORRUPT_OBJECT = "corrupt object", Reach.TOPOLOGY
    CORRUPT_STATUS = "corrupt status", Reach.TOPOLOGY


class Role(StrEnum):
    PRIMARY = "primary"
    SECONDARY = "secondary"  # any that is not the primary, a standby included
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Whom:
    """As the user has said it: all of it must hold; what is empty is not said."""

    topology: str = ""  # "shop/clicks", or "clicks"
    operator: str = ""
    task: str = ""
    replica: str = ""
    worker: str = ""
    node: str = ""
    zone: str = ""
    role: Role = Role.ANY

    @property
    def is_nobody(self) -> bool:
        return not any((self.operator, self.task, self.replica, self.worker, self.node, self.zone)) and self.role is Role.ANY


@dataclass(frozen=True, slots=True)
class Fault:
    kind: Kind
    whom: Whom
    for_ms: int = 0  # then it ends by itself; 0: as long as the experiment, or a crash, which does not
    how: Mapping[str, Any] = field(default_factory=dict)  # the numbers of its kind, as its action has checked them
