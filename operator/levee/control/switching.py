"""How long a switch to another configuration takes, step by step: from rates that ask for it to replicas that have caught up.

Why: between a rate that has changed and replicas that can take it lie a decision, a record, those who read it, and states that must be
fetched. Whoever wants a switch to be faster must know which of these it waits for.
Called by: the local run and serve, around every decision; it changes none.
"""

from dataclasses import dataclass, field, replace

from levee.control import following
from levee.control.actions import Decision, Reason, WriteRecord
from levee.control.events import Event
from levee.control.names import Instant, ReplicaName
from levee.control.seen import Measured, Observation
from levee.control.steps import Step, Switch, Took, is_replaced, step_done, told
from levee.control.wanted import Wanted

REPLACED = "; another one came before all had caught up"


@dataclass(slots=True)
class Switching:
    asked: Instant | None = None  # since then rates have asked for another configuration
    going: Switch | None = None
    last: Switch | None = None  # that is over
    took: list[Took] = field(default_factory=list)  # and not yet told
    news: list[Event] = field(default_factory=list)

    def look(self, wanted: Wanted, seen: Observation, now: Instant) -> None:
        """Before anything is decided: what has come about, and whether another configuration is asked for."""
        if self.going is not None and is_replaced(self.going, seen):
            self.end(self.going, REPLACED if self.going.on else "")
        while self.going is not None and (done := step_done(self.going, seen, now)) is not None:
            self.step(self.going, done)
        if not asks_for_another(wanted, seen, now):
            self.asked = None
        elif self.asked is None:
            self.asked = now

    def decided(self, seen: Observation, decision: Decision, now: Instant, written: Instant) -> None:
        """A decision as it was carried out: what could not be begun has no actions left."""
        if decision.reason is not Reason.RATES_CHANGED or not decision.actions:
            return
        if self.going is not None:
            self.end(self.going, REPLACED if self.going.on else "")
        [action] = [one for one in decision.actions if isinstance(one, WriteRecord)]
        before, after = set(seen.ranks()), {ReplicaName(name) for name, _ in action.record.live.ranks}
        asked = now if self.asked is None else self.asked
        self.going = Switch(action.record.number, action.configuration, frozenset(after - before), frozenset(before - after), asked, ())
        self.asked = None
        self.step(self.going, now)
        self.step(self.going, written)

    def taken(self) -> list[Took]:
        """Each once."""
        taken, self.took = self.took, []
        return taken

    def heard(self) -> list[Event]:
        news, self.news = self.news, []
        return news

    def step(self, going: Switch, at: Instant) -> None:
        step = going.next_step
        assert step is not None, "it goes on"
        at = max(at, going.reached)
        self.took.append(Took(step, at - going.reached))
        self.going = replace(going, steps=(*going.steps, (step, at)))
        if self.going.next_step is None:
            self.end(self.going)

    def end(self, switch: Switch, more: str = "") -> None:
        self.going, self.last = None, switch
        if Step.READ in dict(switch.steps):
            self.news.append(Event(Reason.SWITCHED.value, f"{told(switch)}{more}"))


def asks_for_another(wanted: Wanted, seen: Observation, now: Instant) -> bool:
    """Also where a lower one has yet to wait."""
    if seen.rates is None or following.configuration_in_force(wanted, seen) is None:
        return False
    patient = seen.with_history(Measured(seen.rates, "", Instant(now - wanted.patience.dwell_ms)), seen.outages)
    return following.next_one(wanted, patient, seen.rates, now).name != seen.configuration
