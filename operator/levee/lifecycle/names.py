"""The names that a lifecycle document is made of, and those that the engine itself gives.

Called by: every module of lifecycle.
"""

from enum import StrEnum
from typing import Final, NewType

StateName = NewType("StateName", str)
EventName = NewType("EventName", str)
MethodName = NewType("MethodName", str)
Instant = NewType("Instant", int)  # milliseconds of a clock that goes on while nobody runs: it is stored
Version = NewType("Version", str)  # a resourceVersion: what one has read, and expects to find when one writes

RECOVER: Final = EventName("recover")  # whoever managed it is gone, and somebody else has read what is stored
RETRY: Final = EventName("retry")  # something failed, and it is time to try again
ERROR: Final = EventName("error")  # something failed, and it will not be tried again
GIVE_UP: Final = EventName("give_up")  # something failed where all is tried without end, and its resource says `onFailure: cancel`
CANCEL: Final = EventName("cancel")  # its user has had enough; every document must know it
OURS: Final = (RECOVER, RETRY, ERROR, GIVE_UP)

ENDING: Final = StateName("ending")  # as a target: the ending that an earlier transition has chosen


class Kind(StrEnum):
    """What a state is waiting for."""

    PASSING = "passing"  # for something that must come: it has a timeout
    RESTING = "resting"  # for nothing: here it may stay for years
    FINAL = "final"  # only its user can make it live again


class Speaker(StrEnum):
    """Who raises an event."""

    USER = "user"
    WORLD = "world"  # it holds, as anybody can observe
    METHOD = "method"
    ENGINE = "engine"


class Effect(StrEnum):
    """What is left of a method if nobody remembers that it was begun."""

    NONE = "none"  # nothing
    IDEMPOTENT = "idempotent"  # what there is; doing it again changes nothing
    ONCE = "once"  # what there is; doing it again leaves two of it, unless it is undone first


class AfterCrash(StrEnum):
    """What recovery does, in a word."""

    REDO = "redo"
    UNDO = "undo"
    ADVANCE = "advance"
    NOTHING = "nothing"


class OnFailure(StrEnum):
    """What becomes of a topology that has failed; what its resource says."""

    RESTART = "restart"
    CANCEL = "cancel"
