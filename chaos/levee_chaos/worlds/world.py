"""What every world can be asked, and what a fault is once it has found its target in one.

Why: the steps of a fault, the probes and the control are the same everywhere; only these two differ.
Called by: inflicting, streams, probes and controls; local and kubernetes are such worlds.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from levee.topology.complaint import Complaint
from levee.topology.spec import Resource
from levee_chaos.aim import Aimed, Seen
from levee_chaos.fault import Fault
from levee_chaos.journal import Undo
from levee_spark.log.wiring import Wiring
from levee_spark.store.driver import StoreDriver


@dataclass(frozen=True, slots=True)
class Where:
    """The topology that is meant, as an experiment says it."""

    topology: str = ""  # "shop/clicks", or "clicks"
    directory: str = ""  # of a run of this machine
    namespace: str = ""  # on the cluster of the kubeconfig


@dataclass(frozen=True, slots=True)
class Health:
    """By what its replicas say at one moment; `ready` alone is as old as the last turn of whoever runs it."""

    ready: bool
    idle: tuple[str, ...]  # the replicas that do not work
    lag_epochs: int
    epoch: int  # that has come out

    @property
    def is_whole(self) -> bool:
        return self.ready and not self.idle


@dataclass(frozen=True, slots=True)
class Passage:
    """A state of a topology's life, and when it was entered."""

    state: str
    since: str


@dataclass(frozen=True, slots=True)
class Guarantee:
    """As the controller has worked it out from the plan and from who could take over now."""

    holds: bool | None  # None: it does not run yet
    why: str


class Deed(Protocol):
    """A fault with its target. Making one changes nothing; it is refused where the target has gone since it was seen."""

    @property
    def name(self) -> str:
        """Follows from the kind and from whom it meets: the same again is the same fault."""

    @property
    def undo(self) -> Undo | None:
        """None: whoever runs the topology repairs it."""

    @property
    def share(self) -> float:
        """Of the time that the dead man's process has it stand still, by `undo`; else 0."""

    @property
    def patience_s(self) -> float:
        """For the effect to be seen."""

    def without_means(self) -> Iterable[Complaint]:
        """What is missing here; asked before anything is done."""

    def do(self) -> None:
        """Again and again, until it has its effect: twice is once."""

    def lacking(self) -> Sequence[str]:
        """Those on whom the effect is not there; measured, not concluded."""


class World(Protocol):
    """A topology where it runs, as seen at one moment."""

    @property
    def is_shared(self) -> bool:
        """With others: nothing is done in a namespace that is not named."""

    @property
    def topology(self) -> str: ...

    @property
    def uid(self) -> str: ...

    @property
    def folder(self) -> Path:
        """Of this machine: its folder `chaos` has the journal."""

    @property
    def state(self) -> str:
        """Of its lifecycle."""

    @property
    def passages(self) -> Sequence[Passage]:
        """The last states of its life, oldest first; that in which it is comes last."""

    @property
    def reason(self) -> str:
        """The controller's word."""

    @property
    def guarantee(self) -> Guarantee | None:
        """None: nobody says it here."""

    @property
    def configuration(self) -> str | None:
        """Of source rates, that is in force."""

    def declared(self) -> Resource:
        """The topology as its user has written it."""

    def rates(self) -> Mapping[str, float]:
        """Rows per second that each source takes in."""

    def seen(self) -> Seen: ...

    def health(self) -> Health: ...

    def deed(self, fault: Fault, aimed: Aimed) -> Deed: ...

    def reading(self) -> AbstractContextManager[tuple[Wiring, StoreDriver]]:
        """Its streams."""

    def secret(self) -> Mapping[str, str]:
        """By which its store is reached."""

    def has_told(self, text: str) -> bool:
        """Whether that stands in what its workers have told."""
