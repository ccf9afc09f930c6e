"""What the demo runs: Bargain Discovery twice, of the same input, and the failures of the second run.

Called by: cli.demo.run.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from levee.worlds.local.faults import Fault, Kind

EPOCHS_LEAST = 30
OUTPUT = "bargain-index"  # the operator whose stream the sink reads
SOURCE_PERIOD_MS = 500  # how much of the market an epoch holds
GOLDEN_PERIOD = "100ms"
CORES_WIDE = 4  # with fewer, two tasks of each operator, twice each, would be late for want of cores
BACKLOG = "10s"  # how far the market may run ahead of what is computed
GOLDEN_NODE = "undisturbed=64"


@dataclass(frozen=True, slots=True)
class Place:
    """The folder of the demo, and what is where in it."""

    path: Path

    def topology(self, run: str) -> Path:
        return self.path / run / "topology.yaml"

    def rows(self, run: str) -> Path:
        return self.path / run / "bargains"

    def files(self, run: str) -> Path:
        return self.path / run / "run"

    @property
    def page(self) -> Path:
        return self.path / "report.html"


def faults(epochs: int) -> tuple[Fault, ...]:
    """A third of the way the worker of a primary; two thirds of the way the node of another."""
    return (
        Fault(Kind.KILL_REPLICA, f"{OUTPUT}/0", at_epoch=epochs // 3),
        Fault(Kind.KILL_NODE, "vwap/0", at_epoch=2 * epochs // 3),
    )


def document(example: Mapping[str, Any], place: Place, run: str, period: str, epochs: int, *, narrow: bool = False) -> dict[str, Any]:
    """The example with the demo's folders, a bounded market and the demo's period. `narrow`: one task of each operator."""
    spec = dict(example["spec"])
    [market] = spec["sources"]
    replay = {**market["spark"], "options": {**market["spark"]["options"], "periodMs": str(SOURCE_PERIOD_MS), "epochs": str(epochs)}}
    [sink] = spec["sinks"]
    parquet = {"format": "parquet", "options": {"path": str(place.rows(run))}}
    spec |= {
        "store": {"uri": (place.path / run / "store").as_uri()},
        "epoch": {"period": period, "backlog": BACKLOG},
        "sources": [{**market, "spark": replay}],
        "operators": [{**operator, "parallelism": 1} for operator in spec["operators"]] if narrow else spec["operators"],
        "sinks": [{**sink, "spark": parquet}],
    }
    if run == "undisturbed":
        spec["faultTolerance"] = {"strategy": "none", "replicas": 1}
    return {**example, "spec": spec}


def write(example: Mapping[str, Any], place: Place, run: str, period: str, epochs: int, *, narrow: bool) -> Path:
    path = place.topology(run)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(document(example, place, run, period, epochs, narrow=narrow), sort_keys=False))
    return path
