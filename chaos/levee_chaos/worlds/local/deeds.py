"""What each kind of fault is in this world, and every word by which one is undone.

Why: one place says what there is; a test holds it against Kind, so nothing is forgotten.
Called by: world; finding, which undoes by the journal alone: of the experiment nothing else may be left.
"""

from collections.abc import Callable, Mapping
from typing import Any

from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault, Kind
from levee_chaos.worlds import objects
from levee_chaos.worlds.local import controller, corrupting, disturbing, going_on, java, signals
from levee_chaos.worlds.local.run import Run
from levee_chaos.worlds.world import Deed

DEEDS: Mapping[Kind, Callable[[Run, Fault, Aimed], Deed]] = {
    Kind.CRASH_REPLICA: java.crash_worker,
    Kind.CRASH_WORKER: java.crash_worker,
    Kind.CRASH_NODE: signals.crash,
    Kind.CRASH_ZONE: signals.crash,
    Kind.CRASH_OPERATOR: controller.crash,
    Kind.CUT_OPERATOR: controller.cut,
    Kind.PAUSE_REPLICA: signals.pause,
    Kind.PAUSE_NODE: signals.pause,
    Kind.SLOW_REPLICA: signals.slow,
    **dict.fromkeys(disturbing.WAYS, disturbing.disturb),
    Kind.CORRUPT_OBJECT: corrupting.corrupt,
    Kind.CORRUPT_STATUS: corrupting.no_status,
}

UNDO: Mapping[str, Callable[[Mapping[str, Any]], None]] = {
    going_on.GO_ON: going_on.go_on,
    going_on.REVIVE: going_on.revive,
    controller.RESUME: controller.resume,
    disturbing.END: disturbing.end,
    objects.PUT_BACK: corrupting.put_back,
}
