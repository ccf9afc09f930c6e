"""What the operator tells Prometheus of itself.

Why: whether topologies are well, each says itself; this says whether who looks after them is.
Called by: app opens it; life, hub and making count.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric

from levee.lifecycle.runner import Foreign, Timing
from levee.serve import figures
from levee.serve.standing import Standing
from levee.worlds.kubernetes.api import Conflict, Denied, Unreachable

TURN_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
TRANSITION_S = (0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300)
STATE_S = (0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 86_400)
PLAN_S = (0.1, 0.5, 1, 2.5, 5, 10, 30, 60)
MISTAKES = (Conflict, Denied, Foreign, Unreachable)  # any other is a bug
SWITCH_S = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


@dataclass
class Metrics:
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)

    def __post_init__(self) -> None:
        self.turns = Histogram("levee_operator_turn_seconds", "One look at one topology.", buckets=TURN_S, registry=self.registry)
        self.mistakes = Counter("levee_operator_turn_errors", "Turns that failed.", ["why"], registry=self.registry)
        self.requests = Counter("levee_operator_api_requests", "Requests to the API server.", ["verb", "answer"], registry=self.registry)
        self.transitions = Counter(
            "levee_operator_transitions", "Transitions of lifecycles.", ["origin", "event", "to"], registry=self.registry
        )
        self.states = Histogram(
            "levee_operator_state_seconds", "Time in a state, when it is left.", ["state"], buckets=STATE_S, registry=self.registry
        )
        self.transition_times = Histogram(
            "levee_operator_transition_seconds",
            "Storing a transition, and its methods.",
            ["origin", "event"],
            buckets=TRANSITION_S,
            registry=self.registry,
        )
        self.answers = Counter(
            "levee_operator_prometheus_answers", "Answers of Prometheus to the operator.", ["outcome"], registry=self.registry
        )
        self.plans = Histogram("levee_operator_plan_seconds", "Making one plan.", buckets=PLAN_S, registry=self.registry)
        self.switches = Histogram(
            "levee_operator_switch_seconds",
            "A step of a switch to another configuration.",
            ["step"],
            buckets=SWITCH_S,
            registry=self.registry,
        )

        for why in MISTAKES:  # there from the start: what begins with 1 has never grown
            self.mistakes.labels(why.__name__)

    def timed(self, timing: Timing) -> None:
        self.transition_times.labels(timing.origin, timing.event).observe(timing.took_ms / 1000)
        if timing.to != timing.origin:
            self.states.labels(timing.origin).observe(timing.stayed_ms / 1000)

    def watch(self, standings: Callable[[], Iterable[Standing]], leads: Callable[[], bool], states: Iterable[str]) -> None:
        now = Now(standings, leads, tuple(states))
        for state in now.states:
            self.states.labels(state)
        self.registry.register(now)


@dataclass(frozen=True, slots=True)
class Now:
    """What is counted anew for every scrape."""

    standings: Callable[[], Iterable[Standing]]
    leads: Callable[[], bool]
    states: tuple[str, ...]

    def collect(self) -> Iterable[Metric]:
        found = tuple(self.standings())
        yield counted(found, self.states)
        yield from figures.families((one.topology, one.figures) for one in found if one.figures is not None)
        yield from figures.tallies((one.topology, one.tally) for one in found if one.tally is not None)
        gaps = GaugeMetricFamily("levee_operator_plan_gap", "How far a plan may be from the best one, relative to it.", labels=["topology"])
        for one in found:
            if one.gap is not None:
                gaps.add_metric([one.topology], one.gap)
        yield gaps
        settled = float(sum(one.settled for one in found))
        yield GaugeMetricFamily(
            "levee_operator_topologies_settled", "Topologies whose replicas all work, with nothing to do.", value=settled
        )
        oldest_s = max((one.passing_s for one in found), default=0.0)
        yield GaugeMetricFamily(
            "levee_operator_oldest_passing_seconds", "How long the oldest topology has been in a state that is only passed.", value=oldest_s
        )
        yield GaugeMetricFamily("levee_operator_leads", "Whether this operator is the one that acts.", value=float(self.leads()))


def counted(found: Iterable[Standing], states: tuple[str, ...]) -> GaugeMetricFamily:
    """A state that no topology is in counts none: what is absent cannot be watched."""
    counts: Mapping[str, int] = {state: sum(one.state == state for one in found) for state in states}
    family = GaugeMetricFamily("levee_operator_topologies", "Topologies by state.", labels=["state"])
    for state, count in counts.items():
        family.add_metric([state], count)
    return family
