"""Why a role has ended, for whoever started it.

Called by: roles (as the reason they end), supervisors (to decide what to start instead).
"""

from dataclasses import dataclass
from enum import StrEnum


class Why(StrEnum):
    STOPPED = "stopped"  # the last epoch of a stop is done
    OTHER_CODE = "other code"  # the next epoch is another function's
    OTHER_GRAPH = "other graph"  # the next epoch is for whoever is wired as the topology is by then
    DIVERGED = "diverged"  # and onDivergence is fail
    FAILED = "failed"  # the function raised, and onError is fail


@dataclass(frozen=True, slots=True)
class Ending:
    why: Why
    epoch: int
    detail: str = ""  # the function to start instead; the error


class Ended(Exception):
    def __init__(self, ending: Ending) -> None:
        super().__init__(ending)
        self.ending = ending


class Refork(Exception):
    """One's state is not, or no longer, on the committed line: begin again from a published checkpoint."""

    def __init__(self, why: str, epoch: int) -> None:
        super().__init__(why)
        self.why, self.epoch = why, epoch
