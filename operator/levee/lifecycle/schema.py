"""A lifecycle document as it is written: the edge where it is parsed, and its JSON schema.

Why: a misspelled field of a document that decides over life and death must be a mistake with a place, not a default.
Called by: load; `levee lifecycle --format schema`.
"""

import json
from typing import Annotated

from pydantic import ConfigDict, Field

from levee.lifecycle.names import AfterCrash, Effect, Kind, Speaker
from levee.topology.fields import Duration, Part

STATE_PATTERN = r"^[a-z][a-z0-9-]{0,62}$"
WORD_PATTERN = r"^[a-z][a-z0-9_]{0,62}$"

StateWord = Annotated[str, Field(pattern=STATE_PATTERN, examples=["running"])]
Word = Annotated[str, Field(pattern=WORD_PATTERN, examples=["all_ready"])]
Line = Annotated[str, Field(max_length=1024)]


class DocumentPart(Part):
    """Enumerations stand as text in a document."""

    model_config = ConfigDict(strict=False)


class BudgetPart(DocumentPart):
    attempts: Annotated[int, Field(ge=0, le=1000)] = Field(default=5, description="How many failures in a row are answered by another try.")
    backoff: Duration = Field(default=1.0, description="The pause after the first failure; it doubles with each.")
    backoff_max: Duration = Field(default=300.0, description="The longest pause.")
    wait_max: Duration = Field(default=30.0, description="The longest pause of what cannot be done yet, and costs no attempt.")
    jitter: Annotated[float, Field(ge=0, le=1)] = Field(default=0.2, description="The share of a pause that chance may take away.")


class StatePart(DocumentPart):
    kind: Kind = Field(
        description="passing: it waits for something, and has a timeout; resting: for nothing; final: only its user goes on."
    )
    persist: bool = Field(default=False, description="Whether it is stored, before the methods of the transition that leads here.")
    about: Line = Field(description="What it means, for people.")
    after_crash: AfterCrash = Field(default=AfterCrash.NOTHING, description="What recovery does, in a word.")
    leaves: Line = Field(default="", description="What a crash leaves behind while this is stored, for people.")
    recovery: Line = Field(default="", description="What recovery does about it, for people.")
    timeout: Duration | None = Field(default=None, description="Being here for longer is a failure.")
    stable: Duration | None = Field(default=None, description="After so long here without a failure, earlier ones are forgotten.")
    fails_on: list[Word] = Field(
        default=[], description="Events of the world that are a failure here, if the resource says `onFailure: cancel`."
    )
    annotations: dict[str, str | int | float | bool] = Field(default={}, description="Anything that others ask of a state.")


class TransitionPart(DocumentPart):
    origin: StateWord | list[StateWord] = Field(alias="from", description="The state, or the states, that it leaves.")
    when: Word = Field(description="The event.")
    to: StateWord = Field(description="The state that it leads to; `ending`: the one that was chosen earlier.")
    do: list[Word] = Field(default=[], description="The methods to call, in order.")
    ending: StateWord | None = Field(default=None, description="The final state that it is to end in, from now on.")
    counts: bool = Field(default=False, description="Whether it is one more attempt.")


class MethodPart(DocumentPart):
    effect: Effect = Field(description="none; idempotent: doing it again changes nothing; once: it must be undone before it is done again.")
    undo: list[Word] = Field(default=[], description="The methods of which each takes it back.")
    says: list[Word] = Field(default=[], description="The events that it may raise.")
    silent: bool = Field(default=False, description="Whether it may say nothing.")
    about: Line = Field(description="What it does, for people.")


class EventPart(DocumentPart):
    by: Speaker = Field(description="user, world (it can be observed) or method.")
    about: Line = Field(description="When it holds, for people.")


class LifecyclePart(DocumentPart):
    lifecycle: StateWord = Field(description="The name of the document.")
    about: Line = Field(description="Which topologies live like this.")
    initial: StateWord = Field(description="The state that a new topology is in.")
    budget: BudgetPart = Field(default=BudgetPart(), description="How failures are answered.")
    states: dict[StateWord, StatePart] = Field(min_length=1, description="By name.")
    transitions: list[TransitionPart] = Field(description="In the order of their priority.")
    methods: dict[Word, MethodPart] = Field(default={}, description="By name.")
    events: dict[Word, EventPart] = Field(description="By name; recover, retry, error and give_up are the engine's own.")


def schema_text() -> str:
    """For editors and other programs."""
    schema = LifecyclePart.model_json_schema(by_alias=True)
    return (
        json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "A lifecycle of Levee"} | schema, indent=2) + "\n"
    )
