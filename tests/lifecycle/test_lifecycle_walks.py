"""Random lives: events, failing methods and crashes in any order, over our documents and over documents that nobody has written."""

import random
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from levee.lifecycle.checks import check
from levee.lifecycle.documents import NAMES, machine
from levee.lifecycle.load import load
from levee.lifecycle.machine import Machine, Transition
from levee.lifecycle.names import ERROR, GIVE_UP, RECOVER, RETRY, Effect, EventName, Instant, Kind, MethodName, Speaker
from levee.lifecycle.position import Failing, Position, beginning, restored
from levee.lifecycle.step import step

NO, HALF, DONE = "no", "half", "done"


class Life:
    """An oracle that knows the meaning of a document, and none of the checks: it keeps who has done what, and what is stored."""

    def __init__(self, document: Machine, seed: int) -> None:
        self.machine, self.chance = document, random.Random(seed)
        self.position = restored(beginning(document, Instant(0)).record, Instant(0))
        self.effects = dict.fromkeys(document.methods, NO)
        self.attempted: set[MethodName] = set()  # undoing that was tried since
        self.said: EventName | None = None

    def undo(self, method: MethodName) -> None:
        for name, other in self.machine.methods.items():
            if method in other.undo:
                self.effects[name] = NO

    def perform(self, method: MethodName, how: str) -> None:
        kind = self.machine.methods[method]
        if kind.effect is Effect.ONCE:
            assert self.effects[method] == NO, f"{method} is done twice"
        if kind.acts:
            self.effects[method] = how
            if how == DONE:
                self.undo(method)

    def take(self, event: EventName, misfortune: float, deadly: bool) -> None:
        after = step(self.machine, self.position, event, Instant(0))
        stored = after.position.stored
        self.said = None
        if deadly and self.chance.random() < misfortune and after.persist:
            return self.die(self.position if self.chance.random() < 0.5 else after.position)
        self.position = after.position
        for name in after.methods:
            if self.chance.random() < misfortune:
                self.perform(name, HALF)
                if deadly:
                    return self.die(self.position)
                self.position = Position(self.position.record, stored, Instant(0), 0, Failing("chance", None, halfway=True))
                return None
            self.perform(name, DONE)
            says = self.machine.methods[name].says
            if says and not (self.machine.methods[name].silent and self.chance.random() < 0.7):
                self.said = self.chance.choice(says)
                return None
        return None

    def die(self, position: Position) -> None:
        assert position.stored is not None
        self.position, self.said = restored(position.stored, Instant(0)), None
        if self.machine.states[self.position.state].kind is not Kind.FINAL:
            self.take(RECOVER, 0.0, deadly=False)

    def choices(self, *, user: bool) -> list[Transition]:
        return [one for one in self.machine.leaving(self.position.state) if self.may(one, user)]

    def may(self, one: Transition, user: bool) -> bool:
        if self.said is not None:
            return one.when == self.said
        if one.when == RECOVER:
            return False
        if one.when in (RETRY, ERROR, GIVE_UP):
            state = self.machine.states[self.position.state]
            return self.position.failing is not None or state.timeout_ms is not None or bool(state.fails_on)
        speaker = self.machine.events[one.when].by
        return (user and speaker is Speaker.USER) or (speaker is Speaker.WORLD and self.position.failing is None)

    @property
    def kind(self) -> Kind:
        return self.machine.states[self.position.state].kind

    def is_settled(self) -> bool:
        return self.said is None and self.position.failing is None and self.kind is not Kind.PASSING


def walk(life: Life, steps: int, misfortune: float, deadly: bool) -> Iterator[Life]:
    for _ in range(steps):
        found = life.choices(user=True)
        if not found:
            assert life.kind is Kind.FINAL, f"stuck in {life.position.state}"
            return
        life.take(life.chance.choice(found).when, misfortune, deadly)
        yield life


def nothing_is_half_done(life: Life) -> None:
    if life.is_settled() and life.kind is not Kind.FINAL:
        half = [name for name, how in life.effects.items() if how == HALF]
        assert not half, f"{half} at rest in {life.position.state}"


def nothing_is_left(life: Life) -> None:
    if life.is_settled() and life.kind is Kind.FINAL:
        left = [name for name, how in life.effects.items() if how != NO and life.machine.methods[name].undo]
        assert not left, f"{left} in {life.position.state}"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(60))
def test_a_life_full_of_crashes_forgets_nothing(name: str, seed: int) -> None:
    for life in walk(Life(machine(name), seed), 300, 0.15, deadly=True):
        nothing_is_half_done(life)
        nothing_is_left(life)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(40))
def test_a_life_full_of_failing_methods_doubles_nothing_and_is_never_stuck(name: str, seed: int) -> None:
    for _ in walk(Life(machine(name), seed), 300, 0.3, deadly=False):
        pass


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(40))
def test_from_wherever_a_life_has_come_its_user_can_end_it(name: str, seed: int) -> None:
    life = Life(machine(name), seed)
    for _ in walk(life, seed, 0.1, deadly=True):
        pass
    ends(life)


