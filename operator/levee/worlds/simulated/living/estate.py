"""What a topology has beside its workers and its control log, and what its user wants of it.

Why: it outlives whoever looks after it; what only he remembers stands apart, and goes with him.
Called by: life, deeds, view.
"""

from dataclasses import dataclass, field

from levee.control.names import WorkerName


@dataclass(slots=True)
class Wishes:
    """What its user wants; the resource, in a word."""

    generation: int = 1
    broken: set[int] = field(default_factory=set)  # generations that no check passes
    infeasible: set[int] = field(default_factory=set)  # generations for which there is no plan
    hopeless: set[int] = field(default_factory=set)  # generations with which something never succeeds
    redrawn: set[int] = field(default_factory=set)  # generations with another graph than the one before
    suspend: bool = False
    deleted: bool = False
    nonce: int = 0

    def graph(self, generation: int) -> int:
        return sum(one <= generation for one in self.redrawn)

    def can_be(self, generation: int) -> bool:
        """In force."""
        return generation not in self.broken | self.infeasible | self.hopeless


@dataclass(slots=True)
class Estate:
    registrations: int = 0
    written: int = 0  # the generation whose plan was written down last; 0: there is none
    good: int = 0  # the generation that has last been ready by its plan
    data: bool = True
    exhausted: bool = False  # its sources have come to their ends
    adapts: bool = False  # a plan for what is measured is ready
    born: dict[WorkerName, int] = field(default_factory=dict)  # with which nonce each worker was started
    told: tuple[int, int] = (0, 0)  # read and nonce, as the status has them


@dataclass(slots=True)
class Memory:
    """Of who looks after it now."""

    read: int = 0  # the generation that was read last
    nonce: int = 0  # of the last start


@dataclass(slots=True)
class Silences:
    """Until when nobody answers."""

    store_ms: int = 0
    api_ms: int = 0
    operator_ms: int = 0  # there is nobody who looks after it
