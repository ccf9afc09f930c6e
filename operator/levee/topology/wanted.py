"""What is wanted of a topology, as users write it: epochs, store, fault tolerance, placement.

Why: the graph says what is computed; these parts say how surely, how often, where and at what price.
Called by: topology.spec, which puts the resource together.
"""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from levee.topology.fields import URI_PATTERN, Cores, Duration, Fraction, Name, NodeId, Part, Positive
from levee.topology.graph import FailureModel, Strategy


class OnFailure(StrEnum):
    """What happens to a failed task that has no other active copy."""

    RESTART = "restart"
    CANCEL = "cancel"


class Standby(StrEnum):
    """What becomes of a replica that a configuration does not activate."""

    IDLE = "idle"
    REMOVED = "removed"


class Packing(StrEnum):
    """How replicas are put into pods."""

    REPLICA = "replica"  # a pod each
    NODE = "node"  # one pod per node


class DeletionPolicy(StrEnum):
    """What becomes of a topology's data when its resource goes."""

    RETAIN = "retain"
    DELETE = "delete"


class Store(Part):
    uri: Annotated[str, Field(pattern=URI_PATTERN, max_length=2048)] = Field(
        description="Where streams, checkpoints and the control log are kept: an object store, or a directory that all workers see.",
        examples=["s3://bucket/prefix"],
    )
    secret: Annotated[str, Field(max_length=253)] | None = Field(
        default=None, description="The Secret with the store's credentials; the pod's own identity when left out."
    )


class Epochs(Part):
    period: Duration | None = Field(
        default=None, description="Time between epochs; 250ms on a local store and 1s on a remote one when left out. Cannot be changed."
    )
    max_rows: Annotated[int, Field(ge=1, le=10**9)] = Field(default=100_000, description="Most rows that a source puts into one epoch.")
    backlog: Duration = Field(default="1h", validate_default=True, description="How far sources may be ahead of the slowest consumer.")
    retention: Duration = Field(
        default="10m", validate_default=True, description="For how long epochs are kept at least; cannot be changed."
    )
    hold: Duration = Field(
        default="100ms", validate_default=True, description="How long each rank waits for the rank before it; a failover costs one hold."
    )


class Target(Part):
    completeness: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None, description="Least fraction of the tuple processing that goes on in time under the failure model."
    )
    fidelity: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None, description="Least fraction of the source input that output in time reflects."
    )
    budget: Annotated[int, Field(ge=0, le=10**6)] | None = Field(default=None, description="Active replicas beyond one per task.")
    penalty: Duration | None = Field(
        default=None,
        description="CPU time per window that each whole unit of missing completeness costs: a price instead of a bound.",
    )
    reserve: Annotated[float, Field(ge=0, lt=1)] | None = Field(
        default=None,
        description="Share of the window that changes of configuration may take: the plan reaches completeness / (1 - reserve).",
    )


class Checkpoint(Part):
    every: Annotated[int, Field(ge=1, le=10**6)] = Field(default=20, description="Epochs between published checkpoints.")
    keep: Annotated[int, Field(ge=1, le=1000)] = Field(default=3, description="Published checkpoints that are kept.")


class FaultTolerance(Part):
    strategy: Annotated[Strategy, Field(strict=False)] = Field(default=Strategy.COMPLETENESS, description="Which plan is wanted.")
    replicas: Annotated[int, Field(ge=1, le=8)] = Field(default=2, description="Replicas of each task.")
    target: Target = Field(default_factory=Target, description="What the plan must reach: one of completeness, fidelity and budget.")
    failures: Annotated[FailureModel, Field(strict=False)] = Field(
        default=FailureModel.PESSIMISTIC,
        description="Against which failures the promise holds: the worst replica of every task, any one node or any one zone.",
    )
    checkpoint: Checkpoint = Field(
        default_factory=Checkpoint, description="How often a task's state is published, and how much of it is kept."
    )
    failure_timeout: Duration = Field(default="5s", validate_default=True, description="After how long a silent task counts as failed.")
    on_failure: Annotated[OnFailure, Field(strict=False)] = Field(
        default=OnFailure.RESTART, description="What happens to a failed task that has no other active copy."
    )
    window: Duration = Field(
        default="1h", validate_default=True, description="Time over which achieved completeness and cost are accounted."
    )
    standby: Annotated[Standby, Field(strict=False)] = Field(
        default=Standby.IDLE, description="Whether replicas that are not active stay as idle workers or are removed."
    )


class PlacementNode(Part):
    name: NodeId = Field(description="Name of the node.", examples=["node-1"])
    zone: NodeId | None = Field(default=None, description="The zone it fails with; a zone of its own when left out.")
    capacity: Cores | None = Field(default=None, description="CPU cores that replicas may use; placement.capacity when left out.")


class Placement(Part):
    capacity: Cores = Field(default="2", validate_default=True, description="CPU cores of each node that replicas may use.")
    node_selector: Annotated[dict[str, Annotated[str, Field(max_length=63)]], Field(max_length=64)] = Field(
        default_factory=dict, description="Labels of the nodes that may be used."
    )
    packing: Annotated[Packing, Field(strict=False)] = Field(
        default=Packing.REPLICA, description="replica: a pod for each replica; node: one pod per node for all its replicas."
    )
    nodes: Annotated[list[PlacementNode], Field(max_length=1000)] = Field(
        default_factory=list, description="Nodes to plan for without a cluster; when left out those of the cluster that nodeSelector names."
    )
    assignment: Annotated[dict[str, Annotated[list[NodeId], Field(min_length=1, max_length=8)]], Field(max_length=1024)] = Field(
        default_factory=dict,
        description="Nodes of the replicas, in order, by operator (vwap) or task (vwap/0); the others are placed by the planner.",
    )


class Joint(Part):
    name: Name | None = Field(
        default=None, description="Name of this configuration in plans; c0, c1, ... in the order given when left out."
    )
    probability: Fraction = Field(description="Fraction of the time for which it holds; the probabilities add up to 1.", examples=[1])
    rates: Annotated[dict[str, Positive], Field(min_length=1, max_length=256)] = Field(
        description="Rows per second of every source.", examples=[{"market": 1}]
    )


PodTemplate = Annotated[dict[str, Any], WithJsonSchema({"type": "object", "x-kubernetes-preserve-unknown-fields": True})]
Joints = Annotated[list[Joint], Field(max_length=4096)]
