"""How a command can end: its exit code, and the text for what was wrong.

Why: complaints look the same whichever command makes them, and exit codes are one table.
Called by: every command; cli.main, which turns them into the end of the process.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum

from levee.topology.complaint import Complaint
from levee.topology.wording import all_close_to, complaint_text


class Exit(IntEnum):
    OK = 0
    REFUSED = 1  # invalid input, or no plan reaches the target
    USAGE = 2
    INTERNAL = 70
    INTERRUPTED = 130
    PIPE = 141  # as of a process that SIGPIPE ended


class Refused(Exception):
    """The input is not good enough; carries everything that is wrong with it."""

    def __init__(self, heading: str, complaints: Sequence[Complaint] = (), code: Exit = Exit.REFUSED) -> None:
        super().__init__(heading)
        self.heading, self.complaints, self.code = heading, tuple(complaints), code

    @property
    def text(self) -> str:
        return "\n".join([self.heading, *map(complaint_text, self.complaints)])


class InternalFault(Exception):
    """We are wrong, not the user."""

    @staticmethod
    def explain(fault: BaseException) -> str:
        what = str(fault) if isinstance(fault, InternalFault) else f"{type(fault).__name__}: {fault}"
        return (
            f"levee: internal error: {what}\n"
            "  This is a bug in Levee, not in your topology. Please report it with the topology;\n"
            "  LEVEE_DEBUG=1 shows where it happened."
        )


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """A sentence with the nearest known names, or with all of them."""
    names = list(known)
    near = all_close_to(given, names)
    if len(near) > 1:
        return f"Did you mean one of {_some(near)}?"
    return f"Did you mean '{near[0]}'?" if near else f"There is {_some(names)}."


def use_instead(given: str, known: Iterable[str]) -> str:
    """The same as what to do about it."""
    names = list(known)
    near = all_close_to(given, names) or names
    return f"use '{near[0]}'" if len(near) == 1 else f"use one of {_some(near)}"


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
