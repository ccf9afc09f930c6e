"""Whether a topology's plan follows what is measured, as users write it.

Called by: topology.spec, which puts the resource together.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field

from levee.topology.fields import Duration, Part


class AdaptationPolicy(StrEnum):
    """What becomes of a plan for what is measured, where that is worth the switch."""

    OFF = "off"
    ADVISE = "advise"
    APPLY = "apply"


def off_of(value: object) -> object:
    """YAML has always read `off` as false."""
    return AdaptationPolicy.OFF if value is False else value


class Adaptation(Part):
    policy: Annotated[AdaptationPolicy, Field(strict=False), BeforeValidator(off_of)] = Field(
        default=AdaptationPolicy.ADVISE,
        description="What is done where rates, selectivity, cost or nodes are others than were planned for: nothing ('off', in quotes), "
        "say which plan would be better (advise), or put it in force (apply).",
    )
    dwell: Duration = Field(
        default="10m",
        validate_default=True,
        description="For how long something must be another before there is another plan, and in which that must be worth the switch.",
    )
