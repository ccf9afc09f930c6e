"""One step of a lifecycle, as a function of values.

Why: what is stored before what is done must be plain to see and to test; here it is, without I/O and without the name of a single state.
Called by: runner.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from levee.lifecycle.machine import Machine, Transition, target
from levee.lifecycle.names import EventName, Instant, Kind, MethodName, StateName
from levee.lifecycle.position import Passage, Position, Record, with_passage


@dataclass(frozen=True, slots=True)
class Step:
    position: Position  # after it
    methods: tuple[MethodName, ...]  # to be called in this order, once the position is stored
    persist: bool
    transition: Transition


class Unexpected(LookupError):
    """An event that a state does not know."""


def step(machine: Machine, position: Position, event: EventName, now: Instant) -> Step:
    """Before anything is taken back the record is stored, even if it is not news: whoever else still acts on it is overtaken by that."""
    transition = machine.transition(position.state, event)
    if transition is None:
        raise Unexpected(f"lifecycle {machine.name}: state {position.state} knows no event {event}")
    record = advanced(machine, position, transition, now)
    stores = machine.states[record.state].persist
    changes = is_news(record, position.stored, transition)
    claims = stores and not changes and machine.takes_back(transition)
    record, persist = replace(record, claims=record.claims + claims), stores and (changes or claims)
    waits = 0 if machine.states[record.state].kind is Kind.RESTING and record.state != position.state else position.waits
    after = Position(record, record if persist else position.stored, now, waits)
    return Step(after, transition.do, persist, transition)


def advanced(machine: Machine, position: Position, transition: Transition, now: Instant) -> Record:
    record = position.record
    ending = machine.ending_after(transition, record.ending)
    state = target(transition, ending)
    counted = transition.counts and (position.failing is None or position.failing.counted)
    record = replace(record, state=state, ending=ending, attempts=record.attempts + counted)
    if state == position.state:
        return record
    begins_again = machine.states[position.state].kind is Kind.FINAL
    failures, failed_at = (0, None) if begins_again else (record.failures, record.failed_at)
    history = with_passage(record.history, Passage(state, now, transition.when))
    return replace(record, since=now, history=history, failures=failures, failed_at=failed_at)


def is_news(record: Record, stored: Record | None, transition: Transition) -> bool:
    """A state is stored when it is entered, not each time something happens in it; an attempt is stored before it is made."""
    if stored is None or (stored.state, stored.ending) != (record.state, record.ending):
        return True
    return transition.counts and record.attempts != stored.attempts


def choose(machine: Machine, state: StateName, holding: Collection[EventName]) -> EventName | None:
    """Several events may hold; the first transition of the document is taken."""
    return next((one.when for one in machine.leaving(state) if one.when in holding), None)
