"""Streams of other topologies, as users write them: what a source imports, and who may import.

Called by: topology.streams and topology.spec, which put the resource together.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from levee.topology.fields import Duration, Name, Part, Text


class StartingEpoch(StrEnum):
    """Where a source begins that has imported nothing yet."""

    EARLIEST = "earliest"
    LATEST = "latest"


class Import(Part):
    topology: Name = Field(description="The topology that emits the stream.", examples=["clicks"])
    namespace: Name | None = Field(
        default=None, description="The namespace of that topology, which must allow this one (spec.exports); this one when left out."
    )
    stream: Name = Field(description="The stream of that topology: the name of one of its sources or operators.", examples=["orders"])
    uid: Text | None = Field(
        default=None, description="The UID of that topology, where its store holds several of that name; found by the name when left out."
    )
    starting_epoch: Annotated[StartingEpoch, Field(strict=False)] = Field(
        default=StartingEpoch.EARLIEST, description="Where the first epoch begins: with all that is kept, or with what comes."
    )
    lease: Duration = Field(
        default="1h", validate_default=True, description="For how long the stream is kept for this source while it does not ask for it."
    )
    fail_on_data_loss: bool = Field(
        default=True, description="False passes over epochs that were trimmed before they were imported; else the source fails and says so."
    )


class Exports(Part):
    namespaces: Annotated[list[Text], Field(max_length=256)] = Field(
        default_factory=list, description="Other namespaces whose topologies may import streams of this one; '*' is all of them."
    )

    def allow(self, namespace: str) -> bool:
        return "*" in self.namespaces or namespace in self.namespaces
