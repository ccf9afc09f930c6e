"""The graph as users write it: sources, operators with their inputs, sinks.

Why: these are the parts that emit and read streams; what is wanted of them stands in topology.wanted.
Called by: topology.spec, which puts the resource together.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from levee.topology.executors import Executors
from levee.topology.fields import FUNCTION_PATTERN, STREAMS_MAX, Count, Duration, Fraction, Name, Options, Part, Positive, Shares, Text
from levee.topology.graph import Late
from levee.topology.imports import Import


class OnError(StrEnum):
    """What happens when the user's function raises."""

    FAIL = "fail"
    SKIP = "skip"


class OnDivergence(StrEnum):
    """What a replica does whose line of epochs is not the committed one."""

    RESYNC = "resync"
    FAIL = "fail"


class OldState(StrEnum):
    """What becomes of an operator's state when its function is edited."""

    KEEP = "keep"
    DISCARD = "discard"


class Spark(Part):
    format: Text = Field(description="Name of the Spark data source, such as kafka, rate or parquet.", examples=["kafka"])
    options: Options = Field(
        default_factory=dict, description="Options that are handed to Spark as they are; numbers and booleans in quotes."
    )


class Level(Part):
    name: Name | None = Field(default=None, description="Name of this rate in plans; c0, c1, ... in the order given when left out.")
    rate: Positive = Field(description="Rows per second.", examples=[1])
    probability: Fraction = Field(
        default=1.0, description="Fraction of the time for which this rate holds; a source's probabilities add up to 1."
    )


class Stream(Part):
    """What emits: the fields that sources and operators have in common."""

    name: Name = Field(description="Name of this part and of the stream it emits.", examples=["market"])
    parallelism: Count = Field(default=1, description="Number of tasks.")
    shares: Shares | None = Field(
        default=None, description="Fraction of the rows, as the keys spread them, that each task gets, one per task; equal when left out."
    )
    deadline: Duration | None = Field(
        default=None,
        description="How late an epoch may be, after its inputs were complete or, at a source, after it was due; "
        "when left out twice replicas x hold + period.",
    )
    late: Annotated[Late, Field(strict=False)] = Field(
        default=Late.WAIT,
        description="What happens to an epoch after its deadline: wait for it, skip it, or go on with what is there and correct it later, "
        "without (tentative) or with a prediction in the gap (predict).",
    )


class Source(Stream):
    spark: Spark | None = Field(default=None, description="The Spark streaming source to read; either this or import.")
    import_: Import | None = Field(default=None, alias="import", description="A stream of another topology to read; either this or spark.")
    configurations: Annotated[list[Level], Field(max_length=64)] = Field(
        default_factory=list,
        description="The rates of this source and how much of the time each holds; may be left out where spec.configurations says it.",
    )


class Input(Part):
    origin: Name = Field(alias="from", description="The source or operator whose stream is read.", examples=["market"])
    partition_by: Annotated[list[Text], Field(max_length=32)] | None = Field(
        default=None,
        description="Columns by whose values rows are spread over the tasks; when left out tasks are wired one-to-one, or split or merged.",
    )
    selectivity: Positive = Field(default=1.0, description="Rows emitted per row read from this input.")
    cost: Duration = Field(description="CPU time per row read from this input, such as 12us.", examples=["1us"])


class Operator(Stream):
    function: Annotated[str, Field(pattern=FUNCTION_PATTERN, max_length=512)] = Field(
        description="The Python function that computes the operator, as module:function.", examples=["shop.clicks:count"]
    )
    inputs: Annotated[list[Input], Field(min_length=1, max_length=32)] = Field(
        description="The streams that are read, each with its cost and selectivity.", examples=[[{"from": "market", "cost": "1us"}]]
    )
    correlated: bool = Field(default=False, description="True for joins: without rows of one input those of the others are of no use.")
    repeatable: bool = Field(
        default=True,
        description="False where `levee check` finds that two replicas would differ: one of each task is active, the others stand by.",
    )
    on_error: Annotated[OnError, Field(strict=False)] = Field(default=OnError.FAIL, description="What happens when the function raises.")
    on_divergence: Annotated[OnDivergence, Field(strict=False)] = Field(
        default=OnDivergence.RESYNC, description="What a replica does that computed something else than what is committed."
    )
    state: Annotated[OldState, Field(strict=False)] = Field(
        default=OldState.KEEP,
        description="What becomes of the state when another function is named: kept, if that can go on with it, or discarded.",
    )
    executors: Executors | None = Field(
        default=None, description="Executors of Spark's that compute each replica, for heavy operators; its worker alone when left out."
    )


class Sink(Part):
    name: Name = Field(description="Name of the sink.", examples=["bargains"])
    origin: Name = Field(alias="from", description="The source or operator whose stream is delivered.", examples=["index"])
    spark: Spark = Field(
        description="The Spark writer that delivers the stream.",
        examples=[{"format": "parquet", "options": {"path": "s3://bucket/folder"}}],
    )


Sources = Annotated[list[Source], Field(min_length=1, max_length=STREAMS_MAX)]
Operators = Annotated[list[Operator], Field(min_length=1, max_length=STREAMS_MAX)]
Sinks = Annotated[list[Sink], Field(min_length=1, max_length=STREAMS_MAX)]
