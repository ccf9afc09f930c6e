"""What a document must promise, each with the mistake that breaks it; and that nothing can be taken away from ours unnoticed."""

# ruff: noqa: E501  # a mistake stands on one line

from collections.abc import Callable
from dataclasses import replace

import pytest

from levee.lifecycle.checks import check
from levee.lifecycle.documents import NAMES, machine, text_of
from levee.lifecycle.handlers import missing_handlers
from levee.lifecycle.load import load
from levee.lifecycle.machine import Machine, Transition
from levee.lifecycle.names import ERROR, GIVE_UP, RECOVER, RETRY, AfterCrash, Kind, MethodName, StateName
from levee.topology.complaint import Complaint
from levee.topology.status import State
from tests.lifecycle.scripts import SCRIPTS, Deed, seen

SMALL = """
lifecycle: small
about: The least there can be.
initial: new
states:
  new: {kind: resting, persist: true, afterCrash: redo, about: a, leaves: b, recovery: c}
  making: {kind: passing, persist: true, timeout: 1m, afterCrash: redo, about: a, leaves: b, recovery: c}
  gone: {kind: final, persist: true, about: a, leaves: b, recovery: c}
transitions:
  - {from: new, when: recover, to: new}
  - {from: new, when: cancel, to: gone, ending: gone}
  - {from: new, when: begin, to: making, do: [make]}
  - {from: making, when: recover, to: making, do: [make]}
  - {from: making, when: retry, to: making, do: [make]}
  - {from: making, when: error, to: gone, ending: gone, do: [unmake]}
  - {from: making, when: cancel, to: gone, ending: gone, do: [unmake]}
  - {from: making, when: made, to: gone, ending: gone, do: [unmake]}
methods:
  make: {effect: idempotent, undo: [unmake], about: a}
  unmake: {effect: idempotent, about: a}
events:
  cancel: {by: user, about: a}
  begin: {by: world, about: a}
  made: {by: world, about: a}
"""


def complaints(text: str) -> list[Complaint]:
    return list(load(text).complaints)


def test_the_least_document_is_refused_only_because_what_is_final_cannot_fail() -> None:
    wrong = {one.wrong for one in complaints(SMALL)}
    assert wrong == {f"can fail, and has no transition for {event}" for event in ("retry", "error")}


# From here on the least document ends by way of a cleanup.
TRANSITIONS = """  - {from: clean, when: recover, to: clean, do: [unmake]}
  - {from: clean, when: retry, to: clean, do: [unmake]}
  - {from: clean, when: error, to: ending}
  - {from: clean, when: cleaned, to: ending}
methods:"""
GOOD = (
    SMALL.replace("to: gone, ending: gone, do: [unmake]", "to: clean, ending: gone, do: [unmake]")
    .replace("methods:", TRANSITIONS)
    .replace(
        "  gone: {kind",
        "  clean: {kind: passing, persist: true, timeout: 1m, afterCrash: redo, about: a, leaves: b, recovery: c}\n  gone: {kind",
    )
    .replace("  made: {by", "  cleaned: {by: world, about: a}\n  made: {by")
)

