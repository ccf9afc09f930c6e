"""The times that a topology leaves out, and how they follow from those it gives; and what falls into an epoch.

Why: epoch, hold, deadline and failure timeout depend on each other; whoever needs one must derive it in the same way.
Called by: the check of DESIGN's rule replicas x hold + period < deadline < failureTimeout; workers.
"""

from collections.abc import Mapping

from levee.topology.configurations import configurations
from levee.topology.names import OperatorName
from levee.topology.spec import Spec

PERIOD_LOCAL_S, PERIOD_REMOTE_S = 0.25, 1.0
LOCAL = ("file://", "memory://")


def period_s(spec: Spec) -> float:
    """A remote store answers in tens of milliseconds, so its epochs are longer unless the user says otherwise."""
    if spec.epoch.period is not None:
        return spec.epoch.period
    return PERIOD_LOCAL_S if spec.store.uri.startswith(LOCAL) else PERIOD_REMOTE_S


def failover_s(spec: Spec) -> float:
    """The time in which the last of the replicas has committed an epoch that all before it failed to commit."""
    return spec.fault_tolerance.replicas * spec.epoch.hold + period_s(spec)


def deadline_s(spec: Spec, given: float | None) -> float:
    """Twice what a failover needs, unless the user says otherwise."""
    return given if given is not None else 2 * failover_s(spec)


def rows_of_an_epoch(spec: Spec) -> float:
    """Of all sources together, at their highest."""

    def taken(rates: Mapping[OperatorName, float]) -> float:
        return sum(min(rate * period_s(spec), spec.epoch.max_rows) for rate in rates.values())

    return max(taken(one.rows_per_s) for one in configurations(spec))
