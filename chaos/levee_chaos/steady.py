"""The steady state as an experiment says it, asked while its method runs.

Called by: controls.
"""

from typing import Any

from chaoslib.activity import run_activity
from chaoslib.exceptions import ActivityFailed
from chaoslib.hypothesis import within_tolerance

Document = dict[str, Any]
VERDICTS = {"no_epoch_lost_or_changed", "output_equals_golden"}  # read much, and lose nothing by being asked in the end


def probes_in(experiment: Document) -> list[Document]:
    return [one for one in experiment.get("steady-state-hypothesis", {}).get("probes", []) if one["provider"].get("func") not in VERDICTS]


def seconds(told: float | str | None) -> float | None:
    return None if told is None or told == "" else float(told)


def wrong_in(probes: list[Document], configuration: Document, secrets: Document) -> str:
    """The first probe that does not hold, and why."""
    for probe in probes:
        try:
            found = run_activity(probe, configuration, secrets)
        except ActivityFailed as failed:
            return f"{probe['name']}: {failed}"
        if not within_tolerance(probe["tolerance"], found, configuration, secrets):
            return f"{probe['name']}: {found}"
    return ""
