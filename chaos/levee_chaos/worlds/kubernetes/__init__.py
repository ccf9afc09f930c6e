"""Topologies on a cluster, with the rights of whoever runs the experiment.

Why: what a topology survives on a laptop it must survive where it is used.
Called by: finding.
"""

from levee_chaos.worlds.kubernetes.deeds import DEEDS, UNDO
from levee_chaos.worlds.kubernetes.finding import find, is_configured

__all__ = ["DEEDS", "UNDO", "find", "is_configured"]
