"""Whether the API server would take the pods of a plan, as the resource's template has them.

Why: a template may say anything, and what is in it is known to Kubernetes alone. Pods that run stay when it is edited, so a mistake in it
would be found only when one of them is lost, and then nothing could take its place.
Called by: making and edits, where a template is new.
"""

from levee.control.actions import StartWorker
from levee.control.names import ReplicaName, WorkerName
from levee.serve.ground import Ground
from levee.topology.complaint import Complaint
from levee.topology.names import NodeName
from levee.topology.wording import complaint_text
from levee.worlds.kubernetes import pods
from levee.worlds.kubernetes.pods import Birth

LIKE = StartWorker(WorkerName("rehearsal"), NodeName("none"), (ReplicaName("rehearsal"),), attempt=1)
FIX = "write it as the pods of a Deployment are written; `kubectl explain pod.spec` says how"


def refusal(ground: Ground) -> tuple[str, str]:
    """A reason and words; nothing, where they would be taken. It is asked, and nothing is made."""
    assert ground.draft is not None, "it was made before"
    try:
        made = pods.pod(LIKE, ground.terms(ground.draft), Birth(1, 0, pods.LEAST_CPU))
    except (AttributeError, KeyError, TypeError, ValueError):
        return told("has parts of another kind than a pod's")
    why = ground.shop.api.refusal(f"/api/v1/namespaces/{ground.owner.namespace}/pods", made)
    return told(f"is refused by the API server: {why}") if why else ("", "")


def told(wrong: str) -> tuple[str, str]:
    return "Invalid", complaint_text(Complaint("spec.podTemplate", wrong, FIX))
