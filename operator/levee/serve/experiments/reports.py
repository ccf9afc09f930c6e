"""What is kept of an experiment: the document that was run, Chaos Toolkit's journal, what was told meanwhile, and the verdict.

Why: a pod's output goes with its pod; who reads a verdict a month later wants to know what it rests on. A ConfigMap holds a megabyte, so
each part has its limit.
Called by: turning.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from levee.experiments.orders import EVENT, JOURNAL, VERDICT, events_in

PART_MAX = 200_000  # characters of each part, of which there are five


def report(experiment: Mapping[str, Any], output: str, verdict: Mapping[str, Any] | None) -> dict[str, str]:
    events = events_in(output)
    journal = next((str(one[JOURNAL]) for one in events if one[EVENT] == JOURNAL), "")
    told = [one for one in events if one[EVENT] not in {JOURNAL, VERDICT}]
    whole = verdict_in(events) or verdict or {}
    rendered = yaml.safe_dump(dict(experiment), sort_keys=False, width=140, allow_unicode=True)
    parts = {
        "experiment.yaml": rendered,
        "journal.json": journal,
        "events.jsonl": "".join(json.dumps(one) + "\n" for one in told),
        "verdict.json": json.dumps(whole, indent=1),
        "output.txt": "\n".join(line for line in output.splitlines() if not line.startswith("{")),
    }
    return {name: bounded(text) for name, text in parts.items() if text}


def verdict_in(events: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    return next((one[VERDICT] for one in events if one[EVENT] == VERDICT), None)


def bounded(text: str) -> str:
    """The end says more than the beginning."""
    return text if len(text) <= PART_MAX else f"... {len(text) - PART_MAX} characters before this are left out\n{text[-PART_MAX:]}"
