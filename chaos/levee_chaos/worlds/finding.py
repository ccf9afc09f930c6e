"""Which world an experiment is about, and how what it has done there is undone.

Why: the same experiment runs on a laptop and on a cluster; where is said by whoever starts it.
Called by: inflicting, deadman, probes and controls.
"""

from levee_chaos.journal import Undo
from levee_chaos.worlds import kubernetes, local
from levee_chaos.worlds.world import Where, World

UNDO = {"local": local.UNDO, "kubernetes": kubernetes.UNDO}


def find(where: Where) -> World:
    """A directory is one of this machine, and so is a name that runs here; a namespace is one of the kubeconfig's cluster."""
    if where.namespace and not where.directory:
        return kubernetes.find(where.namespace, where.topology)
    namespace, _, name = where.topology.rpartition("/")
    if namespace and not where.directory and not local.runs_here(where.topology) and kubernetes.is_configured():
        return kubernetes.find(namespace, name)
    return local.find(where.directory, where.topology)


def undo(what: Undo) -> None:
    """Twice is once. NotUndone: it cannot be done now."""
    UNDO[what.world][what.do](what.how)
