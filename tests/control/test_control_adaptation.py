"""Another plan is worth its switch, or it is not."""

from dataclasses import replace

import pytest

from levee.control.adaptation import START_CORE_S, Gain, Homes, Switch, Value, switching, weighed
from levee.control.names import ReplicaName
from levee.topology.names import NodeName

A0, A1, B0 = map(ReplicaName, ("a/0/0", "a/0/1", "b/0/0"))
ONE, TWO = NodeName("one"), NodeName("two")
NOW = Value(0.8, 2.0, met=True)
SWITCH = Switch(core_s=100.0, share=0.5, moved=0, began=1, ended=0, catch_up_s=5.0)
DWELL_S = 600.0


def gain(now: Value, then: Value, switch: Switch = SWITCH, *, for_guarantee: bool = False) -> Gain:
    return weighed(now, then, switch, DWELL_S, for_guarantee=for_guarantee).gain


def test_a_plan_that_costs_less_is_worth_it_if_that_pays_within_the_dwell() -> None:
    assert gain(NOW, replace(NOW, cores=1.5)) is Gain.COSTS_LESS  # 300 core seconds against 100
    assert gain(NOW, replace(NOW, cores=1.5), replace(SWITCH, core_s=400.0)) is Gain.NOTHING


def test_less_than_a_margin_is_not_worth_a_word() -> None:
    assert gain(NOW, replace(NOW, cores=1.91), replace(SWITCH, core_s=0.0)) is Gain.NOTHING


def test_a_promise_that_is_broken_is_mended_whatever_that_costs() -> None:
    assert gain(replace(NOW, met=False), replace(NOW, cores=4.0), replace(SWITCH, core_s=1e9)) is Gain.KEEPS_PROMISE


def test_a_plan_that_does_not_keep_the_promise_either_is_not_worth_it() -> None:
    assert gain(replace(NOW, met=False), replace(NOW, met=False, cores=0.1)) is Gain.NOTHING


def test_with_a_budget_the_guarantee_counts_and_not_the_cores() -> None:
    assert gain(NOW, replace(NOW, guarantee=0.9, cores=3.0), for_guarantee=True) is Gain.GUARANTEES_MORE
    assert gain(NOW, replace(NOW, cores=1.0), for_guarantee=True) is Gain.NOTHING


def test_a_better_guarantee_must_outweigh_what_cannot_take_over_while_it_catches_up() -> None:
    slow = replace(SWITCH, share=1.0, catch_up_s=600.0)
    assert gain(NOW, replace(NOW, guarantee=0.9), slow, for_guarantee=True) is Gain.NOTHING


@pytest.mark.parametrize("now", [NOW, replace(NOW, met=False)])
def test_the_same_plan_is_never_worth_it_where_it_keeps_its_promise(now: Value) -> None:
    assert (gain(now, now) is Gain.NOTHING) and (gain(now, now, for_guarantee=True) is Gain.NOTHING)


# ---- what a switch takes


def homes(*active: ReplicaName, a1: NodeName = TWO) -> Homes:
    return Homes(frozenset(active), {A0: ONE, A1: a1, B0: ONE}, {A0: 0.5, A1: 0.5, B0: 1.0})


def test_who_becomes_active_computes_what_has_passed_since_its_checkpoint() -> None:
    found = switching(homes(A0, B0), homes(A0, A1, B0), catch_up_s=10.0)
    assert (found.core_s, found.began, found.ended, found.moved) == (5.0, 1, 0, 0)
    assert found.share == pytest.approx(1 / 3)


def test_who_moves_starts_a_worker_besides() -> None:
    found = switching(homes(A0, A1), homes(A0, A1, a1=ONE), catch_up_s=10.0)
    assert (found.core_s, found.moved, found.began) == (5.0 + START_CORE_S, 1, 0)


def test_who_becomes_idle_takes_nothing() -> None:
    found = switching(homes(A0, A1, B0), homes(A0, B0), catch_up_s=10.0)
    assert (found.core_s, found.ended) == (0.0, 1)
