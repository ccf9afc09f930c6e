"""What a failure costs: budgets, pauses, and when to try again.

Why: a method that fails, a state that takes too long and a task that is lost are answered by the same few lines.
Called by: runner.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from levee.lifecycle.machine import Budget, Machine
from levee.lifecycle.names import ERROR, GIVE_UP, RETRY, EventName, Instant, OnFailure, Speaker
from levee.lifecycle.position import Failing, Position


@dataclass(frozen=True, slots=True)
class Terms:
    """What one topology's failures are measured by."""

    budget: Budget
    on_failure: OnFailure = OnFailure.RESTART


def failed(machine: Machine, position: Position, why: str, now: Instant, terms: Terms, chance: float, *, halfway: bool = False) -> Position:
    """It counts against the budget, where there is an end to trying; `chance` is in [0, 1)."""
    failures = 1 if is_stable(machine, position, now) else position.record.failures + 1
    record = replace(position.record, failures=failures, failed_at=now)
    spent = failures > terms.budget.attempts and resort(machine, position, terms) is not None
    until = None if spent else Instant(now + pause_ms(terms.budget, failures, chance))
    return replace(position, record=record, failing=Failing(why, until, halfway=halfway))


def resort(machine: Machine, position: Position, terms: Terms) -> EventName | None:
    """What is raised when it is not tried again; None: it is tried for as long as it takes."""
    known = (GIVE_UP, ERROR) if terms.on_failure is OnFailure.CANCEL else (ERROR,)
    return next((one for one in known if machine.transition(position.state, one) is not None), None)


def waiting(position: Position, why: str, now: Instant, terms: Terms, chance: float) -> Position:
    """A method cannot do it now, which is nobody's fault here; it will be tried until it succeeds."""
    waits = position.waits + 1
    budget = replace(terms.budget, backoff_ms_max=min(terms.budget.backoff_ms_max, terms.budget.wait_ms_max))
    until = Instant(now + pause_ms(budget, waits, chance))
    return replace(position, waits=waits, failing=Failing(why, until, counted=False, halfway=True))


def hopeless(
    machine: Machine, position: Position, why: str, now: Instant, terms: Terms, chance: float, *, halfway: bool = False
) -> Position:
    """It is not tried again, but where all is."""
    if resort(machine, position, terms) is None:
        return failed(machine, position, why, now, terms, chance, halfway=halfway)
    return replace(position, failing=Failing(why, None, halfway=halfway))


def observed(machine: Machine, position: Position, holding: Collection[EventName], now: Instant, terms: Terms, chance: float) -> Position:
    """With the failure that one can see from outside, if there is one that was not seen before."""
    cancels = terms.on_failure is OnFailure.CANCEL
    why = visible_failure(machine, position, holding if cancels else (), now)
    if why is None or position.failing is not None:
        return position
    if cancels:
        return hopeless(machine, position, f"{why}, and onFailure is cancel", now, terms, chance)
    return failed(machine, position, why, now, terms, chance)


def visible_failure(machine: Machine, position: Position, holding: Collection[EventName], now: Instant) -> str | None:
    """What is lost is one only for who wants nothing mended: whoever starts it again has a budget of his own, and may take his time."""
    state = machine.states[position.state]
    if lost := next((one for one in state.fails_on if one in holding), None):
        return f"{lost} in state {state.name}"
    if state.timeout_ms is not None and now - position.watched >= state.timeout_ms:
        return f"state {state.name} took longer than {state.timeout_ms // 1000} s"
    return None


def audible(machine: Machine, position: Position, holding: Collection[EventName]) -> frozenset[EventName]:
    """After a method that failed half-way the world proves nothing; only its user is heard until that is mended."""
    if position.failing is None or not position.failing.halfway:
        return frozenset(holding)
    return frozenset(one for one in holding if machine.events[one].by is Speaker.USER)


def due(machine: Machine, position: Position, now: Instant, terms: Terms) -> EventName | None:
    """What the engine itself raises now. Who has changed `onFailure` meanwhile has it tried again."""
    if position.failing is None:
        return None
    if position.failing.until is None:
        return resort(machine, position, terms) or RETRY
    return RETRY if now >= position.failing.until else None


def wake_at(machine: Machine, position: Position) -> Instant | None:
    """When something happens by time alone; None: never."""
    if position.failing is not None:
        return position.failing.until
    timeout_ms = machine.states[position.state].timeout_ms
    return None if timeout_ms is None else Instant(position.watched + timeout_ms)


def is_stable(machine: Machine, position: Position, now: Instant) -> bool:
    stable_ms = machine.states[position.state].stable_ms
    last = max(position.record.since, position.record.failed_at or Instant(0))
    return stable_ms is not None and now - last >= stable_ms


def pause_ms(budget: Budget, failures: int, chance: float) -> int:
    """Exponential and capped; chance only ever makes it shorter, so that the cap holds."""
    longest = min(budget.backoff_ms << min(failures - 1, 32), budget.backoff_ms_max)
    return round(longest * (1 - budget.jitter * chance))
