"""How a life comes to a moment: the shortest way through the document, by what can be made to happen.

Why: no list of scripts has to be kept beside the document; a new transition has a way, or the reason why not, as soon as it is written.
Called by: steering, trial.
"""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from levee.fit.generate import decides
from levee.lifecycle.machine import Machine, Transition, target
from levee.lifecycle.names import RECOVER, EventName, Speaker, StateName

Way = tuple[Transition, ...]


@dataclass(frozen=True, slots=True)
class Goal:
    state: StateName
    event: EventName
    after: str = ""  # what was decided about its workers before: they were to start, or it ran (all)
    acting: bool = False  # whoever dies, or fails, has done something by then


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a life is."""

    state: StateName
    ending: StateName | None = None
    failing: EventName | None = None  # what the engine will raise
    after: str = ""


def way(machine: Machine, standing: Standing, goal: Goal) -> Way | None:
    """The transitions to take; the last one is the goal. None: there is no way."""
    left: deque[tuple[Transition, Passed, Way]] = deque()
    begins = [one for one in machine.leaving(standing.state) if may_begin(machine, standing, one)]
    left.extend((one, Passed(machine, standing.ending, standing.after).by(one), (one,)) for one in usual_first(machine, begins))
    seen: set[tuple[StateName, EventName, StateName | None, str]] = set()
    while left:
        one, passed, path = left.popleft()
        if (one.origin, one.when) == (goal.state, goal.event) and passed.is_after(goal.after):
            return path
        key = (one.origin, one.when, passed.ending, passed.after)
        if key in seen:
            continue
        seen.add(key)
        following = [other for other in machine.leaving(target(one, passed.ending)) if follows(machine, one, other, acting=goal.acting)]
        left.extend((other, passed.by(other), (*path, other)) for other in usual_first(machine, following))
    return None


@dataclass(frozen=True, slots=True)
class Passed:
    """What is known of a life after some transitions."""

    machine: Machine
    ending: StateName | None
    after: str
    before: str = ""  # the last one

    def is_after(self, word: str) -> bool:
        return word in {"", self.before} or self.before == "all"

    def by(self, one: Transition) -> "Passed":
        found = {self.after, decides(self.machine, one.to)}
        after = next((word for word in ("all", "start") if word in found), "")
        return Passed(self.machine, self.machine.ending_after(one, self.ending), after, self.after)


def usual_first(machine: Machine, transitions: Iterable[Transition]) -> list[Transition]:
    """Among equals, what goes well: what fails on purpose may fail again at the goal."""
    return sorted(transitions, key=lambda one: machine.events[one.when].by is Speaker.ENGINE)


def may_begin(machine: Machine, standing: Standing, first: Transition) -> bool:
    """From where a life is now: what its last methods have said is said."""
    if standing.failing is not None:
        return first.when == standing.failing or machine.events[first.when].by is Speaker.USER or first.when == RECOVER
    by = machine.events[first.when].by
    if by is Speaker.ENGINE:
        return first.when == RECOVER and machine.states[standing.state].persist
    return by in {Speaker.USER, Speaker.WORLD}


def follows(machine: Machine, one: Transition, other: Transition, *, acting: bool = False) -> bool:
    """Whether it can be made to happen right after another one."""
    event = machine.events[other.when]
    match event.by:
        case Speaker.METHOD:
            return any(other.when in machine.methods[name].says for name in one.do)
        case Speaker.WORLD:
            return not speaks(machine, one)
        case Speaker.USER:
            return True
        case _:
            acts = any(machine.methods[name].acts for name in one.do)
            can = machine.states[other.origin].persist if other.when == RECOVER else bool(one.do)
            return can and (acts or not acting)


def speaks(machine: Machine, one: Transition) -> bool:
    """Its methods always say something: nobody else is heard before that is taken."""
    return any(machine.methods[name].says and not machine.methods[name].silent for name in one.do)
