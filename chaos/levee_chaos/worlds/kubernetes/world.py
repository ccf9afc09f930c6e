"""A topology of a cluster as a World: what is seen of it, and what each kind of fault is here.

Called by: finding.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from levee.topology.complaint import Complaint
from levee.worlds.kubernetes.person import Reached
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault
from levee_chaos.journal import Undo
from levee_chaos.worlds.kubernetes.deeds import DEEDS
from levee_chaos.worlds.kubernetes.placed import Placed
from levee_chaos.worlds.kubernetes.plainly import plainly
from levee_chaos.worlds.world import Deed


@dataclass(frozen=True, slots=True)
class Plain:
    """A deed whose failures are told."""

    reached: Reached
    inner: Deed

    @property
    def name(self) -> str:
        return self.inner.name

    @property
    def undo(self) -> Undo | None:
        return self.inner.undo

    @property
    def share(self) -> float:
        return self.inner.share

    @property
    def patience_s(self) -> float:
        return self.inner.patience_s

    def without_means(self) -> Iterable[Complaint]:
        with plainly(self.reached):
            return list(self.inner.without_means())

    def do(self) -> None:
        with plainly(self.reached):
            self.inner.do()

    def lacking(self) -> Sequence[str]:
        with plainly(self.reached):
            return self.inner.lacking()


@dataclass(frozen=True)
class Cluster(Placed):
    def deed(self, fault: Fault, aimed: Aimed) -> Deed:
        """Whatever the cluster does not answer, then or later, is told in plain words."""
        with plainly(self.reached):
            return Plain(self.reached, DEEDS[fault.kind](self, fault, aimed))
