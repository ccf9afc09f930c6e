"""What each kind of fault is in this world, and every word by which one is undone.

Why: one place says what there is; a test holds it against Kind, so nothing is forgotten.
Called by: world; finding, which undoes by the journal alone: of the experiment nothing else may be left.
"""

from collections.abc import Callable, Mapping
from typing import Any

from levee.topology.complaint import Complaint
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault, Kind
from levee_chaos.refusals import NOTHING, Refused
from levee_chaos.worlds import objects
from levee_chaos.worlds.kubernetes import corrupting, helped, network, nodes, operators, pods, statuses, stopping
from levee_chaos.worlds.kubernetes.placed import Placed
from levee_chaos.worlds.world import Deed


def not_here(_placed: Placed, fault: Fault, _aimed: Aimed) -> Deed:
    wrong, fix = f"'{fault.kind}' cannot be done on a cluster", "run the experiment on levee-chaos run: name a directory"
    raise Refused(NOTHING, [Complaint("fault", wrong, fix)])


DEEDS: Mapping[Kind, Callable[[Placed, Fault, Aimed], Deed]] = {
    Kind.CRASH_REPLICA: pods.crash,
    Kind.CRASH_WORKER: pods.crash,
    Kind.CRASH_NODE: nodes.crash,
    Kind.CRASH_ZONE: nodes.crash,
    Kind.CRASH_OPERATOR: operators.crash,
    Kind.CUT_OPERATOR: operators.cut,
    Kind.PAUSE_REPLICA: stopping.pause,
    Kind.PAUSE_NODE: stopping.pause,
    Kind.SLOW_REPLICA: stopping.slow,
    **dict.fromkeys(network.OF_NODES, network.disturb),
    **dict.fromkeys(network.OF_STORES, network.disturb_store),
    Kind.FILL_DISK: not_here,
    Kind.SKEW_CLOCK: not_here,
    Kind.SKEW_STORE_CLOCK: not_here,
    Kind.CORRUPT_OBJECT: corrupting.corrupt,
    Kind.CORRUPT_STATUS: statuses.corrupt,
}

UNDO: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
    helped.END: helped.end_helpers,
    nodes.REVIVE: nodes.revive,
    objects.PUT_BACK: corrupting.put_back,
    statuses.WRITE_BACK: statuses.write_back,
}
