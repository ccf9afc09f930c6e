"""Why an action or a probe has failed, in the words of Levee's complaints.

Called by: everything here that acts; Chaos Toolkit shows the text of the exception.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from math import isfinite

from levee.plans import ending
from levee.topology.complaint import Complaint
from levee.topology.wording import complaint_text

NOTHING, UNKNOWN = "levee-chaos: nothing was done.", "levee-chaos: it cannot be told."


class Refused(Exception):
    """Nothing was done: there is nobody to hit, or no means to."""

    def __init__(self, heading: str, complaints: Sequence[Complaint] = ()) -> None:
        super().__init__("\n".join([heading, *map(complaint_text, complaints)]))
        self.complaints = tuple(complaints)


class NoEffect(Exception):
    """It was done, its effect was not there, and so it was undone."""


class NotUndone(Exception):
    """What could undo it does not answer now: to be tried again."""


def number(name: str, told: object) -> float:
    """What `chaos run --var` says is text, unless it names a type."""
    with suppress(ValueError):
        if isfinite(found := float(str(told))):
            return found
    raise Refused(NOTHING, [Complaint(name, f"'{told}' is no number", f"write {name}: 5, or --var {name}:float=5")])


@contextmanager
def told() -> Iterator[None]:
    """What Levee's own commands refuse, in full: only the text of an exception reaches the reader."""
    try:
        yield
    except ending.Refused as wrong:
        raise Refused(wrong.heading, wrong.complaints) from None
