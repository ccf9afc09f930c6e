"""How long the pods of a topology took to start, and on what: from the cluster's own clock and from what the workers have logged.

Why: a pod's first epoch waits for its image, for Python, for Java, for a warm session; who wants it sooner must know which.
Called by: `python -m hack.images starts NAMESPACE`, with a KUBECONFIG, while the pods are there.
"""

import json
import subprocess
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from servers.trouble import ServerTrouble

STAGES = ("container", "started", "warm", "ready", "first epoch")
SAYS = {
    "container": "its container runs",
    "started": "Python answers",
    "warm": "Spark is warm",
    "ready": "ready",
    "first epoch": "first epoch",
}


def starts(namespace: str) -> str:
    """A table, a line for each pod; seconds since the pod was created."""
    pods = json.loads(kubectl("get", "pods", "--namespace", namespace, "--selector", "levee.dev/topology", "--output", "json"))["items"]
    rows = [
        (one["metadata"]["name"], stages(one, kubectl("logs", "--namespace", namespace, one["metadata"]["name"]).splitlines()))
        for one in pods
    ]
    head = ["pod", *(SAYS[stage] for stage in STAGES)]
    return "\n".join([line(head), line(["---"] * len(head)), *(line([name, *shown(found)]) for name, found in sorted(rows))])


def kubectl(*words: str) -> str:
    try:
        return subprocess.run(["kubectl", *words], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError:
        raise ServerTrouble("There is no kubectl on the path.") from None
    except subprocess.CalledProcessError as error:
        raise ServerTrouble(f"kubectl {' '.join(words)}: {error.stderr.strip()}") from error


def stages(pod: Mapping[str, Any], log: Iterable[str]) -> dict[str, float]:
    """In seconds since the pod was created; of several replicas in it, of the first."""
    created_s, found = seconds(pod["metadata"]["creationTimestamp"]), dict[str, float]()
    for one in pod["status"].get("containerStatuses", ()):
        if running := one.get("state", {}).get("running"):
            found["container"] = seconds(running["startedAt"]) - created_s
    for text in log:
        said = json.loads(text) if text.startswith("{") else {}
        if said.get("event") in STAGES:
            found.setdefault(said["event"], seconds(said["time"]) - created_s)
    return found


def seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def shown(found: Mapping[str, float]) -> list[str]:
    return [f"{found[stage]:.1f}" if stage in found else "" for stage in STAGES]


def line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
