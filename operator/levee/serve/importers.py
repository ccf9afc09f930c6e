"""Which topologies read another one's streams.

Why: what somebody still reads must not be deleted under him, nor come to its end.
Called by: settling, importing, edits.
"""

from collections.abc import Iterable, Sequence

from levee.serve.checked import as_written
from levee.topology.crd import PLURAL
from levee.topology.spec import API_VERSION
from levee.worlds.kubernetes.api import Api, Denied, Object
from levee.worlds.kubernetes.names import Owner

COMPLETED = "completed"


def of(api: Api, owner: Owner, allowed: Iterable[str] = (), *, stream: str | None = None) -> tuple[str, ...]:
    """By the resources of its namespace and of those that it allows; `stream`: only that one. Who is being deleted himself reads no more:
    two that read each other would wait for ever. Nor does who has come to the end of all that there is."""
    there = (one for path in places(owner, tuple(allowed)) for one in listed(api, path))
    readers = (one for one in there if is_alive(one) and not has_completed(one) and reads(one, owner, stream))
    return tuple(sorted({shown(one["metadata"], owner) for one in readers}))


def places(owner: Owner, allowed: tuple[str, ...]) -> tuple[str, ...]:
    base = f"/apis/{API_VERSION}"
    if "*" in allowed:
        return (f"{base}/{PLURAL}",)
    return tuple(f"{base}/namespaces/{name}/{PLURAL}" for name in dict.fromkeys((owner.namespace, *allowed)))


def listed(api: Api, path: str) -> Sequence[Object]:
    try:
        found: Sequence[Object] = (api.get(path) or {}).get("items", ())
    except Denied:  # an operator that may not look there cannot run anything there either
        return ()
    return found


def shown(metadata: Object, owner: Owner) -> str:
    name, namespace = str(metadata["name"]), metadata["namespace"]
    return name if namespace == owner.namespace else f"{namespace}/{name}"


def is_alive(resource: Object) -> bool:
    return resource["metadata"].get("deletionTimestamp") is None


def has_completed(resource: Object) -> bool:
    """As its operator has written it. Registrations are looked at besides: they are released only by who has come to the end."""
    return bool(as_written(resource).get("status", {}).get("state") == COMPLETED)


def reads(resource: Object, owner: Owner, stream: str | None) -> bool:
    if resource["metadata"]["uid"] == owner.uid:
        return False
    imports = [source.get("import") or {} for source in resource["spec"].get("sources") or ()]
    here = resource["metadata"]["namespace"]
    mine = (one for one in imports if (one.get("namespace") or here, one.get("topology")) == (owner.namespace, owner.name))
    return any(stream is None or one.get("stream") == stream for one in mine)
