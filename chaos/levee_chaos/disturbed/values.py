"""What can happen to the requests of a node's workers, as a value and as text.

Called by: place (files), passage (does it), the local world (makes it).
"""

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import blake2b


class Way(StrEnum):
    PARTITION = "partition"  # neither requests nor answers arrive
    DELAY = "delay"  # each request takes so much longer
    LOSS = "loss"  # a share of what is sent is lost, and sent again
    BANDWIDTH = "bandwidth"
    FAILS = "fails"  # a share of the requests is answered with an error
    FULL = "full"  # nothing can be written
    STORE_CLOCK = "store clock"  # its stamps are off
    CLOCK = "clock"  # the clock that a worker goes by is ahead


@dataclass(frozen=True, slots=True)
class Disturbance:
    way: Way
    node: str = ""  # whose workers; empty: everybody's, and the controller's
    peer: str = ""  # of a partition: "store" or "operator"; empty: both
    share: float = 0.0
    ms: int = 0
    jitter_ms: int = 0
    bytes_per_s: int = 0

    @property
    def name(self) -> str:
        """The same disturbance has the same name, so it stands once."""
        told = json.dumps(asdict(self), sort_keys=True).encode()
        return f"{self.way.replace(' ', '-')}-{blake2b(told, digest_size=5).hexdigest()}"

    def concerns(self, node: str) -> bool:
        return self.node in {"", node}

    def cuts_off(self, peer: str) -> bool:
        return self.way is Way.PARTITION and self.peer in {"", peer}


def written(one: Disturbance) -> str:
    return json.dumps(asdict(one))


def read(text: str) -> Disturbance:
    value = json.loads(text)
    return Disturbance(**value | {"way": Way(value["way"])})
