"""The pods that a fault meets, by what people call them.

Called by: placed, which finds them; crash, pause, operators and helpers.
"""

from dataclasses import dataclass

from levee.worlds.kubernetes.api import Object


@dataclass(frozen=True, slots=True)
class Target:
    """One pod, as it was seen: never a namesake."""

    namespace: str
    name: str
    uid: str
    node: str
    image: str  # of its first container
    container: str  # that container's id at its runtime; empty: it has not begun

    @property
    def path(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods/{self.name}"


def target(pod: Object) -> Target:
    metadata, spec = pod["metadata"], pod["spec"]
    main = spec["containers"][0]
    statuses = {one["name"]: one for one in pod.get("status", {}).get("containerStatuses") or ()}
    container = str(statuses.get(main["name"], {}).get("containerID") or "").rpartition("//")[2]
    return Target(metadata["namespace"], metadata["name"], metadata["uid"], str(spec.get("nodeName") or ""), main["image"], container)
