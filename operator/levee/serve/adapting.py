"""Another plan for a topology that runs otherwise, or on other nodes, than it was planned for, where that is worth the switch.

Why: the plan is a promise about declared rates, selectivity, cost and nodes. What stays away from them for longer than a dwell is planned
for anew, beside everything else; and then that is told, or put in force in the same way as an edit of the resource.
Called by: life, when it has looked at the whole of a topology.
"""

from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from levee.control.adaptation import Gain, Weighed
from levee.control.events import Event
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.lifecycle.handlers import NotYet
from levee.plans.adapting import adaptations, pins
from levee.plans.measured import changed
from levee.serve import advice, planning, weighing
from levee.serve.drifts import Drifts
from levee.serve.ground import Ground, Object
from levee.serve.status import Said
from levee.serve.weighing import InForce
from levee.topology.adaptation import Adaptation, AdaptationPolicy
from levee.topology.graph import Node
from levee.topology.spec import Spec
from levee.worlds.kubernetes import eligible
from levee.worlds.plans import WrittenPlan

LONG_AGO = Instant(0)


@dataclass(frozen=True, slots=True)
class Asked:
    """A plan that is being made."""

    nodes: tuple[Node, ...]
    future: "Future[WrittenPlan]"
    pinned: bool  # everybody stays where he is


