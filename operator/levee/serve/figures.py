"""The numbers of one running topology that the operator tells Prometheus, and how they are written there.

Why: its workers know rows and epochs; what was promised, planned and decided for them only the operator knows.
Called by: life, when it has looked at the whole of a topology; metrics, for every scrape.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from levee.control.account import Statement
from levee.control.actions import Decision, Reason, WriteRecord
from levee.control.seen import Observation
from levee.control.space import covers
from levee.control.wanted import Wanted
from levee.planning.measured.drift import Drift
from levee.serve import account_figures as accounts
from levee.serve.promises import Promise
from levee.worlds.plans import Worth

Rates = Mapping[str, float]  # rows/s, by source
ASKED_FOR = (Reason.SURVIVORS_LEAD.value, Reason.WORKER_LOST.value)  # by rules: a counter that begins with 1 has never grown


@dataclass(slots=True)
class Tally:
    """What has been decided since this operator began, or leads; a decision that does nothing is none."""

    decisions: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(ASKED_FOR, 0)))  # by reason
    records: int = 0  # wanted in the control log

    def count(self, decision: Decision) -> None:
        self.decisions[decision.reason.value] += bool(decision.actions)
        self.records += any(isinstance(action, WriteRecord) for action in decision.actions)


@dataclass(frozen=True, slots=True)
class Figures:
    """As the leader has seen it last; None: it is not known."""

    replicas: tuple[int, int]  # active, desired
    lag_epochs: int
    promise: Promise | None = None
    worth: Worth | None = None
    static_cost_s: float | None = None
    record: int | None = None  # the newest control record's number
    silent: bool = False  # the store does not answer
    configuration: str | None = None  # in force
    declared: Mapping[str, Rates] = field(default_factory=dict)  # by configuration
    measured: Rates | None = None
    account: Statement | None = None  # of the window
    drifts: tuple[Drift, ...] = ()  # none: too little has been measured

    @property
    def above(self) -> bool | None:
        return None if self.measured is None else not any(covers(declared, self.measured) for declared in self.declared.values())


def figures(wanted: Wanted, seen: Observation, replicas: tuple[int, int], lag_epochs: int, **more: object) -> Figures:
    declared = {str(one.name): {str(name): rate for name, rate in one.rows_per_s.items()} for one in wanted.configurations}
    measured = None if seen.rates is None else {str(name): rate for name, rate in seen.rates.items()}
    record = None if seen.record is None else seen.record.number
    return Figures(
        replicas,
        lag_epochs,
        record=record,
        configuration=seen.configuration,
        declared=declared,
        measured=measured,
        **more,  # type: ignore[arg-type]
    )


@dataclass(frozen=True, slots=True)
class Told:
    """One metric with a sample of each topology."""

    name: str
    says: str
    value: Callable[[Figures], float | None]


TOLD = (
    Told("levee_operator_guarantee", "What is guaranteed with the replicas that could take over now.", lambda one: promised(one, "now")),
    Told("levee_operator_guarantee_wanted", "What was asked for.", lambda one: promised(one, "wanted")),
    Told("levee_operator_guarantee_met", "1 where the guarantee holds now.", lambda one: promised(one, "holds")),
    Told(
        "levee_operator_replicas_active",
        "Replicas that work and have caught up, of those that should.",
        lambda one: one.replicas[0],
    ),
    Told("levee_operator_replicas_desired", "Replicas that should be active.", lambda one: one.replicas[1]),
    Told("levee_operator_lag_epochs", "Epochs by which the slowest task is behind the sources.", lambda one: one.lag_epochs),
    Told(
        "levee_operator_plan_cost_seconds",
        "CPU time that the plan costs per window.",
        lambda one: None if one.worth is None else one.worth.cost,
    ),
    Told("levee_operator_static_cost_seconds", "The same, were all replicas always active.", lambda one: one.static_cost_s),
    Told("levee_operator_control_record", "Number of the newest control record.", lambda one: one.record),
    Told("levee_operator_store_silent", "1 while the store does not answer the operator.", lambda one: one.silent),
    Told("levee_operator_input_above_contract", "1 while sources offer more than every configuration declares.", lambda one: one.above),
)


def promised(one: Figures, what: str) -> float | None:
    return None if one.promise is None else float(getattr(one.promise, what))


def families(found: Iterable[tuple[str, Figures]]) -> Iterator[Metric]:
    there = tuple(found)
    for told in TOLD:
        family = GaugeMetricFamily(told.name, told.says, labels=["topology"])
        for topology, one in there:
            if (value := told.value(one)) is not None:
                family.add_metric([topology], float(value))
        yield family
    yield from rates(there)
    yield from accounts.families((topology, one.account) for topology, one in there if one.account is not None)
    yield drifted(there)


def rates(there: Iterable[tuple[str, Figures]]) -> Iterator[Metric]:
    measured = GaugeMetricFamily("levee_operator_source_rate", "Rows per second that decide.", labels=["topology", "source"])
    labels = ["topology", "configuration", "source"]
    declared = GaugeMetricFamily("levee_operator_configuration_rate", "Rows per second that it declares.", labels=labels)
    force = GaugeMetricFamily("levee_operator_configuration_in_force", "1 for the one in force.", labels=["topology", "configuration"])
    for topology, one in there:
        for source, rate in (one.measured or {}).items():
            measured.add_metric([topology, source], rate)
        for name, of_sources in one.declared.items():
            force.add_metric([topology, name], float(name == one.configuration))
            for source, rate in of_sources.items():
                declared.add_metric([topology, name, source], rate)
    yield from (measured, declared, force)


def drifted(there: Iterable[tuple[str, Figures]]) -> Metric:
    says = "What is measured, relative to what the plan in force was made for."
    family = GaugeMetricFamily("levee_operator_drift", says, labels=["topology", "quantity", "of"])
    for topology, one in there:
        for drift in one.drifts:
            family.add_metric([topology, drift.what.value, drift.name], drift.ratio.value)
    return family


def tallies(found: Iterable[tuple[str, Tally]]) -> Iterator[Metric]:
    decisions = CounterMetricFamily("levee_operator_decisions", "Decisions that did something.", labels=["topology", "reason"])
    records = CounterMetricFamily("levee_operator_control_records_wanted", "Control records to be written.", labels=["topology"])
    for topology, tally in found:
        records.add_metric([topology], tally.records)
        for reason, count in tally.decisions.items():
            decisions.add_metric([topology, reason], count)
    yield from (decisions, records)