def ends(life: Life) -> None:
    """Whatever the user wishes beside, cancel comes first; and by then something is done about every failure."""
    for _ in range(500):
        if life.kind is Kind.FINAL and life.is_settled():
            return
        found = life.choices(user=True)
        wish = [one for one in found if one.when == "cancel"] or [
            one for one in found if life.machine.events[one.when].by is not Speaker.USER
        ]
        life.take(life.chance.choice(wish).when, 0.0, deadly=False)
    raise AssertionError(f"it does not end, last in {life.position.state}")


# ---- documents that nobody has written


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A line of states, each of which does something, with failures, recoveries and a cleanup; most of them keep their promises."""
    count = draw(st.integers(1, 5))
    lines = [
        "lifecycle: drawn",
        "about: a",
        "initial: s0",
        "states:",
        "  s0: {kind: resting, persist: true, afterCrash: redo, about: a, leaves: b, recovery: c}",
    ]
    methods, events, transitions = (
        [],
        ["  cancel: {by: user, about: a}", "  cleaned: {by: world, about: a}"],
        ["  - {from: s0, when: recover, to: s0}"],
    )
    transitions.append("  - {from: s0, when: cancel, to: clean, ending: gone, do: &clean [UNDO]}")
    for n in range(1, count + 1):
        persist, rests, once = draw(st.booleans()), draw(st.booleans()), draw(st.booleans())
        persist = persist or rests
        owned = draw(st.sampled_from(["again", "again", "again", "undo", "undo", "nothing"])) if persist else "none"
        kind = "kind: resting" if rests else "kind: passing, timeout: 1m"
        extra = (
            f"persist: true, afterCrash: {'undo' if owned == 'undo' else 'redo'}, leaves: b, recovery: c" if persist else "persist: false"
        )
        lines.append(f"  s{n}: {{{kind}, {extra}, about: a}}")
        effect = draw(st.sampled_from(["none", "none", "none", "idempotent"])) if not persist else "once" if once else "idempotent"
        methods.append(f"  do{n}: {{effect: {effect}, undo: [undo{n}], about: a}}")
        methods.append(f"  undo{n}: {{effect: idempotent, about: a}}")
        events.append(f"  go{n}: {{by: world, about: a}}")
        redo = f"[undo{n}, do{n}]" if once else f"[do{n}]"
        transitions.append(f"  - {{from: s{n - 1}, when: go{n}, to: s{n}, do: {redo}}}")
        if persist:
            transitions.append(f"  - {{from: s{n}, when: recover, to: s{n}, do: {redo if owned != 'nothing' else '[]'}}}")
        transitions.append(f"  - {{from: s{n}, when: retry, to: s{n}, do: {redo}}}")
        transitions.append(f"  - {{from: s{n}, when: error, to: clean, ending: gone, do: *clean}}")
        transitions.append(f"  - {{from: s{n}, when: cancel, to: clean, ending: gone, do: *clean}}")
    lines.append("  clean: {kind: passing, persist: true, timeout: 1m, afterCrash: redo, about: a, leaves: b, recovery: c}")
    lines.append("  gone: {kind: final, persist: true, about: a, leaves: b, recovery: c}")
    transitions += [f"  - {{from: s{count}, when: done, to: clean, ending: gone, do: *clean}}"]
    events.append("  done: {by: world, about: a}")
    transitions += ["  - {from: clean, when: recover, to: clean, do: *clean}", "  - {from: clean, when: retry, to: clean, do: *clean}"]
    transitions += ["  - {from: clean, when: error, to: ending}", "  - {from: clean, when: cleaned, to: ending}"]
    undoing = [n for n in range(1, count + 1) if draw(st.integers(0, 29))]  # one of thirty is forgotten
    text = "\n".join([*lines, "transitions:", *transitions, "methods:", *methods, "events:", *events])
    return text.replace("UNDO", ", ".join(f"undo{n}" for n in undoing))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(documents(), st.integers(0, 2**16))
def test_what_the_checks_promise_of_a_drawn_document_holds_in_its_lives(text: str, seed: int) -> None:
    read = load(text)
    assume(read.machine is not None)
    assert read.machine is not None
    for life in walk(Life(read.machine, seed), 150, 0.2, deadly=True):
        nothing_is_half_done(life)
        nothing_is_left(life)
    for _ in walk(Life(read.machine, seed), 100, 0.3, deadly=False):
        pass
    ends(Life(read.machine, seed))


def test_much_of_what_is_drawn_is_refused_and_much_is_not() -> None:
    """Else the property above would say nothing."""
    verdicts: list[bool] = []

    @settings(max_examples=60, deadline=None, derandomize=True)
    @given(documents())
    def count(text: str) -> None:
        verdicts.append(load(text).machine is not None)

    count()
    assert 10 < sum(verdicts) < 50


@pytest.mark.parametrize("name", NAMES)
def test_the_walks_notice_a_persist_flag_that_the_checks_were_not_asked_about(name: str) -> None:
    from dataclasses import replace

    document = machine(name)
    caught = 0
    for state in document.states.values():
        if state.persist and state.kind is Kind.PASSING:
            states = {**document.states, state.name: replace(state, persist=False)}
            mutant = replace(document, states=states)
            assert check(mutant)
            caught += any(fails(mutant, seed) for seed in range(60))
    assert caught >= 2


def fails(mutant: Machine, seed: int) -> bool:
    try:
        for life in walk(Life(mutant, seed), 300, 0.15, deadly=True):
            nothing_is_half_done(life)
            nothing_is_left(life)
    except AssertionError:
        return True
    return False
