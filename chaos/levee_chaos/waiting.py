"""Wait for a topology, whoever runs it may be away meanwhile.

Called by: probes.
"""

import time
from collections.abc import Callable

from levee.topology.complaint import Complaint
from levee.topology.wording import listed
from levee_chaos.refusals import Refused
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.world import Health, Where

LOOK_S = 0.2


def waited(where: Where, missing_in: Callable[[Health, str], Complaint | None], timeout_s: float, failed: str) -> float:
    """In seconds. Refused after the timeout, with what is missing."""
    began_s = time.monotonic()
    while True:
        try:
            world = find(where)
            wrong = missing_in(world.health(), world.reason)
        except Refused as away:
            if time.monotonic() - began_s > timeout_s:
                raise
            wrong = Complaint("topology", str(away), "")
        if wrong is None:
            return time.monotonic() - began_s
        if time.monotonic() - began_s > timeout_s:
            raise Refused(f"levee-chaos: {failed} within {timeout_s:g} s.", [wrong])
        time.sleep(LOOK_S)


def missing(health: Health, reason: str, epochs: float, first: int) -> Complaint | None:
    """None: it has recovered."""
    if not health.is_whole:
        wrong = f"{listed(health.idle[:12], 'and') or 'some planned replica'} does not work ({reason})"
    elif health.lag_epochs >= epochs:
        wrong = f"it is {health.lag_epochs} epochs behind its sources"
    elif health.epoch <= first + 1:
        wrong = f"nothing has come out since epoch {first}"
    else:
        return None
    return Complaint("topology", wrong, "see levee status and the logs of its workers")
