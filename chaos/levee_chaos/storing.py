"""Faults of the store, its disk, its objects and of clocks.

Why: a store is there once, so these concern the whole topology, its controller included, but for the clock of a node.
On this machine only a run that `levee-chaos run` has started obeys them; corrupt_object needs no more than `levee run`.
Called by: `chaos run`, from an experiment's method.
"""

from collections.abc import Mapping

from levee_chaos import inflicting
from levee_chaos.fault import Fault, Kind, Whom
from levee_chaos.refusals import number
from levee_chaos.telling import ms_in, one_of, role_in, share_in, whole
from levee_chaos.worlds.world import Where

__all__ = ["corrupt_object", "corrupt_status", "fail_store", "fill_disk", "skew_clock", "skew_store_clock", "slow_store"]

Document = dict[str, object]
FIELDS = ("replicas", "configuration", "lagEpochs", "state")
OBJECTS = ("epoch", "checkpoint", "control")


def fail_store(for_s: float, share: float = 0.5, topology: str = "", directory: str = "", namespace: str = "") -> Document:
    """Answer a share of all requests to the store with an error; half of those have been carried out nevertheless."""
    return inflict(Kind.FAIL_STORE, for_s, {"share": share_in(share)}, Where(topology, directory, namespace))


def slow_store(for_s: float, ms: float, jitter_ms: float = 0, topology: str = "", directory: str = "", namespace: str = "") -> Document:
    """Let each request to the store take longer, by `ms` more or less `jitter_ms`."""
    how = {"ms": whole("ms", ms, 1), "jitter_ms": whole("jitter_ms", jitter_ms, 0)}
    return inflict(Kind.SLOW_STORE, for_s, how, Where(topology, directory, namespace))


def fill_disk(for_s: float, topology: str = "", directory: str = "", namespace: str = "") -> Document:
    """Let the disk of the store be full: it can be read, and nothing can be written."""
    return inflict(Kind.FILL_DISK, for_s, {}, Where(topology, directory, namespace))


def skew_store_clock(for_s: float, by_s: float, topology: str = "", directory: str = "", namespace: str = "") -> Document:
    """Set the clock by which the store stamps objects, ahead or (below 0) back; then it is set right again."""
    how = {"ms": whole("by_s", 1_000 * number("by_s", by_s), -(10**9))}
    return inflict(Kind.SKEW_STORE_CLOCK, for_s, how, Where(topology, directory, namespace))


def skew_clock(
    for_s: float,
    by_s: float,
    topology: str = "",
    node: str = "",
    operator: str = "",
    task: str = "",
    replica: str = "",
    role: str = "any",
    directory: str = "",
    namespace: str = "",
) -> Document:
    """Let the clock that the workers of a node go by jump ahead, as when a machine has slept.

    Workers go by a clock that never goes back, so the jump stays when this ends, until they are started again. They never ask for the
    time of day.
    """
    whom = Whom(topology, operator, task, replica, node=node, role=role_in(role))
    fault = Fault(Kind.SKEW_CLOCK, whom, ms_in(for_s), {"ms": whole("by_s", 1_000 * number("by_s", by_s), 1)})
    return inflicting.inflict(fault, Where(topology, directory, namespace)).document()


def corrupt_object(
    what: str, task: str = "", which: str = "newest", topology: str = "", directory: str = "", namespace: str = ""
) -> Document:
    """Flip the last bytes of one object in the store: an `epoch` or a published `checkpoint` of a task, or a `control` record.

    `which`: newest, oldest, or its number. Undone, it is put back, unless somebody has rebuilt it.
    """
    how = {"what": one_of("what", what, OBJECTS), "task": task, "which": str(which)}
    return inflict(Kind.CORRUPT_OBJECT, None, how, Where(topology, directory, namespace))


def corrupt_status(field: str = "replicas", topology: str = "", directory: str = "", namespace: str = "") -> Document:
    """Write nonsense into a cluster's topology's status: into `replicas`, `configuration` or `lagEpochs`, or another `state` of its life.

    Levee's operator has to notice, tell, and write it anew; what it has not when this is undone is written back.
    """
    how = {"field": one_of("field", field, FIELDS)}
    return inflict(Kind.CORRUPT_STATUS, None, how, Where(topology, directory, namespace))


def inflict(kind: Kind, for_s: float | None, how: Mapping[str, object], where: Where) -> Document:
    fault = Fault(kind, Whom(where.topology), 0 if for_s is None else ms_in(for_s), how)
    return inflicting.inflict(fault, where).document()
