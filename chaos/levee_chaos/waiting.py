"""Wait for a topology, whoever runs it may be away meanwhile.

Called by: probes.
"""

import time
from collections.abc import Callable

from levee.topology.complaint import Complaint
from levee.topology.wording import listed
from levee_chaos.keeping import Keeping
from levee_chaos.refusals import Refused
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.world import Where, World

LOOK_S = 0.2


def waited(where: Where, missing_in: Callable[[World], Complaint | None], timeout_s: float, failed: str) -> float:
    """In seconds. Refused after the timeout, with what is missing."""
    began_s = time.monotonic()
    while wrong := looked(where, missing_in):
        if time.monotonic() - began_s > timeout_s:
            raise Refused(f"levee-chaos: {failed} within {timeout_s:g} s.", [wrong])
        time.sleep(LOOK_S)
    return time.monotonic() - began_s


def looked(where: Where, missing_in: Callable[[World], Complaint | None]) -> Complaint | None:
    try:
        return missing_in(find(where))
    except Refused as away:
        return Complaint("topology", str(away), "see levee status")


def missing(world: World, epochs: float, first: int) -> Complaint | None:
    """None: it has recovered."""
    health = world.health()
    if not health.is_whole:
        wrong = f"{listed(health.idle[:12], 'and') or 'some planned replica'} does not work ({world.reason})"
    elif health.lag_epochs >= epochs:
        wrong = f"it is {health.lag_epochs} epochs behind its sources"
    elif health.epoch <= first + 1:
        wrong = f"nothing has come out since epoch {first}"
    else:
        return lasting(Keeping(world.folder))
    return Complaint("topology", wrong, "see levee status and the logs of its workers")


def lasting(keeping: Keeping) -> Complaint | None:
    """A fault that ends by itself and has not yet: who bears it so far may be hit by it again in the next moment."""
    timed = (entry for entry in keeping.standing().values() if entry.until_ms is not None)
    return next((Complaint(entry.what, "lasts still", "allow more time than the fault is to last") for entry in timed), None)
