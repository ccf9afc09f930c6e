"""Helper pods: short-lived and privileged, each on the node of whom it hits, with a deadline of its own.

Why: nothing privileged is installed in a cluster, and nothing is pulled: a helper runs the image of whom it hits, which that node has.
Called by: the deeds that need a node's processes or a pod's network; finding, by what they have written down.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from importlib import resources
from typing import Any

from levee.experiments.orders import BY, MADE_BY
from levee.topology.complaint import Complaint
from levee.worlds.kubernetes.api import Conflict, Denied, Exists, Object, Unreachable
from levee.worlds.kubernetes.person import Reached
from levee_chaos.refusals import NotUndone
from levee_chaos.worlds.kubernetes.targets import Target

LABELS = {"app.kubernetes.io/name": "levee", "app.kubernetes.io/component": "chaos-helper", "app.kubernetes.io/managed-by": "levee-chaos"}
GRACE_S, MARGIN_S, GONE_S, LOOK_S = 10, 30, 40.0, 0.2
LINES = 4  # of its log, at the end: it speaks when something has changed
DRY_RUN = {"dryRun": "All"}
BEGIN = """import json, sys, types
_, *texts, order = sys.argv
for name, text in zip(("levee_chaos.netlink", "levee_chaos.packets", "helper"), texts):
    sys.modules[name] = module = types.ModuleType(name)
    exec(compile(text, name, "exec"), vars(module))
sys.exit(module.main(json.loads(order)))"""


@dataclass(frozen=True, slots=True)
class Helper:
    """`order`: what it does, as helper.py reads it."""

    namespace: str
    target: Target  # on whose node, and by whose image
    order: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The same order for the same pods is the same helper."""
        told = {key: value for key, value in self.order.items() if key != "for_s"}
        mark = blake2b(json.dumps(told, sort_keys=True).encode(), digest_size=5).hexdigest()
        return f"levee-chaos-{self.order['do']}-{mark}"

    @property
    def path(self) -> str:
        return f"{pods_in(self.namespace)}/{self.name}"

    def manifest(self) -> Object:
        container = {
            "name": "helper",
            "image": self.target.image,
            "imagePullPolicy": "Never",
            "command": ["python3", "-c", BEGIN, *texts(), json.dumps(self.order)],
            "securityContext": {"privileged": True, "runAsUser": 0, "runAsNonRoot": False, "readOnlyRootFilesystem": True},
            "resources": {"requests": {"cpu": "10m", "memory": "32Mi"}, "limits": {"memory": "128Mi"}},
        }
        spec = {
            "nodeName": self.target.node,  # where whom it hits is, cordoned or not
            "hostPID": True,
            "restartPolicy": "Never",
            "activeDeadlineSeconds": round(self.order["for_s"]) + MARGIN_S,
            "terminationGracePeriodSeconds": GRACE_S,
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "tolerations": [{"operator": "Exists"}],
            "containers": [container],
        }
        head = {"name": self.name, "namespace": self.namespace, "labels": labels()}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": head, "spec": spec}


def texts() -> tuple[str, ...]:
    """What a helper runs, and what that imports, before it: images know nothing of this package."""
    here = resources.files("levee_chaos")
    return tuple(here.joinpath(one).read_text() for one in ("netlink.py", "packets.py", "worlds/kubernetes/helper.py"))


def labels() -> dict[str, str]:
    """With whose Job has made it, so that it is found again when all of that Job is gone."""
    by = os.environ.get(BY)
    return LABELS | ({MADE_BY: by} if by else {})


def pods_in(namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/pods"


# ---- before


def place_for(reached: Reached, namespaces: Sequence[str], target: Target, order: Mapping[str, Any]) -> Helper | Complaint:
    """In the first of these namespaces that would have it: the API server is asked, and makes nothing."""
    wrong = []
    for namespace in namespaces:
        helper = Helper(namespace, target, order)
        try:
            reached.api.ask("POST", pods_in(namespace), helper.manifest(), query=DRY_RUN)
        except Denied as denied:
            wrong.append(f"{namespace}: {denied.message.strip()}")
            continue
        except Exists:
            pass
        return helper
    fix = "name a namespace under `namespaces` of levee_chaos.controls that admits privileged pods, and in which you may make them"
    return Complaint("the helper pod", "no named namespace has it: " + "; ".join(wrong or ["none is named"]), fix)


# ---- the deed, and whether it was done


def ensure(reached: Reached, helper: Helper) -> None:
    """One that has ended does nothing any more: who was to remove it is gone."""
    if reached.api.create(pods_in(helper.namespace), helper.manifest()) is None and has_ended(reached.api.get(helper.path)):
        end(reached, [(helper.namespace, helper.name)])


def has_ended(pod: Object | None) -> bool:
    return pod is not None and pod["status"].get("phase") in {"Succeeded", "Failed"}


def lacking(reached: Reached, helper: Helper) -> list[str]:
    """What it says itself, by what it has measured last."""
    found = reached.api.get(helper.path)
    if found is None:
        return [f"helper pod {helper.name}: it is not there"]
    told = list(said(reached, helper)) if found["status"].get("phase") == "Running" else []
    left: list[str] | None = next((one["left"] for one in reversed(told) if "left" in one), None)
    return [f"helper pod {helper.name}: {why_not_yet(found)}"] if left is None else left


def said(reached: Reached, helper: Helper) -> Iterator[Mapping[str, Any]]:
    try:
        answer = reached.api.stream(f"{helper.path}/log", {"tailLines": str(LINES)}, silent_s=5.0)
        lines = answer.read().decode(errors="replace").splitlines()
    except Unreachable:
        return  # its kubelet has not answered yet
    for line in lines:
        if line.startswith("{"):
            yield json.loads(line)


def why_not_yet(pod: Object) -> str:
    status = pod["status"]
    [one] = status.get("containerStatuses") or [{}]
    waiting, ended = one.get("state", {}).get("waiting") or {}, one.get("state", {}).get("terminated") or {}
    why = waiting.get("message") or waiting.get("reason") or ended.get("reason") or status.get("message") or ""
    return f"{status.get('phase', 'Pending')} {why}".strip()


# ---- undone


def end(reached: Reached, helpers: Sequence[tuple[str, str]]) -> None:
    """They undo what they do when they are told to end; until they are gone nobody knows that they have. Twice is once."""
    until_s = time.monotonic() + GONE_S
    while left := [one for one in helpers if is_left(reached, *one)]:
        if time.monotonic() > until_s:
            raise NotUndone(f"helper pod {'/'.join(left[0])} does not end")
        time.sleep(LOOK_S)


def is_left(reached: Reached, namespace: str, name: str) -> bool:
    path = f"{pods_in(namespace)}/{name}"
    if (found := reached.api.get(path)) is None:
        return False
    metadata = found["metadata"]
    if "deletionTimestamp" not in metadata:
        with suppress(Conflict):  # it has changed since: at the next look
            reached.api.delete(path, uid=metadata["uid"], version=metadata["resourceVersion"])
    return True
