"""Counts of rows on their way from a worker's pod to whoever has asked.

Called by: cli.kube.counting in the pod, cli.kube.profile here.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from levee.planning.measured.counts import Passed
from levee.topology.names import OperatorName


def text(found: Passed) -> str:
    return json.dumps(asdict(found) | {"holes": {name: sorted(epochs) for name, epochs in found.holes.items()}})


def parsed(told: Mapping[str, Any]) -> Passed:
    return Passed(
        int(told["first"]),
        float(told["period_s"]),
        {OperatorName(name): tuple(rows) for name, rows in told["rows"].items()},
        {OperatorName(name): frozenset(epochs) for name, epochs in told["holes"].items()},
    )
