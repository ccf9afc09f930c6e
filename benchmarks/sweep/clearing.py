"""Make room for a life: whatever the one before has left, which may have failed, goes at once.

Called by: life, before it begins.
"""

from contextlib import suppress

from benchmarks.cluster.waiting import await_true
from benchmarks.sweep.topology import NAMESPACE
from levee.topology.crd import PLURAL
from levee.topology.spec import API_VERSION
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.api import Api, Conflict, Denied, Object

GONE_WITHIN_S = 30.0
AT_ONCE: Object = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}
TOPOLOGIES = f"/apis/{API_VERSION}/namespaces/{NAMESPACE}/{PLURAL}"
OURS = tuple(
    f"{root}/namespaces/{NAMESPACE}/{kind}"
    for root, kind in (("/api/v1", "pods"), ("/api/v1", "configmaps"), ("/apis/policy/v1", "poddisruptionbudgets"))
)
LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases"


def clear(api: Api) -> None:
    api.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}})
    api.ask("DELETE", LEASES, AT_ONCE)
    await_true(lambda: is_empty(api), GONE_WITHIN_S, "what the life before has left is gone")


def is_empty(api: Api) -> bool:
    """And what is there is on its way."""
    found = [path for path in (TOPOLOGIES, *OURS) if any(True for _ in listed(api, path))]
    with suppress(Denied, Conflict):  # gone between two requests
        for one in listed(api, TOPOLOGIES):
            api.patch(f"{TOPOLOGIES}/{one['metadata']['name']}", {"metadata": {"finalizers": None}})
        for path in found:
            api.ask("DELETE", path, AT_ONCE, query=selected(path))
    return not found


def listed(api: Api, path: str) -> list[Object]:
    items: list[Object] = api.ask("GET", path, query=selected(path))["items"]
    return items


def selected(path: str) -> dict[str, str]:
    """Kubernetes has ConfigMaps of its own in each namespace."""
    return {} if path == TOPOLOGIES else {"labelSelector": names.TOPOLOGY}
