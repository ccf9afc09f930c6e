"""Ask workers: their state, and how often they have asked the store for what.

Called by: density, requests, recovery.
"""

import urllib.request
from collections import Counter
from pathlib import Path
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from levee.worlds.local.asking import port_of
from levee.worlds.local.asking import state_of as state_at

PATIENCE_S = 10


def state_of(directory: Path) -> dict[str, Any] | None:
    port = port_of(directory)
    return state_at(port) if port is not None else None


def samples(directory: Path, name: str, *labels: str) -> Counter[tuple[str, ...]]:
    """The values of one metric of a worker, by these labels."""
    port = port_of(directory)
    if port is None:
        return Counter()
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE_S) as answer:
        text = answer.read().decode()
    found: Counter[tuple[str, ...]] = Counter()
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name == name:
                found[tuple(sample.labels.get(label, "") for label in labels)] += sample.value  # type: ignore[assignment]  # a float
    return found
