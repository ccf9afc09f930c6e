"""The account of a service level as the operator tells it to Prometheus.

Called by: figures, for every scrape.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from prometheus_client.core import GaugeMetricFamily, Metric

from levee.control.account import Statement


@dataclass(frozen=True, slots=True)
class Told:
    name: str
    says: str
    value: Callable[[Statement], float | None]  # None: it is not known


TOLD = (
    Told("promised", "Share of rows that was promised, over the window.", lambda one: one.promised),
    Told("achieved", "Share of rows processed in time, over the window.", lambda one: one.achieved),
    Told("input_kept", "1 where the input kept to what is declared.", lambda one: one.input_kept),
    Told("covered_seconds", "Time of the window that is accounted.", lambda one: one.sums.seconds),
    Told("above_seconds", "Time of the window with more input than declared.", lambda one: one.sums.above_s),
    Told("replica_seconds", "Time of active replicas, all together.", lambda one: one.sums.replica_s),
    Told("static_seconds", "The same, were all always active.", lambda one: one.sums.static_s),
)


def families(found: Iterable[tuple[str, Statement]]) -> Iterator[Metric]:
    there = tuple(found)
    for told in TOLD:
        family = GaugeMetricFamily(f"levee_operator_account_{told.name}", told.says, labels=["topology"])
        for topology, one in there:
            if (value := told.value(one)) is not None:
                family.add_metric([topology], float(value))
        yield family
    yield rows(there)


def rows(there: Iterable[tuple[str, Statement]]) -> Metric:
    says = "Rows that operators have read, over the window."
    family = GaugeMetricFamily("levee_operator_account_rows", says, labels=["topology", "outcome"])
    for topology, one in there:
        told = {"in_time": one.sums.in_time, "late": one.sums.late, "lost": one.sums.lost, "overdue": one.overdue}
        for outcome, count in told.items():
            family.add_metric([topology, outcome], count)
    return family
