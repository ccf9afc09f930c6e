"""A small valid topology as a tree, and what the validator says once something in it has been changed."""

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from levee.topology.graph import Topology
from levee.topology.load import load
from levee.topology.wording import complaint_text

Tree = dict[str, Any]

CLICKS: Tree = {
    "apiVersion": "levee.dev/v1alpha1",
    "kind": "FaultTolerantTopology",
    "metadata": {"name": "clicks", "namespace": "shop"},
    "spec": {
        "store": {"uri": "file:///tmp/levee"},
        "sources": [
            {
                "name": "web",
                "spark": {"format": "rate"},
                "configurations": [{"name": "low", "rate": 400, "probability": 0.8}, {"name": "high", "rate": 800, "probability": 0.2}],
            },
            {"name": "app", "spark": {"format": "rate"}, "configurations": [{"rate": 20}]},
        ],
        "operators": [
            {"name": "orders", "function": "shop.clicks:orders", "parallelism": 2, "inputs": [{"from": "web", "cost": "12us"}]},
            {
                "name": "joined",
                "function": "shop.clicks:joined",
                "parallelism": 2,
                "correlated": True,
                "inputs": [{"from": "orders", "cost": "10us"}, {"from": "app", "partitionBy": ["user"], "cost": "10us"}],
            },
            {"name": "totals", "function": "shop.clicks:totals", "inputs": [{"from": "joined", "cost": "5us", "selectivity": 0.1}]},
        ],
        "sinks": [{"name": "report", "from": "totals", "spark": {"format": "console"}}],
        "faultTolerance": {"target": {"completeness": 0.7}},
    },
}

CLICKS_TEXT = yaml.safe_dump(CLICKS, sort_keys=False)
EXAMPLES = Path(__file__).parents[2] / "examples"

Change = Callable[[Tree], object]


def changed(*changes: Change) -> Tree:
    """The topology after changes to its spec."""
    tree = deepcopy(CLICKS)
    for change in changes:
        change(tree["spec"])
    return tree


def put(path: str, value: Any) -> Change:
    """Set what stands at a dotted path of the spec: operators.0.parallelism."""

    def change(spec: Tree) -> None:
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        place: Any = spec
        for step in way:
            place = place.setdefault(step, {}) if isinstance(place, dict) else place[step]
        place[last] = value

    return change


def drop(path: str) -> Change:
    def change(spec: Tree) -> None:
        *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
        place: Any = spec
        for step in way:
            place = place[step]
        del place[last]

    return change


def text(where: str, wrong: str, fix: str) -> str:
    """A complaint as users read it."""
    return f"  {where}: {wrong}.\n    Fix: {fix}."


def said(document: str) -> list[str]:
    """The complaints about the only document of a text, as users read them."""
    (one,) = load(document, origin="clicks.yaml")
    return [complaint_text(complaint) for complaint in one.complaints]


def said_after(*changes: Change) -> list[str]:
    return said(yaml.safe_dump(changed(*changes)))


def topology_after(*changes: Change) -> Topology:
    (one,) = load(yaml.safe_dump(changed(*changes)), origin="clicks.yaml")
    assert one.topology is not None, [complaint_text(complaint) for complaint in one.complaints]
    return one.topology
