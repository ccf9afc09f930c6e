"""Topologies of this machine: `levee run`.

Why: no root, no container; the same experiment that runs on a cluster is tried here first.
Called by: finding, and deadman, which lets those who are slowed stand still.
"""

from levee_chaos.worlds.local.deeds import DEEDS, UNDO
from levee_chaos.worlds.local.going_on import stop
from levee_chaos.worlds.local.run import runs_here
from levee_chaos.worlds.local.world import find

__all__ = ["DEEDS", "UNDO", "find", "runs_here", "stop"]
