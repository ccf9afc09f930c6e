"""What Grafana would ask for one topology, panel by panel, and what the rules record.

Called by: tests of dashboards, of what one machine tells and of what a cluster tells.
"""

import json
from collections.abc import Iterator
from typing import Any

import yaml

import chart_values
from dashboards.written import texts

RULES = chart_values.CHART / "files" / "rules" / "levee.yaml"
OR_NOTHING = " or vector(0)"  # for people; a test asks for what stands before it


def queries(topology: str) -> Iterator[tuple[str, str]]:
    """Of every panel, as Grafana would ask it; and where it stands."""
    for name, text in texts().items():
        for panel in json.loads(text)["panels"]:
            for target in panel.get("targets", ()):
                asks = target["expr"].replace("$topology", topology).replace("$__rate_interval", "30s").removesuffix(OR_NOTHING)
                assert "$" not in asks.replace('"$1"', "")
                yield f"{name}: {panel['title']}", asks


def rules(key: str) -> dict[str, dict[str, Any]]:
    """`key`: alert or record."""
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return {rule[key]: rule for group in groups for rule in group["rules"] if key in rule}
