"""A fault as a value: what, whom, and its numbers.

Why: the same experiment means the same on a laptop and on a cluster, because nothing in it names a process or a pod.
Called by: actions, which make it; aim, journal and the worlds.
"""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    CRASH_REPLICA = "crash replica"
    CRASH_WORKER = "crash worker"
    CRASH_NODE = "crash node"
    PAUSE_REPLICA = "pause replica"
    PAUSE_NODE = "pause node"
    SLOW_REPLICA = "slow replica"

    @property
    def is_of_node(self) -> bool:
        return self in {Kind.CRASH_NODE, Kind.PAUSE_NODE}

    @property
    def is_crash(self) -> bool:
        return self in {Kind.CRASH_REPLICA, Kind.CRASH_WORKER, Kind.CRASH_NODE}


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
    role: Role = Role.ANY

    @property
    def is_nobody(self) -> bool:
        return not (self.operator or self.task or self.replica or self.worker or self.node) and self.role is Role.ANY


@dataclass(frozen=True, slots=True)
class Fault:
    kind: Kind
    whom: Whom
    for_ms: int = 0  # then it ends by itself; 0: a crash, which does not
    share: float = 0.0  # of the time that who is slowed stands still
