"""The topology whose primary is killed: trades of a market, and the last five of each symbol, whose stream is watched.

Why: an operator with state, since that is what has to come back; small, with one pod on each of three nodes, so that these leave some of
two cores to a pod that starts; and whoever is killed with the aggregator's primary leads nothing himself.
Called by: watched; benchmarks.lifecycle.failover, benchmarks.chaos.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from levee.topology.names import TaskId
from levee.topology.spec import API_VERSION, KIND

NAME = "trades"
TASK = TaskId("aggregator/0")
PERIOD_MS, HOLD_MS, CHECKPOINT_EVERY = 1000, 100, 10
PEAK = 6  # times the average rate, above all peaks
IMAGE = "localhost/levee/worker:dev"
STRATEGIES = {"static": 2, "none": 1}  # replicas of an operator: active ones, or one that is restarted from a checkpoint
FUNCTIONS = "levee_spark.examples.bargains"


def replay(rate_per_s: int, period_ms: int) -> dict[str, str]:
    told = {"seed": "1", "ratePerS": f"{rate_per_s}", "periodMs": f"{period_ms}"}
    return {"generator": "levee_spark.examples.market:rows", **told}


REPLAY = replay(50, PERIOD_MS)


def trades(strategy: str, namespace: str, store: str, nodes: Sequence[str], options: Mapping[str, str] = REPLAY) -> dict[str, Any]:
    """`options`: of the source."""
    rate = PEAK * int(options["ratePerS"])
    spec = {
        "image": IMAGE,
        "store": {"uri": f"{store}/store"},
        "epoch": {"period": f"{PERIOD_MS}ms", "hold": f"{HOLD_MS}ms"},
        "sources": [{"name": "market", "spark": {"format": "replay", "options": dict(options)}, "configurations": [{"rate": rate}]}],
        "operators": [
            {
                "name": "trade-filter",
                "function": f"{FUNCTIONS}:trade_filter",
                "inputs": [{"from": "market", "selectivity": 0.2, "cost": "10us"}],
            },
            {
                "name": "aggregator",
                "function": f"{FUNCTIONS}:aggregator",
                "inputs": [{"from": "trade-filter", "partitionBy": ["symbol"], "cost": "10us"}],
            },
        ],
        "sinks": [{"name": "out", "from": "aggregator", "spark": {"format": "parquet", "options": {"path": f"{store}/out"}}}],
        "faultTolerance": {"strategy": strategy, "replicas": STRATEGIES[strategy], "checkpoint": {"every": CHECKPOINT_EVERY}},
        "placement": {"packing": "node", "assignment": assignment(strategy, nodes), "nodeSelector": {label(namespace): "true"}},
    }
    return {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": NAME, "namespace": namespace}, "spec": spec}


def label(namespace: str) -> str:
    """Of the nodes that are meant, where there are more."""
    return f"levee.dev/{namespace}"


def assignment(strategy: str, nodes: Sequence[str]) -> dict[str, list[str]]:
    """The ends of the graph follow by themselves, to the emptiest nodes: no replica that leads stands beside one of the aggregator's."""
    first, second, third = nodes[:3]
    if STRATEGIES[strategy] > 1:
        return {"trade-filter": [first, third], "aggregator": [second, third]}
    return {"trade-filter": [third], "aggregator": [second]}
