"""Selectivity and cost of operators, from what has passed and what was spent."""

import numpy as np
import pytest

from levee.planning.measured.counts import Passed, Spent
from levee.planning.measured.descriptor import Descriptor, measured
from levee.planning.measured.spending import Computed, Look, spending
from levee.plans.measured_words import notes
from levee.topology.load import load
from levee.topology.names import OperatorName
from tests.topology.shop import CLICKS_TEXT, put, topology_after

WEB, APP, ORDERS, JOINED, TOTALS = map(OperatorName, ("web", "app", "orders", "joined", "totals"))
EPOCHS = 600
NOISE = np.random.default_rng(3)


def passed(*, alike: bool = False, epochs: int = EPOCHS) -> Passed:
    """orders keeps half of web; joined emits 0.5 for a row of orders, 2 for one of app; totals lets a tenth out every twentieth epoch."""
    web = NOISE.integers(80, 120, epochs) + 100 * (np.arange(epochs) // 60 % 2)
    app = web // 10 if alike else NOISE.integers(2, 8, epochs) + 10 * (np.arange(epochs) // 45 % 2)
    orders = web // 2
    joined = orders // 2 + 2 * app
    totals = np.zeros(epochs, dtype=int)
    for place in range(19, epochs, 20):
        totals[place] = joined[place - 19 : place + 1].sum() // 10
    rows = {WEB: web, APP: app, ORDERS: orders, JOINED: joined, TOTALS: totals}
    return Passed(1, 0.25, {name: tuple(map(int, counts)) for name, counts in rows.items()})


def found(rows: Passed, spent: dict[OperatorName, list[Spent]] | None = None) -> Descriptor:
    return measured(topology_after(), rows, spent or {})


def of(name: str, rows: Passed) -> list[float]:
    [operator] = [one for one in found(rows).operators if one.name == name]
    return [one.selectivity.value for one in operator.inputs if one.selectivity is not None]


def test_the_selectivity_of_one_input_is_rows_out_by_rows_in() -> None:
    rows = passed()
    [operator] = [one for one in found(rows).operators if one.name == ORDERS]
    [one] = operator.inputs
    assert one.selectivity is not None and one.selectivity.value == pytest.approx(0.5, abs=0.01)
    assert one.selectivity.spread < 0.02


def test_what_is_let_out_in_jerks_is_counted_over_time() -> None:
    assert of("totals", passed()) == [pytest.approx(0.1, rel=0.05)]


def test_inputs_whose_rates_change_apart_are_told_apart() -> None:
    assert of("joined", passed()) == [pytest.approx(0.5, rel=0.1), pytest.approx(2, rel=0.1)]


def test_inputs_that_come_alike_share_as_they_were_declared() -> None:
    rows = passed(alike=True)
    [operator] = [one for one in found(rows).operators if one.name == JOINED]
    assert operator.selectivity is not None and not operator.selectivity.apart
    values = {one.selectivity.value for one in operator.inputs if one.selectivity}
    assert len(values) == 1  # both were declared as 1
    assert values.pop() == pytest.approx(sum(rows.rows[JOINED]) / (sum(rows.rows[ORDERS]) + sum(rows.rows[APP])))


def test_epochs_in_which_something_was_lost_count_for_nobody_who_reads_or_emits_it() -> None:
    rows = passed()
    counts = list(rows.rows[ORDERS])
    counts[100:200] = [0] * 100
    holed = Passed(1, 0.25, {**rows.rows, ORDERS: tuple(counts)}, {ORDERS: frozenset(range(101, 201))})
    assert of("orders", holed) == [pytest.approx(0.5, abs=0.01)]


def test_an_operator_that_has_read_nothing_is_not_measured() -> None:
    silent = Passed(1, 0.25, dict.fromkeys((WEB, APP, ORDERS, JOINED, TOTALS), (0,) * 50))
    assert all(one.selectivity is None for operator in found(silent).operators for one in operator.inputs)
    assert all(source.levels == () for source in found(silent).sources)


def test_rates_are_by_the_period_whatever_the_time_of_the_machine() -> None:
    steady = Passed(1, 0.25, dict.fromkeys((WEB, APP, ORDERS, JOINED, TOTALS), (100,) * 400))
    [web, _] = found(steady).sources
    assert [one.rate.value for one in web.levels] == [pytest.approx(400)]


def test_a_source_that_fills_its_epochs_is_told_of() -> None:
    full = Passed(1, 0.25, dict.fromkeys((WEB, APP, ORDERS, JOINED, TOTALS), (100,) * 400))
    [web, _] = measured(topology_after(put("sources.0.parallelism", 1)), full, {}, rows_max=100).sources
    assert web.full_share == 1


# ---- what it costs


def look(at_s: float, *, attempt: int = 0) -> dict[str, Look]:
    """orders takes 12 us a row of 1000 a second, joined three times as long; both share a worker that has spent half as much again."""
    rows = 1000 * at_s
    busy = {"orders/0/0": (ORDERS, 12e-6 * rows, {WEB: rows}), "joined/0/0": (JOINED, 36e-6 * rows, {ORDERS: rows})}
    replicas = {name: Computed(operator, busy_s, read) for name, (operator, busy_s, read) in busy.items()}
    return {f"w {attempt}": Look(1.5 * 48e-6 * rows, replicas)}


def test_a_workers_cpu_time_is_shared_by_who_has_computed_how_long() -> None:
    spent = spending([look(float(second)) for second in range(11)])
    [operator] = [one for one in found(passed(), {name: list(parts) for name, parts in spent.items()}).operators if one.name == ORDERS]
    [one] = operator.inputs
    assert one.cost_s is not None and one.cost_s.value == pytest.approx(18e-6)


def test_a_worker_that_was_started_again_counts_from_then_on() -> None:
    spent = spending([look(10.0), look(11.0), look(1.0, attempt=1), look(2.0, attempt=1)])
    assert [one.read for one in spent[ORDERS]] == [{WEB: 1000.0}, {WEB: 1000.0}]


def test_counters_that_fall_are_those_of_somebody_else() -> None:
    assert spending([look(10.0), look(1.0)]) == {}


def test_who_stands_by_is_no_cost() -> None:
    idle = {"w 0": Look(5.0, {"orders/0/1": Computed(ORDERS, 0.0, {})})}
    busier = {"w 0": Look(6.0, {"orders/0/1": Computed(ORDERS, 0.0, {})})}
    assert spending([idle, busier]) == {}


# ---- what must be known about it


def told(rows: Passed) -> list[str]:
    [loaded] = load(CLICKS_TEXT, origin="clicks")
    assert loaded.resource is not None
    return list(notes(loaded.resource.spec, found(rows)))


def test_what_was_declared_and_has_not_come_is_told() -> None:
    calm = Passed(1, 0.25, dict.fromkeys((WEB, APP, ORDERS, JOINED, TOTALS), (100,) * 400))
    assert "web: 1 rate in 100s, and 2 are declared: one that holds seldom may not have come" in told(calm)
    two = Passed(1, 0.25, dict.fromkeys((WEB, APP, ORDERS, JOINED, TOTALS), ((50,) * 20 + (100,) * 20) * 10))
    assert "web: 800 rows/s are declared, and have not come in 100s" in told(two)


def test_sources_that_rise_together_are_told() -> None:
    two = Passed(1, 0.25, dict.fromkeys((WEB, APP, ORDERS, JOINED, TOTALS), ((50,) * 20 + (100,) * 20) * 10))
    assert any(one.startswith("the rates of web and app go together: for 50% of the time") for one in told(two))
