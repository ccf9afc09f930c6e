"""Where a worker asks Kubernetes for executors, as its order has it.

Called by: worker.order, which reads it; executors.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Cluster:
    server: str  # https://host:port
    namespace: str
    pod: str  # the driver's own: executors are owned by it, and go with it
    address: str
    image: str
    template: Mapping[str, Any]  # of an executor's pod