MISTAKES = {
    "a state nobody knows": ("to: making, do: [make]}\n  - {from: making, when: recover", "to: makin, do: [make]}\n  - {from: making, when: recover", "there is no state 'makin'"),
    "an initial state nobody knows": ("initial: new", "initial: news", "there is no state 'news'"),
    "an event nobody knows": ("when: begin", "when: begins", "there is no event 'begins'"),
    "a method nobody knows": ("retry, to: making, do: [make]", "retry, to: making, do: [mak]", "there is no method 'mak'"),
    "a transition twice": ("  - {from: new, when: recover, to: new}", "  - {from: new, when: recover, to: new}\n  - {from: new, when: recover, to: making}", "stands 2 times"),
    "a method twice": ("retry, to: making, do: [make]", "retry, to: making, do: [make, make]", "calls make 2 times"),
    "a method that is never called": ("  unmake: {", "  idle: {effect: none, about: a}\n  unmake: {", "is never called"),
    "an event that nobody hears": ("  begin: {", "  other: {by: world, about: a}\n  begin: {", "is heard in no state"),
    "an event that no method says": ("made: {by: world", "made: {by: method", "no method says it"),
    "a method that speaks for the user": ("  unmake: {effect: idempotent, about: a}", "  unmake: {effect: idempotent, says: [cancel], about: a}", "is by user, and a method says it"),
    "an initial state that is not stored": ("new: {kind: resting, persist: true", "new: {kind: resting, persist: false", "a new topology is there"),
    "a final state that is not stored": ("gone: {kind: final, persist: true", "gone: {kind: final, persist: false", "the state is final"),
    "no recovery": ("  - {from: making, when: recover, to: making, do: [make]}\n", "", "has no transition for recover"),
    "recovery from what is not stored": ("making: {kind: passing, persist: true", "making: {kind: passing, persist: false", "nothing begins there"),
    "a row of the table left out": ("making: {kind: passing, persist: true, timeout: 1m, afterCrash: redo, about: a, leaves: b, recovery: c}", "making: {kind: passing, persist: true, timeout: 1m, afterCrash: redo, about: a}", "does not say what a crash leaves behind"),
    "undo that undoes nothing": ("making: {kind: passing, persist: true, timeout: 1m, afterCrash: redo", "making: {kind: passing, persist: true, timeout: 1m, afterCrash: undo", "calls no method that undoes"),
    "a wait without an end": ("making: {kind: passing, persist: true, timeout: 1m", "making: {kind: passing, persist: true", "has no timeout"),
    "a rest with an end": ("new: {kind: resting, persist: true", "new: {kind: resting, persist: true, timeout: 1m", "but the state is resting"),
    "a failure without an answer": ("  - {from: making, when: retry, to: making, do: [make]}\n", "", "has no transition for retry"),
    "a final state that goes on by itself": ("  - {from: new, when: recover, to: new}", "  - {from: new, when: recover, to: new}\n  - {from: gone, when: begin, to: new}", "leaves a final state"),
    "an ending that is none": ("cancel, to: clean, ending: gone", "cancel, to: clean, ending: new", "is no final state"),
    "a state that is never reached": ("when: begin, to: making, do: [make]", "when: begin, to: clean, ending: gone, do: [unmake]", "is never reached"),
    "an ending that is not chosen": ("when: made, to: clean, ending: gone", "when: made, to: clean", "none may have been chosen"),
    "words that nobody hears": ("make: {effect: idempotent, undo: [unmake]", "make: {effect: idempotent, undo: [unmake], says: [cleaned]", "nothing listens"),
    "a dead end": ("  - {from: clean, when: error, to: ending}\n  - {from: clean, when: cleaned, to: ending}", "  - {from: clean, when: error, to: clean}\n  - {from: clean, when: cleaned, to: clean}", "no final state is reached"),
    "nobody can cancel": ("  - {from: making, when: cancel, to: clean, ending: gone, do: [unmake]}\n", "", "cannot be left by its user"),
    "an effect that recovery forgets": ("  - {from: making, when: recover, to: making, do: [make]}", "  - {from: making, when: recover, to: new}", "leaves it half done"),
    "an effect that outlives its topology": ("when: cancel, to: clean, ending: gone, do: [unmake]", "when: cancel, to: gone", "may still be there in gone"),
    "an effect that is doubled": ("make: {effect: idempotent", "make: {effect: once", "leaves two of it"),
}  # fmt: skip


def test_the_good_document_is_good() -> None:
    assert complaints(GOOD) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_with_its_place_and_a_remedy(mistake: str) -> None:
    old, new, wrong = MISTAKES[mistake]
    assert old in GOOD
    found = complaints(GOOD.replace(old, new))
    assert any(wrong in one.wrong for one in found), found
    assert all(one.where and one.fix for one in found)


def test_a_document_that_is_none_is_refused_with_the_line() -> None:
    assert "line 2" in complaints("states: [\n")[0].where
    assert "no mapping" in complaints("- a\n- b\n")[0].wrong
    assert "second document" in complaints(GOOD + "\n---\na: 1\n")[0].wrong


def test_a_misspelled_field_is_named_with_what_was_meant() -> None:
    found = complaints(GOOD.replace("new: {kind: resting, persist: true", "new: {kind: resting, persists: true"))
    assert [(one.where, one.fix) for one in found] == [("states.new.persists", "use 'persist'")]
    assert [one.where for one in complaints(GOOD.replace("initial: new\n", ""))] == ["initial"]
    assert [one.where for one in complaints(GOOD.replace("timeout: 1m", "timeout: soon", 1))] == ["states.making.timeout"]


