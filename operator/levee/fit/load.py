"""From text to FIT documents, or to everything that is wrong with their shape.

Why: what they name is checked later, against a lifecycle and a topology; here a document is only read.
Called by: campaign, `levee fit`.
"""

from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from levee.fit.library import LIBRARY
from levee.fit.schema import FitPart, TargetPart
from levee.fit.values import Fit, Moment, Side, Target, Timer
from levee.lifecycle.names import EventName, MethodName, StateName
from levee.topology.complaint import Complaint
from levee.topology.documents import Document, read_documents
from levee.topology.shape import shape_mistakes
from levee.topology.wording import listed, tidied

EMPTY = "there is nothing in it"


@dataclass(frozen=True, slots=True)
class Read:
    fits: tuple[Fit, ...]
    complaints: tuple[Complaint, ...] = ()


def load(text: str) -> Read:
    """All documents of one file: they are injected into one life. Nothing is read of a file with a mistake."""
    documents = read_documents(text)
    found = [of_document(one) for one in documents]
    complaints = tuple(complaint for one in found for complaint in one.complaints)
    return Read((), complaints) if complaints else Read(tuple(fit for one in found for fit in one.fits))


def of_document(document: Document) -> Read:
    if document.complaints:
        return Read((), tuple(map(for_us, document.complaints)))
    if not isinstance(document.value, dict):
        return Read((), (Complaint(f"line {document.line}", "is no mapping", "begin with `fit: NAME`"),))
    try:
        part = FitPart.model_validate(document.value)
    except ValidationError as error:
        return Read((), placed(document, tuple(map(tidied, shape_mistakes(FitPart, error, document.written)))))
    complaints = tuple(sides_mistakes(part)) or tuple(timer_mistakes(part))
    return Read((), placed(document, complaints)) if complaints else Read((fit_of(part),))


def for_us(complaint: Complaint) -> Complaint:
    return (
        Complaint(complaint.where, complaint.wrong, "write a FIT document, or name another file") if complaint.wrong == EMPTY else complaint
    )


def placed(document: Document, complaints: tuple[Complaint, ...]) -> tuple[Complaint, ...]:
    """With the name of the document, where it has one that can be shown."""
    name: Any = document.value.get("fit")
    head = name if isinstance(name, str) and name.isprintable() and len(name) < 200 else f"line {document.line}"
    return tuple(Complaint(f"{head}: {one.where}", one.wrong, one.fix) for one in complaints)


def sides_mistakes(part: FitPart) -> list[Complaint]:
    said = [side.value for side in Side if getattr(part, side.value) is not None]
    if len(said) <= 1:
        return []
    return [Complaint(listed(said, "and"), "name more than one moment", "keep one of them, and write another document for the other")]


def timer_mistakes(part: FitPart) -> list[Complaint]:
    if part.timer is None or part.timer.min <= part.timer.max:
        return []
    return [Complaint("timer", f"ends after {part.timer.max:g} s, before it begins after {part.timer.min:g} s", "exchange min and max")]


def fit_of(part: FitPart) -> Fit:
    side, method = next(((side, getattr(part, side.value)) for side in Side if getattr(part, side.value) is not None), (Side.AFTER, None))
    named = None if method is None else MethodName(method)
    timer = Timer() if part.timer is None else Timer(milliseconds(part.timer.min), milliseconds(part.timer.max))
    lasts = part.options.lasts
    return Fit(
        name=part.fit,
        moment=Moment(StateName(part.state), EventName(part.transition), named, side, part.occurrence),
        fault=part.fault,
        for_ms=LIBRARY[part.fault].for_ms if lasts is None else milliseconds(lasts),
        target=target_of(part.target),
        timer=timer,
        lifecycle=part.lifecycle,
        about=part.about,
    )


def target_of(part: TargetPart) -> Target:
    return Target(**{noun: said or "" for noun, said in part.model_dump().items()})


def milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
