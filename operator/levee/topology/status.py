"""The status of a FaultTolerantTopology: what the operator writes and people read.

Why: the schema in the cluster prunes what it does not know, so the status is declared beside the spec.
Called by: topology.crd.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from levee.topology.fields import Part

HISTORY_MAX = 32


class State(StrEnum):
    """Where a topology is in its life: the states of levee.lifecycle's documents."""

    SUBMITTED = "submitted"
    PARSING = "parsing"
    MAPPING = "mapping"
    OPTIMIZING = "optimizing"
    INSTANTIATING = "instantiating"
    DISPATCHING = "dispatching"
    RUNNING = "running"
    UPDATING = "updating"
    RESHAPING = "reshaping"
    REVERTING = "reverting"
    SUSPENDING = "suspending"
    SUSPENDED = "suspended"
    CANCELING = "canceling"
    COMPLETING = "completing"
    CLEANUP = "cleanup"
    FAILED = "failed"
    CANCELED = "canceled"
    COMPLETED = "completed"


class Truth(StrEnum):
    """Of a condition, as Kubernetes has it."""

    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"


Whole = Annotated[int, Field(ge=0)]
Amount = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Line = Annotated[str, Field(max_length=1024)]


class Passage(Part):
    state: State = Field(description="The state that was entered.")
    since: datetime = Field(description="When it was entered.")
    reason: Line | None = Field(default=None, description="Why, in one word.")


class Lifecycle(Part):
    """What the lifecycle must know of itself after a crash of whoever follows it."""

    ending: State | None = Field(default=None, description="How it will have ended when it is cleaned up.")
    failures: Whole | None = Field(default=None, description="Failures in a row.")
    failed_at: datetime | None = Field(default=None, description="When it failed last.")
    claims: Whole | None = Field(default=None, description="How often it was stored only so that another operator is overtaken.")
    read: Whole | None = Field(
        default=None, description="The generation of the spec that was read last, whether or not it could be put in force."
    )
    restart_nonce: Whole | None = Field(default=None, description="The restartNonce of the last start.")
    record: Line | None = Field(
        default=None, description="All of it, with state, since and attempts, and a checksum: what differs was written by somebody else."
    )


class Condition(Part):
    type: Annotated[str, Field(max_length=316)] = Field(description="Ready, Planned, Healthy, GuaranteeMet, DescriptorHolds or Complete.")
    status: Truth = Field(description="Whether the condition holds.")
    observed_generation: Whole | None = Field(default=None, description="The generation of the spec that the condition speaks of.")
    last_transition_time: datetime = Field(description="When the status of the condition changed last.")
    reason: Annotated[str, Field(min_length=1, max_length=1024)] = Field(description="Why, in one word.")
    message: Annotated[str, Field(max_length=32768)] = Field(description="Why, in words for people.")


class Replicas(Part):
    active: Whole | None = Field(default=None, description="Replicas that are active now and have caught up.")
    desired: Whole | None = Field(default=None, description="Replicas that the plan wants active in the configuration in force.")


class PlanStatus(Part):
    guarantee: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None, description="The completeness or fidelity that the plan guarantees."
    )
    cost: Amount | None = Field(default=None, description="CPU seconds per window that the plan is expected to use.")
    gap: Amount | None = Field(
        default=None, description="How far the plan may be from the best one, relative to it; 0 is proven to be the best."
    )
    optimiser: Line | None = Field(default=None, description="Which optimiser made the plan.")


class AccountStatus(Part):
    window: Amount | None = Field(default=None, description="Seconds over which it is accounted: faultTolerance.window.")
    promised: Share | None = Field(default=None, description="Share of the rows that was promised to be processed in time.")
    achieved: Share | None = Field(default=None, description="Share of the rows that operators have processed in time.")
    cost: Amount | None = Field(
        default=None, description="Time for which replicas were active, relative to that of static replication of everything."
    )
    input_kept: bool | None = Field(
        default=None, description="Whether the sources offered no more than some configuration declares; what was promised holds as long."
    )


class Status(Part):
    observed_generation: Whole | None = Field(default=None, description="The generation of the spec that the operator has seen.")
    state: State | None = Field(default=None, description="Where the topology is in its life.")
    since: datetime | None = Field(default=None, description="Since when it is there.")
    history: Annotated[list[Passage], Field(max_length=HISTORY_MAX)] | None = Field(
        default=None, description="The last states, oldest first."
    )
    lifecycle: Lifecycle | None = Field(default=None, description="For the operator: what it goes on from.")
    conditions: Annotated[list[Condition], Field(max_length=16)] | None = Field(
        default=None, description="Ready, Planned, Healthy, GuaranteeMet and perhaps DescriptorHolds and Complete, each with its reason."
    )
    configuration: Line | None = Field(default=None, description="The configuration of source rates that is in force.")
    replicas: Replicas | None = Field(default=None, description="How many replicas are and should be active.")
    plan: PlanStatus | None = Field(default=None, description="What the plan in force guarantees, and at what cost.")
    account: AccountStatus | None = Field(default=None, description="What was achieved over the window, and at what cost.")
    attempts: Whole | None = Field(default=None, description="How often the topology has been started since it was submitted.")
    lag_epochs: Whole | None = Field(default=None, description="By how many epochs the slowest sink is behind the sources.")
