"""The resource FaultTolerantTopology as users write it: strict models, the edge where documents are parsed.

Why: validator, planner and CustomResourceDefinition must agree on every field, so all three are made from these models.
Called by: topology.load, which validates documents against Resource; topology.crd, which makes the schema.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from levee.topology.adaptation import Adaptation
from levee.topology.executors import Executors, by_operator
from levee.topology.fields import Name, Options, Part, Text
from levee.topology.imports import Exports
from levee.topology.names import OperatorName
from levee.topology.streams import Operators, Sinks, Sources, Stream
from levee.topology.wanted import DeletionPolicy, Epochs, FaultTolerance, Joints, Placement, PodTemplate, Store

GROUP, VERSION, KIND = "levee.dev", "v1alpha1", "FaultTolerantTopology"
API_VERSION = f"{GROUP}/{VERSION}"


class Metadata(Part):
    """Kubernetes' ObjectMeta; only name and namespace mean something to the planner."""

    name: Name = Field(description="Name of the topology.", examples=["clicks"])
    namespace: Name = Field(default="default", description="Namespace of the topology.")
    labels: dict[str, str] = Field(default_factory=dict, description="Kubernetes labels.")
    annotations: dict[str, str] = Field(default_factory=dict, description="Kubernetes annotations.")
    generate_name: Any = Field(default=None, description="Set by Kubernetes.")
    uid: Any = Field(default=None, description="Set by Kubernetes.")
    resource_version: Any = Field(default=None, description="Set by Kubernetes.")
    generation: Any = Field(default=None, description="Set by Kubernetes.")
    creation_timestamp: Any = Field(default=None, description="Set by Kubernetes.")
    deletion_timestamp: Any = Field(default=None, description="Set by Kubernetes.")
    deletion_grace_period_seconds: Any = Field(default=None, description="Set by Kubernetes.")
    finalizers: Any = Field(default=None, description="Set by controllers.")
    owner_references: Any = Field(default=None, description="Set by controllers.")
    managed_fields: Any = Field(default=None, description="Set by Kubernetes.")
    self_link: Any = Field(default=None, description="Set by Kubernetes.")


class Spec(Part):
    image: Text | None = Field(default=None, description="Container image of the workers; the operator's own choice when left out.")
    store: Store = Field(
        description="Where streams, checkpoints and the control log are kept; cannot be changed.", examples=[{"uri": "file:///levee"}]
    )
    epoch: Epochs = Field(default_factory=Epochs, description="How streams are cut into epochs, and how long these are kept.")
    sources: Sources = Field(description="Where rows come from.", examples=[[{"name": "market", "spark": {"format": "rate"}}]])
    operators: Operators = Field(
        description="What is computed from the streams.",
        examples=[[{"name": "vwap", "function": "shop.clicks:count", "inputs": [{"from": "market", "cost": "1us"}]}]],
    )
    sinks: Sinks = Field(
        description="Where streams are delivered.",
        examples=[[{"name": "out", "from": "vwap", "spark": {"format": "console"}}]],
    )
    exports: Exports = Field(default_factory=Exports, description="Who else may import its streams.")
    configurations: Joints = Field(
        default_factory=list,
        description="Which rates of the sources hold together, for sources that are correlated; when left out they are independent.",
    )
    fault_tolerance: FaultTolerance = Field(default_factory=FaultTolerance, description="How much fault tolerance is wanted.")
    placement: Placement = Field(default_factory=Placement, description="Which nodes may be used and how.")
    adaptation: Adaptation = Field(default_factory=Adaptation, description="Whether the plan follows what is measured.")
    suspend: bool = Field(default=False, description="True stops the workers and keeps streams, checkpoints and decisions.")
    restart_nonce: Annotated[int, Field(ge=0, le=2**53)] = Field(
        default=0, description="Another number than before submits it again where it has failed, and starts all its workers anew."
    )
    deletion_policy: Annotated[DeletionPolicy, Field(strict=False)] = Field(
        default=DeletionPolicy.RETAIN, description="What becomes of streams and checkpoints when the resource is deleted: retain or delete."
    )
    spark_conf: Options = Field(
        default_factory=dict,
        description="Settings of Spark, such as spark.jars, beside those of Levee; a worker that runs has them after its next start.",
        examples=[{"spark.jars": "/jars/connector.jar"}],
    )
    pod_template: PodTemplate = Field(
        default_factory=dict, description="What is to be otherwise in the workers' pods; the container is called worker."
    )

    @property
    def streams(self) -> tuple[Stream, ...]:
        """Everything that emits."""
        return (*self.sources, *self.operators)

    @property
    def executors(self) -> Mapping[OperatorName, Executors]:
        """Of the operators that have any."""
        return by_operator((one.name, one.executors) for one in self.operators)

    @property
    def placed_streams(self) -> tuple[tuple[str, Stream], ...]:
        """The same, each with where it stands."""
        sources = tuple((f"spec.sources[{index}]", source) for index, source in enumerate(self.sources))
        return sources + tuple((f"spec.operators[{index}]", operator) for index, operator in enumerate(self.operators))


class Resource(Part):
    """A Spark streaming topology with exactly as much fault tolerance as it needs."""

    api_version: Literal["levee.dev/v1alpha1"] = Field(description="levee.dev/v1alpha1", examples=[API_VERSION])
    kind: Literal["FaultTolerantTopology"] = Field(description="FaultTolerantTopology", examples=[KIND])
    metadata: Metadata = Field(description="Name, namespace, labels and annotations.", examples=[{"name": "clicks"}])
    spec: Spec = Field(description="What is wanted.")
    status: dict[str, Any] | None = Field(default=None, description="Written by the operator; not read here.")
