"""What whoever runs the experiment may do on the cluster, asked before it is done.

Called by: the deeds of this world.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from levee.topology.complaint import Complaint
from levee.worlds.kubernetes.person import Reached

REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"


@dataclass(frozen=True, slots=True)
class Right:
    verb: str
    resource: str  # pods, pods/exec
    namespace: str = ""  # none: of the whole cluster
    name: str = ""
    group: str = ""


def lacking(reached: Reached, *rights: Right) -> Iterator[Complaint]:
    for one in rights:
        if not has(reached, one):
            where = f" in namespace {one.namespace}" if one.namespace else ""
            yield Complaint("rights", f"you may not {one.verb} {one.resource}{where}", "ask for a role that allows it (kubectl auth can-i)")


def has(reached: Reached, right: Right) -> bool:
    resource, _, part = right.resource.partition("/")
    wanted = {"verb": right.verb, "resource": resource, "subresource": part, "namespace": right.namespace, "name": right.name}
    wanted |= {"group": right.group} if right.group else {}
    review = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectAccessReview"}
    return bool(reached.api.ask("POST", REVIEWS, review | {"spec": {"resourceAttributes": wanted}})["status"]["allowed"])
