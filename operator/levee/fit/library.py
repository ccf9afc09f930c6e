"""The faults that a FIT document can name: what each does, whom it may be aimed at, and for how long it lasts.

Why: a document is refused before anything happens where it asks for what no fault can do; and the generator goes through this list.
Called by: schema, checks, generate; worlds carry the faults out.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

OPERATOR, OUTSIDE, REPLICA, WORKER, NODE, ZONE = "the operator", "what is outside", "a replica", "a worker", "a node", "a zone"
WAITS_MS: Final = 20_000  # for so long a fault of a worker waits for one


@dataclass(frozen=True, slots=True)
class Offer:
    name: str
    hits: str
    about: str
    aims: tuple[str, ...]  # the nouns of a target that it understands
    for_ms: int  # where the document does not say
    for_ms_max: int = 600_000

    @property
    def is_of_ground(self) -> bool:
        """It ends workers; all others leave them as they were."""
        return self.hits not in {OPERATOR, OUTSIDE}


OFFERS: Final = (
    Offer("crash_operator", OPERATOR, "Whoever manages the topology dies, and another one comes when the time is over.", (), 3_000),
    Offer("silence_store", OUTSIDE, "The store does not answer.", (), 10_000),
    Offer("silence_api", OUTSIDE, "The API server does not answer.", (), 10_000),
    Offer("crash_replica", REPLICA, "A replica fails at every epoch, wherever it is started.", ("task", "replica", "node"), 10_000),
    Offer(
        "crash_worker",
        WORKER,
        "The process dies that the replica is in; where none lives, the next one.",
        ("task", "replica", "node"),
        0,
        0,
    ),
    Offer(
        "pause_worker",
        WORKER,
        "The process stands still that the replica is in; where none works, the next one.",
        ("task", "replica", "node"),
        8_000,
    ),
    Offer("crash_node", NODE, "A node with everything on it.", ("node", "task", "replica"), 15_000),
    Offer("pause_node", NODE, "Everything on a node stands still.", ("node", "task", "replica"), 8_000),
    Offer("crash_zone", ZONE, "All nodes of a zone.", ("zone", "node", "task", "replica"), 15_000),
)
LIBRARY: Final[Mapping[str, Offer]] = {one.name: one for one in OFFERS}
