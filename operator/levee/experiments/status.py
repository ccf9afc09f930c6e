"""The status of a FaultExperiment: what the operator writes and people read.

Why: the schema in the cluster prunes what it does not know, so the status is declared beside the spec.
Called by: crd; serve, which writes it.
"""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from levee.experiments.spec import STEPS_MAX
from levee.topology.fields import Part
from levee.topology.status import Amount, Condition, Line, Whole

Words = Annotated[str, Field(max_length=4096)]


class Phase(StrEnum):
    """How far an experiment is; the last five are for good."""

    PENDING = "Pending"
    RUNNING = "Running"
    PASSED = "Passed"  # the steady state held before and after, and the topology recovered
    FAILED = "Failed"  # it did not
    INCONCLUSIVE = "Inconclusive"  # what was to be tried has not happened, or nobody saw how it ended
    REFUSED = "Refused"  # before anything has happened
    ABORTED = "Aborted"  # by a limit of spec.safety

    @property
    def is_final(self) -> bool:
        return self not in {Phase.PENDING, Phase.RUNNING}


class StepPhase(StrEnum):
    WAITING = "Waiting"  # for its moment, or its turn
    DONE = "Done"
    FAILED = "Failed"
    NEVER = "NeverFired"  # its moment has not come


class StepStatus(Part):
    name: Line = Field(description="Of the step.")
    phase: StepPhase = Field(description="Waiting, Done, Failed or NeverFired.")
    at: datetime | None = Field(default=None, description="When it was over.")
    met: Line | None = Field(default=None, description="Whom it has hit, or what a probe has said.")
    why: Line | None = Field(default=None, description="Why it has failed.")


class Figures(Part):
    faults: Whole | None = Field(default=None, description="Faults that have happened, their effects seen.")
    recovery_seconds: Amount | None = Field(default=None, description="From the last step until every planned replica worked again.")
    gap_seconds: Amount | None = Field(
        default=None, description="The longest time without a new epoch since the newest fault, by the store's stamps."
    )
    lost_seconds: Amount | None = Field(default=None, description="For how long the steady state was lost at most.")
    epochs_lost: Whole | None = Field(default=None, description="Epochs that were there before and are gone.")
    epochs_changed: Whole | None = Field(default=None, description="Epochs that are not what they were, or break their line.")


class ExperimentStatus(Part):
    observed_generation: Whole | None = Field(default=None, description="The generation of the spec that the operator has seen.")
    phase: Phase | None = Field(default=None, description="How far it is, and in the end the verdict.")
    reason: Line | None = Field(default=None, description="Why, in one word.")
    message: Words | None = Field(default=None, description="Why, in words for people.")
    waits_for: Line | None = Field(default=None, description="The experiment on the same topology that has to end first.")
    started_at: datetime | None = Field(default=None, description="When it began.")
    ended_at: datetime | None = Field(default=None, description="When it was over.")
    job: Line | None = Field(default=None, description="The Job that does it, or has done it.")
    job_uid: Line | None = Field(default=None, description="For the operator: of that Job and of no other.")
    undone: bool | None = Field(default=None, description="Whether nothing that it has done still stands.")
    report: Line | None = Field(default=None, description="The ConfigMap with experiment, journal and report.")
    figures: Figures | None = Field(default=None, description="What was measured.")
    steps: Annotated[list[StepStatus], Field(max_length=STEPS_MAX)] | None = Field(default=None, description="How far each step is.")
    conditions: Annotated[list[Condition], Field(max_length=16)] | None = Field(
        default=None, description="Accepted, Complete, Passed and Undone, each with its reason."
    )
