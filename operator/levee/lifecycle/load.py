"""From text to a checked machine, or to everything that is wrong with it.

Called by: `serve`, `levee lifecycle`, tests.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from levee.lifecycle.checks import check
from levee.lifecycle.machine import Budget, Event, Machine, Method, State, Transition
from levee.lifecycle.names import OURS, EventName, MethodName, Speaker, StateName
from levee.lifecycle.schema import BudgetPart, EventPart, LifecyclePart, MethodPart, StatePart, TransitionPart
from levee.topology.complaint import Complaint
from levee.topology.documents import read_documents
from levee.topology.shape import shape_mistakes
from levee.topology.wording import tidied

ENGINE = {
    OURS[0]: "Whoever managed it is gone, and what is stored has been read.",
    OURS[1]: "Something failed, and it is time to try again.",
    OURS[2]: "Something failed, and will not be tried again.",
    OURS[3]: "Something failed that would be tried without end, and the resource says `onFailure: cancel`.",
}
SECTIONS: Mapping[str, type[BaseModel]] = {"states": StatePart, "transitions": TransitionPart, "methods": MethodPart, "events": EventPart}


@dataclass(frozen=True, slots=True)
class Read:
    """A machine that keeps its promises, or why there is none."""

    machine: Machine | None
    complaints: tuple[Complaint, ...] = ()


def load(text: str) -> Read:
    documents = read_documents(text)
    complaints = tuple(complaint for document in documents for complaint in document.complaints)
    if not complaints and len(documents) > 1:
        complaints = (Complaint(f"line {documents[1].line}", "a second document begins", "keep one lifecycle in a file"),)
    if complaints:
        return Read(None, complaints)
    try:
        part = LifecyclePart.model_validate(documents[0].value)
    except ValidationError as error:
        return Read(None, tuple(map(tidied, mistakes(documents[0].value, error))))
    return checked(machine_of(part))


def checked(machine: Machine) -> Read:
    complaints = check(machine)
    return Read(None, complaints) if complaints else Read(machine)


def machine_of(part: LifecyclePart) -> Machine:
    ours = {name: Event(name, Speaker.ENGINE, about) for name, about in ENGINE.items()}
    return Machine(
        name=part.lifecycle,
        about=part.about,
        initial=StateName(part.initial),
        budget=budget_of(part.budget),
        states={StateName(name): state_of(name, state) for name, state in part.states.items()},
        transitions=tuple(one for written in part.transitions for one in transitions_of(written)),
        methods={MethodName(name): method_of(name, method) for name, method in part.methods.items()},
        events={EventName(name): Event(EventName(name), event.by, event.about) for name, event in part.events.items()} | ours,
    )


def budget_of(part: BudgetPart) -> Budget:
    return Budget(part.attempts, milliseconds(part.backoff), milliseconds(part.backoff_max), milliseconds(part.wait_max), part.jitter)


def state_of(name: str, part: StatePart) -> State:
    return State(
        name=StateName(name),
        persist=part.persist,
        kind=part.kind,
        about=part.about,
        after_crash=part.after_crash,
        leaves=part.leaves,
        recovery=part.recovery,
        timeout_ms=None if part.timeout is None else milliseconds(part.timeout),
        stable_ms=None if part.stable is None else milliseconds(part.stable),
        fails_on=tuple(map(EventName, part.fails_on)),
        annotations=part.annotations,
    )


def transitions_of(part: TransitionPart) -> Iterator[Transition]:
    do, ending = tuple(map(MethodName, part.do)), None if part.ending is None else StateName(part.ending)
    for origin in [part.origin] if isinstance(part.origin, str) else part.origin:
        yield Transition(StateName(origin), EventName(part.when), StateName(part.to), do, ending, part.counts)


def method_of(name: str, part: MethodPart) -> Method:
    undo, says = tuple(map(MethodName, part.undo)), tuple(map(EventName, part.says))
    return Method(MethodName(name), part.effect, part.about, undo, says, part.silent or not says)


def milliseconds(seconds: float) -> int:
    return round(seconds * 1000)


# ---- mistakes of shape


def mistakes(value: Any, error: ValidationError) -> Iterator[Complaint]:
    """Item by item, so that each is told with the fields of its own kind."""
    if not isinstance(value, dict):
        yield Complaint("the document", "is no mapping", "begin with `lifecycle: NAME`")
        return
    for section, model in SECTIONS.items():
        for key, item in items(value.get(section)):
            yield from (Complaint(f"{section}{key}.{one.where}", one.wrong, one.fix) for one in of_item(model, item))
    nested = [one for one in error.errors() if one["loc"][0] in SECTIONS and len(one["loc"]) > 2]
    if len(nested) < error.error_count():
        yield from of_head(value)


def items(section: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(section, dict):
        yield from ((f".{key}", item) for key, item in section.items())
    elif isinstance(section, list):
        yield from ((f"[{index}]", item) for index, item in enumerate(section))


def of_item(model: type[BaseModel], item: Any) -> tuple[Complaint, ...]:
    try:
        model.model_validate(item)
    except ValidationError as error:
        return shape_mistakes(model, error, {})
    return ()


def of_head(value: Mapping[str, Any]) -> Iterator[Complaint]:
    """What is wrong outside of the sections' items."""
    try:
        LifecyclePart.model_validate(value)
    except ValidationError as error:
        for complaint in shape_mistakes(LifecyclePart, error, {}):
            if not any(complaint.where.startswith((f"{section}.", f"{section}[")) for section in SECTIONS):
                yield complaint