def test_a_loop_of_words_is_refused() -> None:
    text = GOOD.replace("make: {effect: idempotent, undo: [unmake]", "make: {effect: idempotent, undo: [unmake], says: [again]")
    text = text.replace("  begin: {", "  again: {by: method, about: a}\n  begin: {")
    text = text.replace(
        "  - {from: making, when: recover", "  - {from: making, when: again, to: making, do: [make]}\n  - {from: making, when: recover"
    )
    assert any("leads to itself" in one.wrong for one in complaints(text))


def test_missing_handlers_are_named_before_the_first_topology() -> None:
    have = {MethodName("mke"), *machine("job").methods} - {MethodName("make_plan")}
    assert [(one.where, one.wrong) for one in missing_handlers(machine("job"), have)] == [("methods.make_plan", "has no handler")]


# ---- ours


@pytest.mark.parametrize("name", NAMES)
def test_ours_keep_their_promises_and_the_cluster_knows_their_states(name: str) -> None:
    read = load(text_of(name))
    assert read.complaints == ()
    assert set(machine(name).states) <= {state.value for state in State}


def with_states(document: Machine, name: str, **changes: object) -> Machine:
    states = {**document.states, StateName(name): replace(document.states[StateName(name)], **changes)}  # type: ignore[arg-type]
    return replace(document, states=states)


def without(document: Machine, is_gone: Callable[[Transition], bool]) -> Machine:
    return replace(document, transitions=tuple(one for one in document.transitions if not is_gone(one)))


PERSISTED = [(name, state.name) for name in NAMES for state in machine(name).states.values() if state.persist]


@pytest.mark.parametrize(("name", "state"), PERSISTED)
def test_no_state_can_lose_its_persist_flag_unnoticed(name: str, state: str) -> None:
    """Whoever takes the flag away takes its recovery along, so that only the missing effect tells."""
    mutant = with_states(machine(name), state, persist=False, after_crash=AfterCrash.NOTHING, leaves="", recovery="")
    assert check(without(mutant, lambda one: one.origin == state and one.when == RECOVER))


ANSWERS = [
    (name, one.origin, one.when)
    for name in NAMES
    for one in machine(name).transitions
    if one.when in (RECOVER, RETRY, ERROR, GIVE_UP, "cancel")
]


@pytest.mark.parametrize(("name", "origin", "when"), ANSWERS)
def test_no_answer_to_a_failure_or_a_user_can_be_lost_unnoticed(name: str, origin: str, when: str) -> None:
    mutant = without(machine(name), lambda one: (one.origin, one.when) == (origin, when))
    if machine(name).states[StateName(origin)].kind is Kind.FINAL:
        return  # its user may also be content with what has ended
    assert check(mutant)


RECOVERIES = [(name, one.origin, method) for name in NAMES for one in machine(name).transitions if one.when == RECOVER for method in one.do]
ASKING = {"find_the_end", "reread_spec"}  # they look, and leave nothing; the tests of recovery notice them
EARLIER = {
    ("running", "start_replicas"),
    ("completing", "start_replicas"),
    ("mapping", "forget_plan"),
}  # effects of earlier states: likewise


@pytest.mark.parametrize(("name", "state", "method"), RECOVERIES)
def test_no_method_of_a_recovery_can_be_lost_unnoticed(name: str, state: str, method: str) -> None:
    def weakened(one: Transition) -> Transition:
        is_it = one.when == RECOVER and one.origin == state
        return replace(one, do=tuple(other for other in one.do if other != method)) if is_it else one

    mutant = replace(machine(name), transitions=tuple(map(weakened, machine(name).transitions)))
    assert check(mutant) or method in ASKING or (state, method) in EARLIER or sweep_notices(mutant)


def sweep_notices(mutant: Machine) -> bool:
    """Whether somebody's death leaves a trace."""
    for document, deeds in SCRIPTS.values():
        if document == mutant.name:
            expected, calm = seen(machine(document), deeds)
            if any(differs(mutant, deeds, point, expected) for point in range(1, calm.world.points + 1)):
                return True
    return False


def differs(mutant: Machine, deeds: tuple[Deed, ...], point: int, expected: list[object]) -> bool:
    try:
        return seen(mutant, deeds, [point])[0] != expected
    except AssertionError:
        return True
