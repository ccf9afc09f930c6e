"""Talk to a cluster as people do: with kubectl, and in words about pods and nodes.

Why: these tests ask whether the cluster itself can be relied on, so they share nothing with the operator's own client.
Called by: tests of this folder.
"""

import json
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cluster.programs import programs_folder

PATIENCE_S, PAUSE_S = 180.0, 0.3
RESTRICTED = {"pod-security.kubernetes.io/enforce": "restricted"}
CONTAINER = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}


@dataclass(frozen=True, slots=True)
class Kube:
    kubeconfig: Path
    namespace: str

    def command(self, *words: str) -> list[str]:
        own = programs_folder() / "kube"
        program = [str(own), "kubectl"] if own.exists() else [shutil.which("kubectl") or "kubectl"]
        return [*program, f"--kubeconfig={self.kubeconfig}", f"--namespace={self.namespace}", *words]

    def run(self, *words: str, given: object = None) -> str:
        done = self.asked(*words, given=given)
        assert done.returncode == 0, f"kubectl {' '.join(words)}: {done.stderr}"
        return done.stdout

    def asked(self, *words: str, given: object = None) -> "subprocess.CompletedProcess[str]":
        told = None if given is None else json.dumps(given)
        return subprocess.run(self.command(*words), input=told, capture_output=True, text=True, check=False)

    def get(self, *words: str) -> Any:
        return json.loads(self.run("get", *words, "--output=json"))

    def create(self, document: object) -> None:
        self.run("create", "--filename=-", given=document)

    def ready(self, node: str) -> bool:
        return condition(self.get("node", node), "Ready")

    def nodes(self) -> list[str]:
        return [item["metadata"]["name"] for item in self.get("nodes")["items"]]

    def finished(self, pod: str) -> str:
        """What it has said, once it has succeeded."""
        phase = ""

        def ended() -> bool:
            nonlocal phase
            phase = self.get("pod", pod)["status"]["phase"]
            return phase in ("Succeeded", "Failed")

        until(ended, f"pod {pod} ends")
        said = self.run("logs", pod)
        assert phase == "Succeeded", said
        return said


def condition(item: Any, kind: str) -> bool:
    return any(row["type"] == kind and row["status"] == "True" for row in item["status"].get("conditions", ()))


def until(holds: Callable[[], bool], what: str) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline_s, f"waited {PATIENCE_S:.0f} s in vain until {what}"
        time.sleep(PAUSE_S)


def pod(name: str, command: list[str], *, image: str = "worker", node: str = "") -> dict[str, Any]:
    """As strict as namespaces demand it: not root, nothing to write but a volume on /tmp."""
    container = {
        "name": "main",
        "image": f"localhost/levee/{image}:dev",
        "imagePullPolicy": "Never",
        "command": command,
        "securityContext": CONTAINER,
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],  # noqa: S108
    }
    spec: dict[str, Any] = {
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 0,
        "automountServiceAccountToken": False,
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container],
        "volumes": [{"name": "tmp", "emptyDir": {}}],
    }
    chosen = {"nodeSelector": {"kubernetes.io/hostname": node}} if node else {}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"app": name}}, "spec": spec | chosen}
