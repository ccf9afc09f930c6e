"""A FIT document as it is written: the edge where it is parsed, and its JSON schema.

Why: a misspelled field would be a fault that never comes, and a campaign that passes for nothing.
Called by: load; `levee fit schema`.
"""

import json
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from levee.fit.library import LIBRARY
from levee.lifecycle.schema import DocumentPart, Line, StateWord, Word
from levee.topology.fields import Duration
from levee.topology.units import DURATION_PATTERN, UnitError, parse_duration
from levee.topology.wording import close_to, listed, shortened

NAME_PATTERN = r"^[a-z0-9]([a-z0-9._-]{0,198}[a-z0-9])?$"
OCCURRENCE_MAX = 1000


def known_fault(word: str) -> str:
    if word in LIBRARY:
        return word
    meant = close_to(word, LIBRARY)
    fix = f"use '{meant}'" if meant else f"use {listed(LIBRARY)}"
    raise PydanticCustomError("unit", "{wrong}", {"wrong": f"there is no fault '{shortened(word)}'", "fix": fix})


def delay(value: object) -> float:
    """A duration, or none."""
    if value in {"0", "0s", "0ms"}:
        return 0.0
    try:
        return parse_duration(value)
    except UnitError as error:
        raise PydanticCustomError("unit", "{wrong}", {"wrong": error.wrong, "fix": error.fix}) from error


Delay = Annotated[float, BeforeValidator(delay), WithJsonSchema({"type": "string", "pattern": DURATION_PATTERN, "maxLength": 64})]
FitName = Annotated[str, Field(pattern=NAME_PATTERN, examples=["dies-before-the-clock-is-set"])]
Noun = Annotated[str, Field(min_length=1, max_length=253)]
FaultWord = Annotated[str, AfterValidator(known_fault), WithJsonSchema({"type": "string", "enum": [*LIBRARY]})]


class TargetPart(DocumentPart):
    topology: Noun | None = Field(default=None, description="In whose life: NAMESPACE/NAME or NAME. Without it: in anybody's.")
    task: Noun | None = Field(default=None, description="Of which task a replica is hit: vwap/0.")
    replica: Noun | None = Field(default=None, description="Which replica is hit: vwap/0/1.")
    node: Noun | None = Field(default=None, description="Which node is hit, or on which the replica is.")
    zone: Noun | None = Field(default=None, description="Which zone is hit.")


class TimerPart(DocumentPart):
    min: Delay = Field(default=0.0, description="The fault comes no earlier than so long after the moment.")
    max: Duration = Field(description="And no later than that; it is drawn.")


class OptionsPart(DocumentPart):
    lasts: Duration | None = Field(alias="for", default=None, description="How long the fault lasts.")


class FitPart(DocumentPart):
    fit: FitName = Field(description="The name of the document.")
    about: Line = Field(default="", description="What it asks, for people.")
    lifecycle: StateWord = Field(default="job", description="The lifecycle document whose words it uses.")
    state: StateWord = Field(description="The state that is left.")
    transition: Word = Field(description="The event that it is left by.")
    before: Word | None = Field(default=None, description="The method before which the fault comes.")
    during: Word | None = Field(default=None, description="The method that is half done when the fault comes.")
    after: Word | None = Field(default=None, description="The method after which the fault comes.")
    occurrence: Annotated[int, Field(ge=1, le=OCCURRENCE_MAX)] = Field(default=1, description="The how-manyeth time in one life.")
    timer: TimerPart | None = Field(default=None, description="How long after the moment the fault comes; without it: at once.")
    target: TargetPart = Field(default=TargetPart(), description="Whom it hits. Without it: the first that there is.")
    fault: FaultWord = Field(description="The fault, out of the library.")
    options: OptionsPart = Field(default=OptionsPart(), description="The fault's numbers.")


def schema_text() -> str:
    """For editors and other programs."""
    schema = FitPart.model_json_schema(by_alias=True)
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A fault at an exact moment of a lifecycle of Levee"}
    return json.dumps(head | schema, indent=2) + "\n"
