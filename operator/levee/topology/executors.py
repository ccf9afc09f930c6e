"""Executors of an operator: processes of Spark's own that compute what is too much for one worker.

Called by: topology.streams, which makes it a field of operators; whoever starts workers.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import Field

from levee.topology.fields import Memory, Part
from levee.topology.names import OperatorName

EXECUTORS_MAX, CORES_MAX = 100, 64


class Executors(Part):
    instances: Annotated[int, Field(ge=1, le=EXECUTORS_MAX)] = Field(description="Executors of each replica.", examples=[2])
    cores: Annotated[int, Field(ge=1, le=CORES_MAX)] = Field(default=1, description="CPU cores of each executor.")
    memory: Memory = Field(
        default="1g", validate_default=True, description="Heap of each executor, such as 1g or 512m; its pod gets what Spark adds to it."
    )

    @property
    def slots(self) -> int:
        """What they compute at the same time."""
        return self.instances * self.cores


def by_operator(pairs: Iterable[tuple[str, Executors | None]]) -> Mapping[OperatorName, Executors]:
    """Of the operators that have any."""
    return {OperatorName(name): executors for name, executors in pairs if executors is not None}
