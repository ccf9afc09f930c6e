"""Which topologies read another one's streams.

Why: what somebody still reads must not be deleted under him.
Called by: settling.
"""

from levee.topology.crd import PLURAL
from levee.topology.spec import API_VERSION
from levee.worlds.kubernetes.api import Api, Object
from levee.worlds.kubernetes.names import Owner


def of(api: Api, owner: Owner) -> tuple[str, ...]:
    """By the resources of its namespace. Who is being deleted himself reads no more: two that read each other would wait for ever."""
    found = api.get(f"/apis/{API_VERSION}/namespaces/{owner.namespace}/{PLURAL}") or {}
    return tuple(sorted(one["metadata"]["name"] for one in found.get("items", ()) if is_alive(one) and reads(one, owner)))


def is_alive(resource: Object) -> bool:
    return resource["metadata"].get("deletionTimestamp") is None


def reads(resource: Object, owner: Owner) -> bool:
    if resource["metadata"]["uid"] == owner.uid:
        return False
    sources = resource["spec"].get("sources") or ()
    return any((source.get("import") or {}).get("topology") == owner.name for source in sources)
