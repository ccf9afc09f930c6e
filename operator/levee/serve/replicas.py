"""From a plan to replicas, and to their end: the control log is opened, pods are started and removed, the clock is set, a stop is ordered.

Why: each looks first, and does what is missing, by the same rules as the controller; who loses the race for a control record looks anew.
Called by: deeds, for the lifecycle's methods; edits, which put another plan in force.
"""

from dataclasses import dataclass, replace

from levee.control import rules
from levee.control.actions import Decision, Reason
from levee.control.events import Event
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.lifecycle.handlers import Context, Overtaken
from levee.serve.ground import Ground
from levee.serve.making import nonce_of
from levee.topology.wording import complaint_text
from levee.worlds import reshaping
from levee.worlds.kubernetes import companions, names, trial
from levee.worlds.kubernetes.api import Denied
from levee.worlds.kubernetes.world import KubernetesWorld
from levee.worlds.local.book import StoreSilent
from levee_spark.log import control
from levee_spark.log.values import ControlRecord

WAYS = reshaping.Ways(
    to_rest="put it back, and change it again when all tasks keep up",
    anew="put the graph back, or make a new topology",
)


@dataclass(frozen=True, slots=True)
class Replicas:
    ground: Ground

    def look(self) -> tuple[KubernetesWorld, Observation, Instant]:
        """Nothing follows from a log that could not be read."""
        world, now = self.ground.need_world(), self.ground.shop.now()
        seen = world.observe(now)
        heard(world)
        return world, seen, now

    def open_log(self, _: Context) -> None:
        world, seen, now = self.look()
        if seen.record is not None and seen.record.plan == self.ground.number and not seen.record.shape.stopped:
            return
        if seen.record is not None and reshaping.is_drawn_otherwise(seen.record, world.wanted):
            self.reshape(world, seen.record)
        self.carry_out(rules.open_the_log(world.wanted, replace(seen, opened=False), now), now)
        if world.record is None or world.record.plan != self.ground.number:
            raise Overtaken

    def reshape(self, world: KubernetesWorld, record: ControlRecord) -> None:
        """Another graph: what is added begins where all stand, and nobody who knows the one before is left when the record comes.

        Whoever has let them run on meanwhile has written a record of its own.
        """
        if wrong := list(reshaping.complaints(world.book, record, world.wanted, WAYS)):
            self.ground.trouble = ("CannotChange", "; ".join(map(complaint_text, wrong)))
            raise Overtaken
        self.ground.shop.remove_pods(self.ground.owner, lambda pod: not trial.is_trial(pod))
        reshaping.begin(world.book, record, world.wanted)

    def start_replicas(self, context: Context) -> None:
        ground = self.ground
        world = ground.need_world()
        if context.record.state == "dispatching" or not ground.shop.pods(ground.owner):
            self.end_earlier_starts(world)
        ground.shop.ensure(companions.config_map(ground.owner, world.terms.config_map, ground.in_force().author))
        ground.shop.ensure(companions.budget(ground.owner, len(world.wanted.workers)))
        world, seen, now = self.look()
        self.carry_out(rules.start_what_is_planned(world.wanted, seen, now), now)

    def end_earlier_starts(self, world: KubernetesWorld) -> None:
        """By what they bear: who dies in this, and who goes on with it, end no pod twice."""
        ground = self.ground
        ground.nonce = nonce_of(ground.resource)
        world.terms = ground.terms(ground.in_force())
        ground.shop.remove_pods(ground.owner, lambda pod: (pod["metadata"].get("annotations") or {}).get(names.NONCE) != str(ground.nonce))

    def remove_replicas(self, _: Context) -> None:
        """In a namespace that goes they go by themselves, and whoever had rights in it may have lost them first."""
        shop, owner = self.ground.shop, self.ground.owner
        try:
            shop.remove_pods(owner)
        except Denied:
            if not shop.namespace_goes(owner.namespace):
                raise

    def set_the_clock(self, _: Context) -> None:
        world, seen, now = self.look()
        if not seen.anchored:
            self.carry_out(rules.set_the_clock(world.wanted, seen, now), now)

    def order_stop(self, context: Context) -> None:
        """Whoever loses the race for a number tries the next."""
        completes = context.record.state == "completing"
        reason = f"{Reason.COMPLETED}: {rules.ALL_DONE}" if completes else f"{Reason.STOPPING}: its resource says so"
        self.ground.abandoned = self.ground.shop.namespace_goes(self.ground.owner.namespace)
        if self.ground.abandoned:
            return
        world = self.ground.need_world()
        while (record := world.book.newest()) is not None and not record.shape.stopped:
            stopped = control.successor(record, world.book.holder, shape=replace(record.shape, stopped=True))
            world.book.write(replace(stopped, reason=reason))

    def find_the_end(self, _: Context) -> str | None:
        world, seen, now = self.look()
        return "ended" if rules.finish_when_stopped(world.wanted, seen, now) is not None else None

    def carry_out(self, decision: Decision | None, now: Instant) -> None:
        if decision is not None:
            world = self.ground.need_world()
            decision = world.carry_out(decision, now)
            heard(world)
        if decision is not None and decision.actions:
            self.ground.news.append(Event(decision.reason.value, decision.text))


def heard(world: KubernetesWorld) -> None:
    if world.silent:
        raise StoreSilent(world.silent)
