"""End a pod, as the very one that was seen, and as it was seen.

Why: between a look and its deed a pod may have become another one: a worker that hung may answer again. Who has changed is looked at again
before anything is done to him.
Called by: world, for a worker whose time is over; serve's shop, for trials, and for all pods of a topology.
"""

from dataclasses import dataclass

from levee.worlds.kubernetes.api import Api, Conflict
from levee.worlds.kubernetes.cluster import Cluster, Key

FORCED = 0  # seconds of grace where no kubelet is there to end anything


@dataclass(frozen=True, slots=True)
class Doomed:
    """A pod as it was seen last."""

    name: str
    uid: str
    version: str
    leaving: bool
    lives: bool  # its node does; else nobody there would answer, and a zombie can do no harm


def end(api: Api, cluster: Cluster, of: Key, pod: Doomed) -> bool:
    """Whether it goes; if not, it has changed, and the next turn sees how. Where its node lives it has its time, once."""
    if pod.leaving and pod.lives:
        return True
    path = f"/api/v1/namespaces/{of[0]}/pods/{pod.name}"
    try:
        there = api.delete(path, uid=pod.uid, version=pod.version, grace_s=None if pod.lives else FORCED)
    except Conflict:
        return False
    if not there:
        cluster.forget(*of, pod.uid)
    return True
