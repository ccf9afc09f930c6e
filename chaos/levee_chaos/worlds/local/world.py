"""A run of this machine as a World: what is seen of it, and what each kind of fault is here.

Called by: finding.
"""

from dataclasses import dataclass

from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault
from levee_chaos.worlds.local.deeds import DEEDS
from levee_chaos.worlds.local.run import Run, found
from levee_chaos.worlds.world import Deed


@dataclass(frozen=True, slots=True)
class Local(Run):
    def deed(self, fault: Fault, aimed: Aimed) -> Deed:
        return DEEDS[fault.kind](self, fault, aimed)


def find(directory: str, topology: str) -> Local:
    return Local(*found(directory, topology))
