"""The nodes on which tests have their pods: whatever they are called, it is the cluster that says which of them take any.

Why: on somebody else's cluster there may be more than tests count on, and some of them closed, such as those of the control plane.
Called by: tests of this folder whose pods are to be on so many nodes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.e2e.cluster.kube import Kube, condition, until

LINUX = "kubernetes.io/os=linux"
CLOSING = {"NoSchedule", "NoExecute"}


def homes(kube: Kube, count: int) -> list[str]:
    """So many nodes that take pods; one that has just come back is closed for a moment still."""
    until(lambda: len(open_nodes(kube)) >= count, f"{count} nodes take pods: they are ready, and neither cordoned nor tainted")
    return open_nodes(kube)[:count]


def open_nodes(kube: Kube) -> list[str]:
    return [item["metadata"]["name"] for item in kube.get("nodes", f"--selector={LINUX}")["items"] if takes_pods(item)]


def takes_pods(node: Any) -> bool:
    closed = node["spec"].get("unschedulable") or CLOSING & {taint["effect"] for taint in node["spec"].get("taints", ())}
    return condition(node, "Ready") and not closed


@contextmanager
def on_nodes(kube: Kube, count: int) -> Iterator[dict[str, Any]]:
    """The placement of a topology: one pod on each of so many nodes. They bear a label meanwhile."""
    label, nodes = f"levee.dev/{kube.namespace}", homes(kube, count)
    kube.run("label", "nodes", *nodes, f"{label}=true")
    try:
        yield {"packing": "node", "nodeSelector": {label: "true"}}
    finally:
        kube.run("label", "nodes", *nodes, f"{label}-")
