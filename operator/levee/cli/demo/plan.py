"""What the demo runs: Bargain Discovery twice, of the same input, and the failures of the second run.

Called by: cli.demo.run.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from levee.control.names import ReplicaName, task_of
from levee.control.wanted import Placed, Wanted
from levee.topology.names import ConfigurationName, TaskId
from levee.worlds.local.faults import Fault, Kind

EPOCHS_LEAST = 30
OUTPUT = "bargain-index"  # the operator whose stream the sink reads
SOURCE_PERIOD_MS = 500  # how much of the market an epoch holds
GOLDEN_PERIOD = "100ms"
CORES_WIDE = 4  # with fewer, two tasks of each operator, twice each, would be late for want of cores
BACKLOG = "10s"  # how far the market may run ahead of what is computed
GOLDEN_NODE = "undisturbed=64"
TARGET = 0.5  # low enough that some tasks have one active copy only: what that means should be seen, too
CHECKPOINT_EPOCHS = 5
CAPACITY = "2"  # of each node, in the plan's cores: the costs are the plan's, too


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


def faults(wanted: Wanted, epochs: int) -> tuple[Fault, ...]:
    """A third of the way the worker that is missed least; two thirds of the way the node, of the others, that is missed most."""
    configuration = wanted.likeliest()
    first = min(wanted.workers, key=lambda one: (len(alone_in(wanted, one, configuration)), -len(active_in(wanted, one, configuration))))
    others = [one for one in wanted.workers if one.node != first.node]
    second = max(others, key=lambda one: len(alone_in(wanted, one, configuration)))
    return (
        Fault(Kind.KILL_REPLICA, active_in(wanted, first, configuration)[0], at_epoch=epochs // 3),
        Fault(Kind.KILL_NODE, second.node, at_epoch=2 * epochs // 3),
    )


def active_in(wanted: Wanted, placed: Placed, configuration: ConfigurationName) -> list[ReplicaName]:
    return [one for one in placed.replicas if one in wanted.active[configuration]]


def alone_in(wanted: Wanted, placed: Placed, configuration: ConfigurationName) -> list[TaskId]:
    """The tasks whose only active replica is here."""
    here = {task_of(one) for one in active_in(wanted, placed, configuration)}
    elsewhere = {task_of(one) for one in wanted.active[configuration] if one not in placed.replicas}
    return sorted(here - elsewhere)


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
        "faultTolerance": {**spec["faultTolerance"], "target": {"completeness": TARGET}, "checkpoint": {"every": CHECKPOINT_EPOCHS}},
        "placement": {**spec["placement"], "capacity": CAPACITY},
    }
    if run == "undisturbed":
        spec["faultTolerance"] = {"strategy": "none", "replicas": 1}
    return {**example, "spec": spec}


def write(example: Mapping[str, Any], place: Place, run: str, period: str, epochs: int, *, narrow: bool) -> Path:
    path = place.topology(run)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(yaml.safe_dump(document(example, place, run, period, epochs, narrow=narrow), sort_keys=False))
    return path
