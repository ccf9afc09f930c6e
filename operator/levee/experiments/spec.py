"""The resource FaultExperiment as users write it: strict models, the edge where documents are parsed.

Why: the validator, the operator and the CustomResourceDefinition must agree on every field, so all three are made from these models.
Called by: load, crd, rendering.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from levee.topology.fields import Duration, Name, NodeId, Part
from levee.topology.spec import API_VERSION, Metadata
from levee.topology.status import State

KIND, PLURAL, SHORT = "FaultExperiment", "faultexperiments", "fx"
STEPS_MAX, PROBES_MAX, TARGETS_MAX = 64, 16, 256

Word = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=63)]
Ref = Annotated[str, Field(pattern=r"^[a-z]([-a-z0-9]*[a-z0-9])?(/[0-9]+)?$", max_length=80)]  # vwap, or vwap/1
Number = Annotated[float, Field(ge=0, le=1e12)]
Arguments = Annotated[dict[str, str | int | float | bool], WithJsonSchema({"type": "object", "x-kubernetes-preserve-unknown-fields": True})]


class Rate(Part):
    source: Name | None = Field(default=None, description="Of this source; of all of them together when left out.", examples=["market"])
    at_least: Number | None = Field(default=None, description="As soon as it takes in so many rows per second or more.", examples=[800])
    at_most: Number | None = Field(default=None, description="As soon as it takes in so many rows per second or fewer.", examples=[100])


class Transition(Part):
    from_: Annotated[State, Field(strict=False)] | None = Field(
        default=None, alias="from", description="The state that is left; any when left out."
    )
    to: Annotated[State, Field(strict=False)] = Field(description="The state that is entered.", examples=["updating"])


class When(Part):
    after: Duration | None = Field(default=None, description="So long after the step before, or after the beginning.", examples=["30s"])
    epoch: Annotated[int, Field(ge=1, le=2**53)] | None = Field(default=None, description="As soon as this epoch has come out.")
    rate: Rate | None = Field(default=None, description="As soon as a measured rate is so high or so low.", examples=[{"atLeast": 800}])
    state: Annotated[State, Field(strict=False)] | None = Field(
        default=None, description="As soon as the topology is in this state of its life.", examples=["running"]
    )
    transition: Transition | None = Field(
        default=None, description="As soon as the topology goes from one state to another.", examples=[{"to": "updating"}]
    )
    within: Duration = Field(
        default="10m", validate_default=True, description="How long that is waited for; then the experiment ends, and is Inconclusive."
    )


class Step(Part):
    name: Name | None = Field(default=None, description="What it is called in the report; its number and what it does when left out.")
    action: Word | None = Field(default=None, description="An action of levee-chaos.", examples=["crash_replica"])
    probe: Word | None = Field(default=None, description="A probe of levee-chaos instead of an action.", examples=["goes_on"])
    arguments: Arguments = Field(default_factory=dict, description="Its arguments: whom it hits, for how long, how much of it.")
    when: When | None = Field(default=None, description="What is waited for before; nothing when left out.")

    @property
    def does(self) -> str:
        return str(self.action or self.probe)


class Probe(Part):
    probe: Word = Field(description="A probe of levee-chaos.", examples=["ready"])
    arguments: Arguments = Field(default_factory=dict, description="Its arguments.")
    equals: Annotated[str, Field(max_length=1024)] | None = Field(
        default=None, description="What it must say; true when nothing is said here."
    )
    at_least: Number | None = Field(default=None, description="The least number that it may say.")
    at_most: Number | None = Field(default=None, description="The largest number that it may say.")


class SteadyState(Part):
    probes: Annotated[list[Probe], Field(max_length=PROBES_MAX)] | None = Field(
        default=None,
        description="What holds before, during and after: ready, fewer than 100 epochs late and no epoch lost or changed, when left out.",
        examples=[[{"probe": "ready"}]],
    )
    every: Duration = Field(default="1s", validate_default=True, description="How often it is looked at while the steps are done.")
    recovery: Duration = Field(
        default="5m", validate_default=True, description="How long after the last step everything may take to work again."
    )


class Targets(Part):
    operators: Annotated[list[Ref], Field(max_length=TARGETS_MAX)] = Field(
        default_factory=list,
        description="Sources, operators, sinks or single tasks (vwap/1) whose replicas may be hit; all when empty.",
    )
    nodes: Annotated[list[NodeId], Field(max_length=TARGETS_MAX)] = Field(
        default_factory=list, description="Nodes on which something may be hit; all when empty."
    )


class Safety(Part):
    lost_for: Duration = Field(
        default="5m", validate_default=True, description="The experiment is aborted when the steady state is lost for longer than that."
    )
    time_limit: Duration = Field(
        default="30m", validate_default=True, description="The experiment is aborted when it takes longer than that."
    )
    targets: Targets = Field(default_factory=Targets, description="Who may be hit; what shares a worker or a node with a target counts.")


class ExperimentSpec(Part):
    topology: Name = Field(description="The topology that is put to the test, of the same namespace.", examples=["clicks"])
    steps: Annotated[list[Step], Field(min_length=1, max_length=STEPS_MAX)] = Field(
        description="What is done, one after another.", examples=[[{"action": "crash_replica", "arguments": {"role": "primary"}}]]
    )
    steady_state: SteadyState = Field(default_factory=SteadyState, description="What must hold before, during and after.")
    safety: Safety = Field(default_factory=Safety, description="Where it stops.")
    ttl: Duration | None = Field(
        default=None, description="The experiment deletes itself so long after its end; it is kept when this is left out."
    )


class Experiment(Part):
    """Faults that are done to a topology, what must hold meanwhile, and a verdict."""

    api_version: Literal["levee.dev/v1alpha1"] = Field(description="levee.dev/v1alpha1", examples=[API_VERSION])
    kind: Literal["FaultExperiment"] = Field(description="FaultExperiment", examples=[KIND])
    metadata: Metadata = Field(description="Name, namespace, labels and annotations.", examples=[{"name": "crash"}])
    spec: ExperimentSpec = Field(description="What is done, and what must hold.")
    status: dict[str, Any] | None = Field(default=None, description="Written by the operator; not read here.")

    @property
    def topology(self) -> str:
        return f"{self.metadata.namespace}/{self.spec.topology}"

    @property
    def names(self) -> tuple[str, ...]:
        """Of the steps, as the report has them."""
        return tuple(step.name or f"{number}-{step.does.replace('_', '-')}" for number, step in enumerate(self.spec.steps, 1))
