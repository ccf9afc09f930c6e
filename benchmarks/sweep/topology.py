"""The resource of a life, as it is in each phase.

Why: small enough for a life of seconds, and with everything that makes the operator write: several pods, a plan that an edit changes, a
configuration in which second replicas are off, a node that can be spared, and data that are deleted in the end.
Called by: life.
"""

from pathlib import Path
from typing import Any

from levee.topology.spec import API_VERSION, KIND

NAMESPACE, NAME = "lives", "clicks"  # the same in each life: in which order nodes are taken follows from both
NODES = ("node-1", "node-2", "node-3")
LOST = "node-2"
CALM, BUSY = 10, 40  # rows a second that are declared
PERIOD_MS = 500
FUNCTIONS = "benchmarks.sweep.plain"
TASKS = ("numbers/0", "labelled/0", "total/0")
ALONE: dict[str, Any] = {"strategy": "none", "replicas": 1}
TWICE: dict[str, Any] = {"strategy": "completeness", "replicas": 2, "target": {"completeness": 0.7}}  # at calm times only
SAID: dict[str, Any] = {"checkpoint": {"every": 8}, "failureTimeout": "4s"}


def resource(place: Path, namespace: str, *, twice: bool = False, suspend: bool = False) -> dict[str, Any]:
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"name": NAME, "namespace": namespace},
        "spec": spec(place, TWICE if twice else ALONE) | ({"suspend": True} if suspend else {}),
    }


def spec(place: Path, tolerance: dict[str, Any]) -> dict[str, Any]:
    calm = {"name": "calm", "rate": CALM, "probability": 0.95}
    return {
        "store": {"uri": f"{(place / 'store').as_uri()}?durable=false"},
        "epoch": {"period": f"{PERIOD_MS}ms", "hold": "100ms", "retention": "1h"},
        "sources": [
            {
                "name": "numbers",
                "spark": {"format": "replay", "options": {"generator": f"{FUNCTIONS}:numbers"}},
                "configurations": [calm, {"name": "busy", "rate": BUSY, "probability": 0.05}],
            }
        ],
        "operators": [
            {"name": "labelled", "function": f"{FUNCTIONS}:labelled", "inputs": [{"from": "numbers", "cost": "1ms"}]},
            {"name": "total", "function": f"{FUNCTIONS}:total", "inputs": [{"from": "labelled", "cost": "1ms"}]},
        ],
        "sinks": [{"name": "out", "from": "total", "spark": {"format": "json", "options": {"path": str(place / "out")}}}],
        "faultTolerance": tolerance | SAID,
        "placement": {"packing": "node"},
        "deletionPolicy": "delete",
    }
