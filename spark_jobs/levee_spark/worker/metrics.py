"""The worker's metrics, computed when they are scraped from what the replicas know of themselves.

Why: one place names them all; docs/metrics.md is held to it by a test.
Called by: serve.
"""

from collections.abc import Callable, Iterable, Sequence

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from levee_spark.store.counts import Counts
from levee_spark.worker.status import Doing, Status

LABELS = ("topology", "task", "replica")


class Replicas(Collector):
    def __init__(self, topology: str, statuses: Callable[[], Sequence[Status]], counts: Callable[[], Counts]) -> None:
        self.topology, self.statuses, self.counts = topology, statuses, counts

    def collect(self) -> Iterable[Metric]:
        there = list(self.statuses())
        yield self.counter("levee_rows_in", "Rows read, or taken in by a source.", there, lambda one: one.rows_in)
        yield self.counter("levee_rows_out", "Rows computed or delivered, whoever committed them.", there, lambda one: one.rows)
        yield self.counter("levee_epochs", "Epochs computed.", there, lambda one: one.epochs)
        yield self.gauge("levee_epoch", "The last epoch that the replica has computed.", there, lambda one: one.epoch)
        yield self.gauge("levee_active", "1 while the replica takes part in the race.", there, lambda one: one.doing is Doing.RUNNING)
        yield self.gauge("levee_lag_epochs", "Epochs between what is due and what is computed.", there, lambda one: one.lag_epochs)
        yield self.counter("levee_races_won", "Epochs that this replica committed.", there, lambda one: one.counts.get("won", 0))
        yield self.counter("levee_races_lost", "Epochs that another had committed.", there, lambda one: one.counts.get("lost", 0))
        yield self.counter("levee_divergences", "Computed something else than committed.", there, lambda one: one.counts.get("diverged", 0))
        yield self.counter("levee_adoptions", "Breaks marked rebased.", there, lambda one: one.counts.get("adopts", 0))
        yield self.counter("levee_checkpoints_published", "Published checkpoints.", there, lambda one: one.counts.get("published", 0))
        yield self.phases(there)
        yield from self.requests()

    def counter(self, name: str, says: str, there: list[Status], value: Callable[[Status], float]) -> Metric:
        family = CounterMetricFamily(name, says, labels=LABELS)
        for one in there:
            family.add_metric((self.topology, one.task, one.replica), value(one))
        return family

    def gauge(self, name: str, says: str, there: list[Status], value: Callable[[Status], float]) -> Metric:
        family = GaugeMetricFamily(name, says, labels=LABELS)
        for one in there:
            family.add_metric((self.topology, one.task, one.replica), value(one))
        return family

    def phases(self, there: list[Status]) -> Metric:
        family = CounterMetricFamily("levee_phase_seconds", "Time spent, by phase.", labels=(*LABELS, "phase"))
        for one in there:
            for phase, seconds in dict(one.seconds).items():
                family.add_metric((self.topology, one.task, one.replica, phase), seconds)
        return family

    def requests(self) -> Iterable[Metric]:
        family = CounterMetricFamily("levee_store_requests", "Requests to the store.", labels=("topology", "kind", "outcome"))
        for (kind, outcome), count in self.counts().requests.items():
            family.add_metric((self.topology, kind, outcome), count)
        yield family


def metrics_of(topology: str, statuses: Callable[[], Sequence[Status]], counts: Callable[[], Counts]) -> Callable[[], bytes]:
    registry = CollectorRegistry()
    registry.register(Replicas(topology, statuses, counts))
    ProcessCollector(registry=registry)
    return lambda: generate_latest(registry)
