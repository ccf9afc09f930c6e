"""What a role may ask for, and what it may be told.

Why: a role that only yields these can be driven by a real store and a real Spark, or by a simulation that delays, repeats, loses and
crashes; it cannot tell which. Time comes with the answers: monotonic readings just before the request and just after the answer.
Called by: every role; answered by a driver.
"""

from collections.abc import Generator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias, TypeVar

from levee.topology.names import TaskId
from levee_spark.log.values import EpochObject, Record


class Want(StrEnum):
    """What of an object matters; whoever answers may leave out the rest."""

    RECORD = "record"
    MANIFEST = "manifest"  # an epoch without its payload
    STAMP = "stamp"  # the same, and the store's own stamp: no answer from memory will do


@dataclass(frozen=True, slots=True)
class Get:
    key: str
    want: Want = Want.RECORD
    part: int | None = None  # where the payload is in parts: this one only


@dataclass(frozen=True, slots=True)
class PutIfAbsent:
    key: str
    record: Record


@dataclass(frozen=True, slots=True)
class Overwrite:
    """For keys that one holder owns (its pin, its clock), and for nothing else."""

    key: str
    record: Record


@dataclass(frozen=True, slots=True)
class List:
    """At most `limit` names in `folder`, in order, after the name `after`."""

    folder: str
    after: str
    limit: int


@dataclass(frozen=True, slots=True)
class Delete:
    key: str


@dataclass(frozen=True, slots=True)
class Wait:
    ms: int
    keys: tuple[str, ...] = ()  # it may end sooner, once one of these is there
    polls: bool = False  # one asks for the keys again and again: it may last longer while none of them is expected


@dataclass(frozen=True, slots=True)
class Compute:
    """The state after `epoch`, from that of the epoch before. `dropped`: take the inputs as zero rows."""

    epoch: int
    inputs: tuple[EpochObject, ...]
    dropped: bool = False


@dataclass(frozen=True, slots=True)
class Ingest:
    epoch: int
    offsets: str | None  # where the epoch before ended; None: at the very beginning
    until: str | None = None  # where the epoch itself ended: it is read again, and where the source is does not change


@dataclass(frozen=True, slots=True)
class Deliver:
    """Hand an epoch to what lies outside; repeated after a crash, so it is keyed by epoch."""

    index: int  # of the input
    epoch: EpochObject


@dataclass(frozen=True, slots=True)
class Restore:
    """Forget the state and take the one after `epoch`; no files: the state before the first epoch."""

    epoch: int
    files: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state as it is now, as named files."""


@dataclass(frozen=True, slots=True)
class Report:
    """Something people should be able to see; nobody's decision depends on it."""

    what: str
    epoch: int = 0
    detail: str = ""
    of: TaskId | None = None  # whose epoch it is that cannot be read, where one stands still for want of it


Request: TypeAlias = Get | PutIfAbsent | Overwrite | List | Delete | Wait | Compute | Ingest | Deliver | Restore | Snapshot | Report


@dataclass(frozen=True, slots=True)
class Found:
    record: Record
    written_ms: int  # the store's own stamp, where it was wanted; where an immutable record comes from memory it may be 0
    began_ms: int
    ended_ms: int


@dataclass(frozen=True, slots=True)
class Absent:
    began_ms: int
    ended_ms: int


@dataclass(frozen=True, slots=True)
class Corrupt:
    """There is an object, and it is not what was written."""

    why: str
    began_ms: int
    ended_ms: int


@dataclass(frozen=True, slots=True)
class Done:
    """Created, overwritten, deleted, delivered, restored or waited."""

    began_ms: int
    ended_ms: int


@dataclass(frozen=True, slots=True)
class Exists:
    began_ms: int
    ended_ms: int


@dataclass(frozen=True, slots=True)
class Listed:
    names: tuple[str, ...]
    began_ms: int
    ended_ms: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """An error: the request may have been carried out, may not have been, or may still be."""

    why: str
    began_ms: int
    ended_ms: int


@dataclass(frozen=True, slots=True)
class Computed:
    payload: object  # bytes, or a tuple of bytes: a part for each consumer
    rows: int
    digest: str
    began_ms: int
    ended_ms: int
    offsets: str | None = None
    segments: tuple[tuple[str, object], ...] = ()  # (digest, payload) of the parts of a large output
    ended: bool = False  # of a source: neither this epoch nor any after it has rows
    stateless: bool = False  # of a function: it is known to keep nothing from one epoch to the next


@dataclass(frozen=True, slots=True)
class Raised:
    """The user's function raised; the state is still that of the epoch before."""

    error: str
    began_ms: int
    ended_ms: int


@dataclass(frozen=True, slots=True)
class Files:
    files: tuple[tuple[str, object], ...]
    began_ms: int
    ended_ms: int


Answer: TypeAlias = Found | Absent | Corrupt | Done | Exists | Listed | Unknown | Computed | Raised | Files

T = TypeVar("T")
Script: TypeAlias = Generator[Request, Answer, T]
