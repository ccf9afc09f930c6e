"""Ask workers how they are, all at once, and never wait long for one of them.

Called by: the local world, at every observation; `levee status`.
"""

import http.client
import json
import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from levee.control.names import ReplicaName, WorkerName
from levee.control.seen import Processed, ReplicaSeen, Status

PATIENCE_S = 0.4
SPENT_PATIENCE_S = 2.0  # a worker looks at all processes before it answers

Name = TypeVar("Name", bound=str)


def port_of(directory: Path) -> int | None:
    """Where a worker can be asked; None as long as it cannot."""
    try:
        value = json.loads((directory / "worker.json").read_text())
    except (OSError, ValueError):
        return None
    port = value.get("port") if isinstance(value, dict) else None
    return port if isinstance(port, int) else None


def state_of(port: int, host: str = "127.0.0.1", patience_s: float = PATIENCE_S) -> dict[str, Any] | None:
    return answer_of(port, "/state", host, patience_s)


def answer_of(port: int, path: str, host: str = "127.0.0.1", patience_s: float = PATIENCE_S) -> dict[str, Any] | None:
    connection = http.client.HTTPConnection(host, port, timeout=patience_s)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        value = json.loads(answer.read()) if answer.status == http.client.OK else None
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    return value if isinstance(value, dict) else None


def states_of(ports: Mapping[WorkerName, int | None]) -> dict[WorkerName, dict[str, Any] | None]:
    return answers_of(ports, "/state", PATIENCE_S)


def answers_of(ports: Mapping[Name, int | None], path: str, patience_s: float) -> dict[Name, dict[str, Any] | None]:
    asked = {name: port for name, port in ports.items() if port is not None}
    with ThreadPoolExecutor(max(1, len(asked))) as pool:
        answers = pool.map(lambda port: answer_of(port, path, patience_s=patience_s), asked.values())
        return dict.fromkeys(ports, None) | dict(zip(asked, answers, strict=True))


def replicas_in(state: Mapping[str, Any]) -> tuple[ReplicaSeen, ...]:
    """What a worker says of its replicas; what it leaves out is unknown."""
    return tuple(replica_in(entry) for entry in state.get("replicas", ()))


def number(told: Any) -> float | None:
    """None: workers of an earlier version do not say it, nor does who knows of no backlog."""
    return float(told) if isinstance(told, int | float) and math.isfinite(told) else None


def whole(told: Any) -> int | None:
    found = number(told)
    return None if found is None else int(found)


def processed_in(told: Any) -> Processed:
    counts = told if isinstance(told, Mapping) else {}
    return Processed(*(whole(counts.get(name)) or 0 for name in Processed.__slots__))


def replica_in(entry: Mapping[str, Any]) -> ReplicaSeen:
    known = {status.value for status in Status}
    status = entry.get("status")
    return ReplicaSeen(
        ReplicaName(str(entry["replica"])),
        Status(status) if status in known else Status.STARTING,
        int(entry.get("epoch") or 0),
        entry.get("rank"),
        str(entry.get("last") or "none"),
        int(entry.get("lag_epochs") or 0),
        float(entry.get("rows_per_s") or 0.0),
        str(entry.get("error") or ""),
        int((entry.get("counts") or {}).get("diverged", 0)),
        bool(entry.get("ended")),
        str(entry.get("waits") or ""),
        number(entry.get("offered_per_s")),
        int(entry.get("record") or 0),
        whole(entry.get("read_ago_ms")),
        whole(entry.get("forked_ago_ms")),
        processed_in(entry.get("processed")),
        int((entry.get("counts") or {}).get("dead", 0)),
        str(entry.get("lacks") or ""),
        int((entry.get("counts") or {}).get("skips", 0)),
        int((entry.get("counts") or {}).get("adopts", 0)),
        entry.get("rows_per_s") is not None,
    )
