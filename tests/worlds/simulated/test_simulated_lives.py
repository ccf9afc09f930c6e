"""Whole lives in virtual time: users suspend, resume, edit and delete, nodes and workers fail, costs drift until another plan pays, and
whoever looks after the topology dies between any two things that it does. Each passage is one that the document has, what was adapted to
stays until an edit, and in the end the user's last word is true, and no other plan pays.

A failing seed replays: python -m tests.worlds.simulated.living 17
"""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from levee.lifecycle.names import EventName, Instant, StateName
from levee.lifecycle.position import Passage, Record
from tests.worlds.simulated import living
from tests.worlds.simulated.legal import Illegal, check_passages, edges
from tests.worlds.simulated.living import live

SEEDS, CHUNK = 800, 100
BEGAN = Record(StateName("submitted"), Instant(0), history=(Passage(StateName("submitted"), Instant(0)),))


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_no_life_takes_a_way_that_its_document_does_not_have_and_each_ends_as_its_user_wants(first: int) -> None:
    for seed in range(first, first + CHUNK):
        try:
            live(seed)
        except Exception as error:  # noqa: BLE001  (any error here is one of the control plane's, or of the simulation)
            pytest.fail(f"{type(error).__name__}: {error}\nReplay it: python -m tests.worlds.simulated.living {seed}", pytrace=False)


def test_the_same_seed_is_the_same_life() -> None:
    told: list[list[str]] = [[], []]
    assert live(17, told[0].append).seen == live(17, told[1].append).seen
    assert told[0] == told[1]


def test_most_of_what_can_happen_in_a_life_does() -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        seen += live(seed).seen
    assert {"killed", "stop ordered", "suspended resume", "running edit", "running recover", "cleanup cleaned", "running adapt"} <= set(
        seen
    )
    assert seen["adapted"]
    taken = {one for one in seen if " " in one} - {"stop ordered"}
    assert {tuple(one.split(" ")) for one in taken} <= {(origin, when) for origin, when, _ in edges()}
    assert len(taken) > 25


def test_some_die_while_they_adapt() -> None:
    assert any(live(seed).seen["interrupted"] for seed in range(60, 130))


def live_all(seeds: int) -> None:
    for seed in range(seeds):
        live(seed)


@pytest.mark.parametrize("method", ["remove_replicas", "pause_at_epoch", "open_log", "change_plan"])
def test_without_any_of_these_methods_some_life_goes_wrong(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is set by a rule, too."""
    monkeypatch.setitem(living.METHODS, method, living.nothing)
    monkeypatch.setattr(living, "SETTLED_IN_S", 900)
    with pytest.raises(AssertionError):
        live_all(30)


def restless(life: living.Life) -> living.Written | None:
    """Of two plans always the other one."""
    plan = life.plan_of(life.number)
    return living.Written(plan.generation, life.plans[plan.wanted is life.plans[0]], adapted=True) if plan is not None else None


def test_who_adapts_twice_to_the_same_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(living.Life, "offer", restless)
    with pytest.raises(Illegal, match="adapts once more"):
        live_all(30)


def test_who_forgets_in_the_midst_what_he_adapts_to_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(living, "keeps", lambda *_: False)
    with pytest.raises(Illegal, match="throws away what was adapted to"):
        live_all(30)


def test_without_anybody_who_adapts_some_life_does_not_come_to_its_best_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(living.Life, "offer", lambda _: None)
    monkeypatch.setattr(living, "SETTLED_IN_S", 900)
    with pytest.raises(Illegal, match="it is running"):
        live_all(30)


def passed(*ways: tuple[str, str], **changes: Any) -> Record:
    history = BEGAN.history + tuple(Passage(StateName(state), Instant(1), EventName(why)) for state, why in ways)
    return replace(BEGAN, state=history[-1].state, history=history, **changes)


def test_a_passage_that_the_document_does_not_have_is_found() -> None:
    check_passages(None, BEGAN)
    check_passages(BEGAN, passed(("parsing", "admit"), ("mapping", "parsed")))
    with pytest.raises(Illegal, match="from submitted nothing leads to running by admit"):
        check_passages(BEGAN, passed(("running", "admit")))
    with pytest.raises(Illegal, match="a life begins as running"):
        check_passages(None, replace(BEGAN, state=StateName("running")))
    with pytest.raises(Illegal, match="does not follow from"):
        check_passages(passed(("parsing", "admit")), BEGAN)


def test_a_life_ends_where_it_was_to_end() -> None:
    cleaning = passed(("cleanup", "cancel"), ending=StateName("canceled"))
    check_passages(cleaning, passed(("cleanup", "cancel"), ("canceled", "cleaned"), ending=StateName("canceled")))
    with pytest.raises(Illegal, match="from cleanup nothing leads to failed"):
        check_passages(cleaning, passed(("cleanup", "cancel"), ("failed", "cleaned"), ending=StateName("canceled")))