@dataclass(slots=True)
class Adapting:
    ground: Ground
    can_apply: bool = True  # whether its lifecycle knows of another plan
    drifts: Drifts = field(init=False)
    plan: WrittenPlan | None = None  # in force, when it was looked at last
    spec: Spec | None = None  # its
    asked: Asked | None = None
    offered: WrittenPlan | None = None  # to be taken up
    there: tuple[Node, ...] = ()  # the nodes, when they were looked at last
    since: Instant | None = None  # since when something is another than was planned for
    rests_until: Instant = LONG_AGO
    said: Said | None = None

    def __post_init__(self) -> None:
        self.drifts = Drifts(self.ground)

    @property
    def ready(self) -> bool:
        """Whether the draft on the ground is ours."""
        return self.offered is not None and self.ground.draft is self.offered

    @property
    def terms(self) -> Adaptation:
        assert self.spec is not None, "a plan is in force"
        return self.spec.adaptation

    @property
    def dwell_ms(self) -> int:
        return round(1000 * self.terms.dwell)

    def follow(self, seen: Observation, now: Instant) -> None:
        """One look; it never waits for a plan."""
        if self.plan is not self.ground.in_force():
            self.begin_with(self.ground.in_force(), now)
        if self.terms.policy is AdaptationPolicy.OFF:
            self.drop()
            self.said = None
        elif self.drifts.is_due(now):
            self.drifts.look(seen, now)
            self.consider(seen, now)
        elif self.asked is not None and self.asked.future.done():
            self.consider(seen, now)

    def begin_with(self, plan: WrittenPlan, now: Instant) -> None:
        """Who has just switched rests for a dwell."""
        self.drop()
        has_switched = self.plan is not None
        self.plan, self.spec = plan, self.ground.read_resource(plan.resource).spec
        if has_switched:  # by its own dwell: an edit may have changed that
            self.rests_until, self.said = Instant(now + self.dwell_ms), advice.as_planned() if plan.declared else None
        self.drifts.compare()

    def drop(self) -> None:
        if self.asked is not None:
            self.asked.future.cancel()
        if self.ready:
            self.ground.draft = None
        self.asked, self.offered, self.since = None, None, None

    # ---- whether there should be another plan

    def consider(self, seen: Observation, now: Instant) -> None:
        nodes = self.nodes()
        why = "; ".join(filter(None, (*(one.text for one in self.drifts.far), advice.other_nodes(self.ground.in_force(), nodes))))
        if not why and not (self.drifts.found is None and self.drifts.is_new):
            self.said = advice.as_planned() if self.drifts.found is not None else None
        if nodes != self.there:  # as it is now it has not been for long
            self.drop()
            self.there = nodes
        if not why or not self.may_adapt(seen, nodes):
            self.drop()
            return
        if self.since is None:
            self.since = now
            self.said = self.said if self.said is not None and self.said.status == "False" else advice.drifted(why)  # it may say more
        if self.ready or now - self.since < self.dwell_ms or now < self.rests_until:
            return
        if self.asked is None:
            self.ask(nodes, pinned=True)
        elif self.asked.future.done():
            self.take(self.asked, seen, now, why)

    def may_adapt(self, seen: Observation, nodes: tuple[Node, ...]) -> bool:
        """Not beside an edit that was refused: its author is to decide first."""
        return bool(nodes) and seen.anchored and not seen.order_to_stop() and not self.ground.trouble[1]

    def nodes(self) -> tuple[Node, ...]:
        return eligible.nodes(self.ground.shop.cluster.nodes(), self.ground.in_force().resource["spec"])

    def ask(self, nodes: tuple[Node, ...], *, pinned: bool) -> None:
        """For what its author wrote, as it is measured: what was adapted before is measured, too, and counts no second time. Its
        generation stays: for its author nothing has changed."""
        in_force = self.ground.in_force()
        found = self.drifts.against(in_force.author)
        wanted = adaptations(self.ground.read_resource(in_force.author).spec, found) if found is not None else ()
        declared = (self.ground.resource["spec"].get("placement") or {}).get("assignment") or {}
        kept = pins(declared, in_force.planned.placement if pinned else {}, [node.name for node in nodes])
        resource: Object = changed(in_force.author, (*wanted, kept))
        metadata = {**resource["metadata"], "generation": self.ground.resource["metadata"]["generation"]}
        self.asked = Asked(nodes, self.ground.shop.planner.submit({**resource, "metadata": metadata}, nodes), pinned)

    def take(self, asked: Asked, seen: Observation, now: Instant, why: str) -> None:
        """With everybody where he is there may be no plan, or none that is worth it; then wherever it is best."""
        self.asked, draft, found, refused = None, None, None, ""
        try:
            draft = asked.future.result()
            draft, found = weighing.weigh(self.in_force_now(seen), draft, self.ground.shop.zones())
        except NotYet:
            return
        except (planning.Infeasible, RuntimeError) as problem:  # or the planner has made a mistake: that is no reason to end
            refused = str(problem)
        if draft is not None and found is not None and found.is_worth_it and self.is_certain(found):
            self.offer(draft, found, now, why)
        elif asked.pinned:
            self.ask(asked.nodes, pinned=False)
        else:
            self.rest(now, advice.no_plan(why, refused) if refused else advice.not_worth_it(why))

    def is_certain(self, found: Weighed) -> bool:
        """Whoever adapted before may have seen more than one who has only come, who does not change that to save a little."""
        return found.gain is not Gain.COSTS_LESS or not self.ground.in_force().declared or self.drifts.stretches.are_whole

    # ---- what is done about it

    def offer(self, draft: WrittenPlan, found: Weighed, now: Instant, why: str) -> None:
        applies = self.can_apply and self.terms.policy is AdaptationPolicy.APPLY
        if applies:
            self.ground.draft = self.offered = replace(draft, declared=planning.essence(self.ground.resource))
        said = advice.adapting(why, found) if applies else advice.advised(why, found, can_apply=self.can_apply)
        if self.said is None or self.said.reason != said.reason:
            self.ground.news.append(Event(said.reason, said.message))
        self.rest(now, said)

    def rest(self, now: Instant, said: Said) -> None:
        self.said, self.rests_until = said, Instant(now + self.dwell_ms)

    def in_force_now(self, seen: Observation) -> InForce:
        configuration = seen.configuration or self.ground.need_world().wanted.likeliest()
        living = {one.node for one in seen.nodes if one.alive}
        nodes = {one: home.node for one, home in seen.homes.items() if home.node in living}
        return InForce(self.ground.in_force(), configuration, nodes)
