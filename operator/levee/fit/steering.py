"""Lead a life to a moment: what its user does, what its methods answer, and what fails on the way.

Why: most moments never come in a life in which all goes well. What is done here is not the fault that is tried; it happens in the
undisturbed life as well, and it ends when the moment has come.
Called by: trial.
"""

from dataclasses import dataclass, field, replace
from itertools import pairwise

from levee.fit.deeds import DEEDS, delete_workers
from levee.fit.generate import decides, is_repeated
from levee.fit.values import Moment, Side
from levee.fit.ways import Goal, Standing, Way, way
from levee.lifecycle.handlers import Context, Handler, Handlers, Hopeless, NotYet
from levee.lifecycle.machine import Machine, Transition
from levee.lifecycle.names import ERROR, GIVE_UP, RECOVER, RETRY, EventName, MethodName, OnFailure, Speaker, StateName
from levee.worlds.simulated.living.dying import Killed
from levee.worlds.simulated.living.life import Life

START = MethodName("start_replicas")
Key = tuple[StateName, EventName]


@dataclass(slots=True)
class Steering:
    machine: Machine  # without faults
    life: Life
    next_after: dict[Key, Transition] = field(default_factory=dict)  # what is to follow each transition of the way
    doomed: set[tuple[MethodName, StateName, int]] = field(default_factory=set)  # what never succeeds, for which generation
    dies: bool = False  # whoever looks after it, at the next point
    half: MethodName | None = None  # what is to be half done when the moment comes
    doing: Key | None = None  # the transition whose methods are called
    known: dict[tuple[Standing, Goal], Way | None] = field(default_factory=dict)

    # ---- before each turn

    def steer(self, moment: Moment) -> bool:
        """Whether there is a way."""
        found = self.found(self.standing(), moment)
        self.next_after.clear()
        self.half = moment.method if moment.side is Side.DURING else None
        if found is None:
            return False
        for one, other in pairwise(found):
            self.next_after[one.origin, one.when] = other
        if any(one.when == GIVE_UP for one in found):
            self.life.terms = replace(self.life.terms, on_failure=OnFailure.CANCEL)
            if self.life.runner is not None:
                self.life.runner.terms = self.life.terms
        self.bring_about(found[0])
        if self.half == START and all(self.machine.events[one.when].by is Speaker.METHOD for one in found[1:]):
            delete_workers(self.life)
        return True

    def found(self, standing: Standing, moment: Moment) -> Way | None:
        """What is to be half done needs workers, and so does what is done again about what was left; who fails has done something."""
        goal = Goal(moment.state, moment.transition)
        if (standing, goal) not in self.known:
            best = (replace(goal, after=self.wanted_before(moment), acting=True), replace(goal, after=self.wanted_before(moment)))
            ways = (way(self.machine, standing, one) for one in (*best, replace(goal, acting=True), goal))
            self.known[standing, goal] = next((one for one in ways if one is not None), None)
        return self.known[standing, goal]

    def wanted_before(self, moment: Moment) -> str:
        """What has run already has a plan that can be taken back."""
        transition, state = self.machine.transition(moment.state, moment.transition), self.machine.states[moment.state]
        if state.annotations.get("ready") and state.timeout_ms:
            return "all"
        halves = moment.side is Side.DURING or (transition is not None and is_repeated(self.machine, transition))
        return "start" if halves else ""

    def release(self) -> None:
        """The moment has come: nothing fails on purpose any more, but for what never succeeds."""
        self.next_after.clear()
        self.dies, self.half = False, None

    def standing(self) -> Standing:
        life, position = self.life, self.life.position
        before = "all" if life.estate.good else "start" if life.world.records else ""
        if position is None:
            state = StateName(life.state) if life.loaded is not None else self.machine.initial
            ending = life.loaded.record.ending if life.loaded is not None else None
            failing = RECOVER if life.loaded is not None and self.machine.transition(state, RECOVER) else None
            return Standing(state, ending, failing, before)
        failing = None
        if position.failing is not None:
            failing = RETRY if position.failing.until is not None else self.last_resort(position.state)
        return Standing(position.state, position.record.ending, failing, before)

    def last_resort(self, state: StateName) -> EventName:
        known = (GIVE_UP, ERROR) if self.life.terms.on_failure is OnFailure.CANCEL else (ERROR,)
        return next((one for one in known if self.machine.transition(state, one) is not None), RETRY)

    def bring_about(self, one: Transition) -> None:
        """What is not said by a method."""
        if one.when == RECOVER:
            self.dies = self.life.runner is not None
        elif one.when in DEEDS:
            DEEDS[one.when](self.life)

    def fate(self) -> None:
        if self.dies:
            self.dies = False
            raise Killed

    def acted(self, name: MethodName, done: int, all_of_it: int) -> None:
        """Who is to find it half done must be left it so."""
        after = self.next_after.get(self.doing) if self.doing is not None and name == self.half else None
        if after is None or 2 * done < all_of_it:
            return
        if after.when == RECOVER:
            raise Killed
        if after.when == RETRY:
            raise RuntimeError("it fails half-way")

    # ---- around the methods

    def handlers(self, inner: Handlers) -> Handlers:
        return {name: self.around(name, handler) for name, handler in inner.items()}

    def around(self, name: MethodName, handler: Handler) -> Handler:
        async def call(context: Context) -> EventName | None:
            self.doing = key = (context.origin, context.event)
            transition = self.machine.transition(*key)
            after = self.next_after.get(key)
            asked = after if transition is not None and after is not None and name == self.asked(transition, after) else None
            if asked is not None:
                self.prepare(name, asked)
            said = await handler(context)
            self.answer(name, context, asked, said)
            return said

        return call

    def asked(self, one: Transition, after: Transition) -> MethodName | None:
        """Which method of a transition decides what follows it."""
        if self.machine.events[after.when].by is Speaker.METHOD:
            return next((name for name in one.do if after.when in self.machine.methods[name].says), None)
        return one.do[-1] if one.do else None

    def prepare(self, name: MethodName, after: Transition) -> None:
        """So that it says what it is to say, and says it again to whoever asks later."""
        wishes, read = self.life.wishes, self.life.memory.read
        if after.when == "infeasible" and name == "make_plan":
            wishes.infeasible.add(read)
        elif after.when in (sets := {"infeasible": wishes.infeasible, "refused": wishes.broken, "reshape": wishes.redrawn}):
            wishes.generation += wishes.generation in {read, self.life.in_force}
            sets[after.when].add(wishes.generation)

    def answer(self, name: MethodName, context: Context, after: Transition | None, said: EventName | None) -> None:
        """It has been done, and its answer is lost."""
        state, generation = context.record.state, self.life.wishes.generation
        if after is not None and after.when in {ERROR, GIVE_UP}:
            self.doomed.add((name, state, generation))
            if "start" in {decides(self.machine, state), decides(self.machine, after.to)}:
                self.life.wishes.hopeless.add(generation)
        if (name, state, generation) in self.doomed:
            raise Hopeless("it never succeeds here")
        if after is not None and after.when == RETRY:
            self.next_after.pop((context.origin, context.event), None)
            raise RuntimeError("it fails this once")
        if after is not None and (said is not None or self.is_outdone(after)) and self.waits_for(after):
            raise NotYet("it waits")

    def waits_for(self, after: Transition) -> bool:
        return self.machine.events[after.when].by is Speaker.USER or after.when == RECOVER

    def is_outdone(self, after: Transition) -> bool:
        """The world would be heard before: but not where a method has yet to succeed."""
        known = self.machine.leaving(after.origin)
        return any(self.machine.events[one.when].by is Speaker.WORLD for one in known[: known.index(after)]) and after.when != RECOVER
