"""The worker's metrics, computed when they are scraped from what the replicas know of themselves.

Why: one place names them all; docs/metrics.md is held to it by a test.
Called by: serve.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from levee_spark.log.rank import Last
from levee_spark.store.counts import Counts
from levee_spark.worker.status import Doing, Passed, Status
from levee_spark.worker.usage import cpu_seconds

LABELS = ("topology", "task", "replica")
REPORTED = {  # metric -> its help, and what a role reports when it happens
    "levee_races_won": ("Epochs that this replica committed.", "won"),
    "levee_races_lost": ("Epochs that another replica had committed.", "lost"),
    "levee_divergences": ("Epochs of which it computed something else than is committed.", "diverged"),
    "levee_adoptions": ("Breaks that it marked as rebased, since nobody went on with what is committed.", "adopts"),
    "levee_checkpoints_published": ("Checkpoints that it published.", "published"),
    "levee_epochs_skipped": ("Epochs of its inputs that it sealed without rows, since they were late.", "skips"),
    "levee_epochs_failed": ("Epochs that it sealed without rows, since its function raised and onError is skip.", "dead"),
    "levee_failures": ("Times that its function raised, did not return, or could not be used.", "failed"),
}


class Replicas(Collector):
    def __init__(self, topology: str, statuses: Callable[[], Sequence[Status]], counts: Callable[[], Counts]) -> None:
        self.topology, self.statuses, self.counts = topology, statuses, counts

    def collect(self) -> Iterable[Metric]:
        there = list(self.statuses())
        yield self.passed("levee_rows", "Rows, by stream and direction.", there, lambda one: one.rows)
        yield self.passed("levee_epochs", "Epochs, by stream and direction.", there, lambda one: one.epochs)
        sources = [one for one in there if one.offered_rows is not None]
        yield self.counter("levee_rows_offered", "Rows that a source could have taken in.", sources, lambda one: one.offered_rows or 0)
        telling = [one for one in sources if one.waiting_rows is not None]
        yield self.gauge("levee_rows_waiting", "Rows that wait in a source.", telling, lambda one: one.waiting_rows or 0)
        yield self.gauge("levee_epoch", "The last epoch that the replica has computed.", there, lambda one: one.epoch)
        yield self.gauge("levee_active", "1 while the replica takes part in the race.", there, lambda one: one.doing is Doing.RUNNING)
        yield self.gauge("levee_leads", "1 while the epochs of its task are the replica's own.", there, leads)
        yield self.gauge("levee_failed", "1 while the replica has failed.", there, lambda one: one.doing is Doing.FAILED)
        yield self.gauge("levee_lag_epochs", "Epochs that are due and not computed.", there, lambda one: one.lag_epochs)
        yield self.gauge("levee_control_record", "The newest control record that the replica has read.", there, lambda one: one.record)
        yield self.processed(there)
        for name, (says, what) in REPORTED.items():
            yield self.counter(name, says, there, lambda one, what=what: one.counts.get(what, 0))  # type: ignore[misc]
        yield self.phases(there)
        yield self.requests()
        yield self.cpu()

    def labels(self, one: Status) -> tuple[str, str, str]:
        return self.topology, one.task, one.replica

    def passed(self, name: str, says: str, there: list[Status], value: Callable[[Passed], float]) -> Metric:
        family = CounterMetricFamily(name, says, labels=(*LABELS, "stream", "direction"))
        for one in there:
            for stream, direction, through in streams(one):
                family.add_metric((*self.labels(one), stream, direction), value(through))
        return family

    def counter(self, name: str, says: str, there: list[Status], value: Callable[[Status], float]) -> Metric:
        family = CounterMetricFamily(name, says, labels=LABELS)
        for one in there:
            family.add_metric(self.labels(one), value(one))
        return family

    def gauge(self, name: str, says: str, there: list[Status], value: Callable[[Status], float]) -> Metric:
        family = GaugeMetricFamily(name, says, labels=LABELS)
        for one in there:
            family.add_metric(self.labels(one), value(one))
        return family

    def processed(self, there: list[Status]) -> Metric:
        says = "Rows that an operator has read, by what became of them; counted by who has committed their epoch."
        family = CounterMetricFamily("levee_rows_processed", says, labels=(*LABELS, "outcome"))
        for one in there:
            for outcome in ("in_time", "late", "lost") if one.processed.epochs else ():
                family.add_metric((*self.labels(one), outcome), getattr(one.processed, outcome))
        return family

    def phases(self, there: list[Status]) -> Metric:
        family = HistogramMetricFamily("levee_epoch_seconds", "Time of an epoch, by phase.", labels=(*LABELS, "phase"))
        for one in there:
            for phase, seen in dict(one.phases).items():
                family.add_metric((*self.labels(one), phase.value), list(seen.cumulative()), seen.total_s)
        return family

    def requests(self) -> Metric:
        family = CounterMetricFamily("levee_store_requests", "Requests to the store.", labels=("topology", "kind", "outcome"))
        for (kind, outcome), count in self.counts().requests.items():
            family.add_metric((self.topology, kind, outcome), count)
        return family

    def cpu(self) -> Metric:
        says = "CPU time of the worker's own process, of its JVM, and of Spark's Python processes."
        family = CounterMetricFamily("levee_cpu_seconds", says, labels=("topology", "process"))
        for kind, seconds in cpu_seconds(os.getpid()).items():
            family.add_metric((self.topology, kind), seconds)
        return family


def leads(one: Status) -> bool:
    return one.doing is Doing.RUNNING and one.last == Last.WON


def streams(one: Status) -> Iterator[tuple[str, str, Passed]]:
    """A sink emits nothing: what it delivers counts for itself."""
    yield from ((stream, "in", through) for stream, through in dict(one.read).items())
    yield one.operator, "out", one.emitted


def metrics_of(topology: str, statuses: Callable[[], Sequence[Status]], counts: Callable[[], Counts]) -> Callable[[], bytes]:
    registry = CollectorRegistry()
    registry.register(Replicas(topology, statuses, counts))
    ProcessCollector(registry=registry)
    return lambda: generate_latest(registry)
