"""What an operator and a worker would tell Prometheus, served by a test: their own registries, with values that go on.

Why: an operator needs a cluster, and a worker that diverges and lags by itself cannot be had; what Prometheus reads is the same.
Called by: the tests of dashboards and alerts.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from prometheus_client import CollectorRegistry

from levee.control.account import Statement, Sums
from levee.control.steps import Step
from levee.lifecycle.names import EventName, StateName
from levee.lifecycle.runner import Timing
from levee.planning.measured.drift import Drift, Quantity
from levee.planning.measured.interval import Estimate
from levee.serve.figures import Figures, Tally
from levee.serve.health import serve
from levee.serve.metrics import Metrics
from levee.serve.promises import Promise
from levee.serve.standing import Standing
from levee.topology.names import OperatorName
from levee.worlds.plans import Worth
from levee_spark.store.counts import Counts
from levee_spark.worker.metrics import Replicas
from levee_spark.worker.status import Doing, Status

BEAT_S = 0.3  # shorter than what Prometheus waits
WELL = Figures(
    replicas=(8, 8),
    lag_epochs=1,
    promise=Promise(0.7, 0.8),
    worth=Worth(0.8, 5400.0, 0.02, "completeness", ""),
    static_cost_s=7200.0,
    record=3,
    configuration="low",
    declared={"low": {"market": 400.0}, "high": {"market": 800.0}},
    measured={"market": 380.0},
    account=Statement(3600, Sums(3600, 9_900, 80, 20, 21_600, 28_800, 2_520, 3_600, 0, 3_600), overdue=5),
    drifts=(Drift(Quantity.COST, OperatorName("total"), Estimate(1.5, 1.4, 1.6)),),
)
ILL = replace(WELL, replicas=(5, 8), promise=Promise(0.7, 0.4), silent=True, configuration="high", measured={"market": 990.0})


@dataclass
class Teller:
    """An operator that leads `well` and, if named, `ill`."""

    well: str
    ill: str = ""
    leads: bool = True
    metrics: Metrics = field(default_factory=Metrics)
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self.metrics.watch(self.standings, lambda: self.leads, ["submitted", "running", "failed"])

    def standings(self) -> list[Standing]:
        named = [(self.well, WELL), (self.ill, ILL)]
        return [Standing(name, "running", 0.02, figures=one, tally=self.tally) for name, one in named if name]

    def go_on(self) -> None:
        metrics = self.metrics
        metrics.turns.observe(0.02)
        metrics.plans.observe(0.4)
        for step in Step:
            metrics.switches.labels(step).observe(0.3)
        metrics.requests.labels("get", "200").inc()
        for why in ("Conflict", "Denied"):
            metrics.mistakes.labels(why).inc()
        metrics.transitions.labels("optimizing", "planned", "instantiating").inc()
        metrics.timed(Timing(StateName("optimizing"), EventName("planned"), StateName("instantiating"), stayed_ms=700, took_ms=30))
        self.tally.decisions["SurvivorsLead"] += 1
        self.tally.decisions["WorkerLost"] += 1


@dataclass
class IllWorker:
    """Its replica diverges, falls back, and comes and goes."""

    topology: str
    registry: CollectorRegistry = field(default_factory=CollectorRegistry)
    beats: int = 0

    def __post_init__(self) -> None:
        self.registry.register(Replicas(self.topology, self.statuses, lambda: Counts({}, 0, 0, 0)))

    def statuses(self) -> list[Status]:
        late = Status("late/0/0", "late/0", Doing.RUNNING, epoch=7, lag_epochs=20 * self.beats)
        late.counts = {"diverged": self.beats}
        restless = Status("restless/0/0", "restless/0", Doing.RUNNING if self.beats // 4 % 2 else Doing.IDLE)
        return [late, restless]

    def go_on(self) -> None:
        self.beats += 1


@contextmanager
def served(registry: CollectorRegistry, go_on: Callable[[], None]) -> Iterator[str]:
    """The address, for as long as it goes on."""
    server, over = serve(0, registry, lambda: True), threading.Event()

    def beat() -> None:
        while not over.wait(BEAT_S):
            go_on()

    beating = threading.Thread(target=beat)
    beating.start()
    try:
        yield f"127.0.0.1:{server.server_address[1]}"
    finally:
        over.set()
        beating.join()
        server.shutdown()
        server.server_close()
