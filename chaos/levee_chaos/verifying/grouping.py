"""Workers such that the worst case can be done: who is to be dead for good shares none with who is to survive it.

Why: with one worker for each node, as `levee run` has them, nobody could die alone; with one for each replica a laptop would start
dozens of Java machines. Two on a node are enough.
Called by: running, for a run of its own; campaign, which says what cannot be done in a run that is there already.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace

from levee.control.names import ReplicaName, WorkerName, worker_name
from levee.control.wanted import Placed, Wanted
from levee.topology.names import NodeName


def grouped(wanted: Wanted, dead: Collection[ReplicaName]) -> Wanted:
    """The same, with each worker of a mixed crew split in two."""
    return replace(wanted, workers=tuple(split(wanted.workers, dead)), space=wanted.space)


def split(workers: tuple[Placed, ...], dead: Collection[ReplicaName]) -> Iterator[Placed]:
    taken: dict[NodeName, int] = {}
    for one in workers:
        parts = [tuple(each for each in one.replicas if (each in dead) is dies) for dies in (False, True)]
        for part in filter(None, parts):
            number = taken.get(one.node, 0)
            taken[one.node] = number + 1
            yield Placed(worker_name(one.node, number), one.node, part)


def condemned(workers: Collection[Placed], dead: Collection[ReplicaName]) -> tuple[WorkerName, ...]:
    """Those whose replicas are all to be dead."""
    return tuple(one.worker for one in workers if set(one.replicas) <= set(dead))


def mixed(workers: Collection[Placed], dead: Collection[ReplicaName]) -> tuple[Placed, ...]:
    """Those that cannot be hit without hitting a survivor."""
    return tuple(one for one in workers if set(one.replicas) & set(dead) and not set(one.replicas) <= set(dead))
