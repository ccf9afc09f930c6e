"""The topology of that name on the cluster that kubectl would ask.

Called by: levee_chaos.worlds.finding.
"""

import os
from pathlib import Path

from levee.cli.kube.place import error, listed
from levee.cli.kube.place import find as named
from levee.topology.complaint import Complaint
from levee.worlds.kubernetes.person import FILE, OWN_NAMESPACE, NoConfig, reach
from levee_chaos.refusals import Refused
from levee_chaos.worlds.kubernetes.plainly import plainly
from levee_chaos.worlds.kubernetes.world import Cluster


def is_configured() -> bool:
    """Whether it is said which cluster is meant."""
    files = os.environ.get("KUBECONFIG") or FILE
    return OWN_NAMESPACE.exists() or any(Path(one).expanduser().is_file() for one in files.split(os.pathsep) if one)


def find(namespace: str, topology: str) -> Cluster:
    """Without a name, the only one of the namespace."""
    try:
        reached = reach(None, None, namespace)
    except NoConfig as wrong:
        raise Refused("levee-chaos: which cluster?", [Complaint("kubeconfig", str(wrong), "or name a directory of levee run")]) from None
    name = topology.rpartition("/")[2]
    with plainly(reached):
        if name:
            return Cluster(reached, named(reached, name))
        found = listed(reached)
        if len(found) != 1:
            names = ", ".join(one["metadata"]["name"] for one in found[:12])
            raise error(f"which topology of namespace {namespace}? " + (f"name one of {names}" if found else "there is none"))
        return Cluster(reached, found[0])
