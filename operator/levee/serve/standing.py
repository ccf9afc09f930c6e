"""Where one topology stands, for the operator's metrics.

Why: the lifecycle knows which states are passed and which are rested in, and its record since when; of a topology that another operator
leads only its status is known.
Called by: life, for every scrape; metrics, which counts.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from levee.lifecycle.names import Kind, StateName
from levee.lifecycle.runner import Runner
from levee.serve.figures import Figures, Tally
from levee.serve.recorded import instant


@dataclass(frozen=True, slots=True)
class Standing:
    """One topology, as it is now."""

    topology: str
    state: str
    gap: float | None
    settled: bool = False  # all is as it should be, as this process has seen itself
    figures: Figures | None = None  # while this process leads it and it runs
    tally: Tally | None = None  # while this process leads it
    passing_s: float = 0.0  # for how long it has been in a state that it should have left by now; 0 in one that it may stay in


def passing_s(runner: Runner, state: str, since_ms: int | None, now_ms: int) -> float:
    known = runner.machine.states.get(StateName(state))
    if known is None or known.kind is not Kind.PASSING or since_ms is None:
        return 0.0
    return max(0, now_ms - since_ms) / 1000


def state_now(runner: Runner, status: Mapping[str, Any]) -> tuple[str, int | None]:
    """And since when; None: nobody has written it yet."""
    if runner.position is not None:
        return str(runner.position.state), int(runner.position.record.since)
    since = status.get("since")
    return str(status.get("state", "submitted")), None if since is None else int(instant(since))
