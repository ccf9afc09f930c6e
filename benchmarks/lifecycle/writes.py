"""What the API server counts of writes to objects of topologies, by whomever.

Why: what the operator says of itself is checked against what was asked of somebody else.
Called by: jobs.
"""

from collections.abc import Mapping

from benchmarks.cluster.operators import samples
from levee.topology.crd import PLURAL
from levee.worlds.kubernetes.api import Api

COUNTER = "apiserver_request_total"
WRITES = {"POST", "PUT", "PATCH", "DELETE", "APPLY"}
OURS = {"pods", PLURAL, "configmaps", "poddisruptionbudgets", "events", "secrets"}  # leases are the nodes' heartbeat, and the leader's
PATIENCE_S = 30.0


def all_writes(api: Api) -> int:
    return count(text(api, "/metrics"))


def count(metrics: str) -> int:
    return int(sum(one.value for one in samples(metrics, COUNTER) if is_write(one.labels)))


def is_write(labels: Mapping[str, str]) -> bool:
    return labels.get("verb") in WRITES and labels.get("resource") in OURS and labels.get("subresource", "") in {"", "status"}


def text(api: Api, path: str) -> str:
    answer = api.stream(path, {}, PATIENCE_S)
    try:
        return bytes(answer.read()).decode()
    finally:
        answer.release_conn()
