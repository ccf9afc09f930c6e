"""What the epoch log keeps: immutable records, each written once.

Why: all that replicas agree on, they agree on by reading these; nothing else is shared between them.
Called by: every role, and by `codec`, which turns them into bytes.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from levee.topology.names import OperatorName, TaskId

GENESIS = "genesis"  # the lineage before the first epoch


class Kind(StrEnum):
    FINAL = "final"
    SKIPPED = "skipped"  # sealed empty because it was late: the state has its rows, the output lost them
    FAILED = "failed"  # its function raised: the state has taken its input as zero rows


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is known of a committed epoch without reading its rows."""

    epoch: int
    kind: Kind
    rows: int
    digest: str
    lineage: str
    position: int  # the largest control record that any source had read for this epoch or one before it
    writer: str
    time_ms: int = 0  # when its sources' epochs were due: the event time that all replicas share, and the only one they are given
    inputs: tuple[tuple[TaskId, int], ...] = ()
    offsets: str | None = None  # sources: where the next epoch begins
    rebased: bool = False  # the state this was computed from is not the one that produced the epoch before
    segments: tuple[str, ...] = ()
    ended: int = 0  # from this epoch on no row will ever come; 0: nobody knows of an end yet


@dataclass(frozen=True, slots=True)
class EpochObject:
    """A committed epoch. The payload is the lane's: Arrow in a worker, row numbers in the simulation; of a failed one, its error."""

    manifest: Manifest
    payload: object = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a large output, written before the manifest that commits it."""

    payload: object


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether the state has taken the rows of an epoch that was sealed as skipped."""

    epoch: int
    kind: Kind  # FINAL: it has; FAILED: the function raised, so it took none


@dataclass(frozen=True, slots=True)
class Floor:
    """Epochs below it are gone, whether or not their objects still are."""

    number: int
    epoch: int


@dataclass(frozen=True, slots=True)
class Pin:
    """Somebody forks from `epoch`: nothing at or above it may be deleted for `limit_ms` after this was written."""

    holder: str
    epoch: int
    limit_ms: int


@dataclass(frozen=True, slots=True)
class Registration:
    """A source of another topology has imported this stream through `epoch`: what follows may not be deleted for `limit_ms` from now on."""

    holder: str
    importer: str  # "shop/orders": for people
    uid: str  # of that topology
    source: TaskId  # of it
    epoch: int
    limit_ms: int
    before_ms: int = 0  # if it was written before that, by the store's clock, nothing that follows has been given up; 0: nobody knows


@dataclass(frozen=True, slots=True)
class Imported:
    """Whose stream a source imports, from its first epoch on and for good: a topology that is made again under its name is another one."""

    source: OperatorName
    topology: str  # "shop/clicks"
    uid: str
    stream: OperatorName


@dataclass(frozen=True, slots=True)
class Damage:
    """Somebody needs this epoch and cannot read it: whoever can is asked to rebuild it."""

    epoch: int
    finder: str


@dataclass(frozen=True, slots=True)
class PublishedCheckpoint:
    """A task's state after `epoch`."""

    task: TaskId
    epoch: int
    lineage: str
    position: int
    shape: int  # the control record whose shape was in force at `epoch`
    files: tuple[str, ...] = ()
    rebased: bool = False  # a break that no final manifest bears yet
    writer: str = ""
    code: int = 1  # the record whose function made this state: a later one than that of the shape, where it has corrected another


@dataclass(frozen=True, slots=True)
class CheckpointFile:
    payload: object


@dataclass(frozen=True, slots=True)
class Shape:
    """What changes rows, and therefore holds from one epoch for all tasks."""

    functions: tuple[tuple[OperatorName, str], ...] = ()
    graph: str = ""
    stopped: bool = False
    fresh: tuple[tuple[OperatorName, int], ...] = ()  # the record with which an operator's state began anew; none: it never has

    def function(self, operator: OperatorName) -> str:
        return dict(self.functions).get(operator, "")

    def began(self, operator: OperatorName) -> int:
        return dict(self.fresh).get(operator, 0)


@dataclass(frozen=True, slots=True)
class Live:
    """What never changes rows, and therefore holds as soon as it is read."""

    ranks: tuple[tuple[str, int], ...] = ()  # of the replicas that are active; whoever is not named is idle

    def rank(self, replica: str) -> int | None:
        return dict(self.ranks).get(replica)


@dataclass(frozen=True, slots=True)
class ControlRecord:
    """One decision: the full state in force after it."""

    number: int
    shape: Shape
    live: Live
    shape_number: int  # the record that brought this shape: its own number where it changes rows
    from_epoch: int = 1
    writer: str = ""
    reason: str = ""
    configuration: str = ""  # of source rates, that is in force; for whoever controls the topology after a crash
    plan: int = 0  # the written plan that all this follows from; 0: none is


@dataclass(frozen=True, slots=True)
class ChangeEpoch:
    """E(n): the one epoch from which record n holds for all tasks."""

    number: int
    epoch: int


@dataclass(frozen=True, slots=True)
class Correction:
    """For one task the function of record `number` holds from this epoch on, before E(n): the one in force fails there."""

    number: int
    task: TaskId
    epoch: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """Epoch `epoch` is due at `time_ms` of the store's clock, and every later one a period after the one before."""

    number: int
    epoch: int
    time_ms: int


@dataclass(frozen=True, slots=True)
class Probe:
    """Written to learn what the store does and what time it is."""

    mark: str


Record: TypeAlias = (
    EpochObject
    | Segment
    | Verdict
    | Floor
    | Pin
    | Registration
    | Imported
    | Damage
    | PublishedCheckpoint
    | CheckpointFile
    | ControlRecord
    | ChangeEpoch
    | Correction
    | Anchor
    | Probe
)
