"""One topology's life: at every turn observe, follow the lifecycle, decide, act, and say how things are.

Why: whatever happens, to the resource, to a pod, to a node or to the operator, leads here; so there is one path to get right.
Called by: hub, one turn after another, never two at once.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import random
from typing import Any

from levee.control.actions import Decision, Reason
from levee.control.chronicle import Chronicle
from levee.control.decide import decide
from levee.control.names import Instant
from levee.control.part import is_of_workers
from levee.control.seen import Observation
from levee.control.switching import Switching
from levee.control.wanted import Wanted
from levee.lifecycle.failures import Terms
from levee.lifecycle.handlers import Context, Handler, Handlers, NotYet, Overtaken
from levee.lifecycle.machine import Machine
from levee.lifecycle.names import ENDING, ERROR, GIVE_UP, RECOVER, EventName, Kind, OnFailure
from levee.lifecycle.names import Instant as Wall
from levee.lifecycle.position import Failing, Position
from levee.lifecycle.runner import Runner, Turn
from levee.serve import advice, making, outside, promises, status
from levee.serve.accounts import Accounts
from levee.serve.adapting import Adapting
from levee.serve.arrival import Arrival, told_decision
from levee.serve.checked import as_written
from levee.serve.deeds import Deed, Deeds
from levee.serve.documents import BOUNDED, document
from levee.serve.figures import Figures, Tally, figures
from levee.serve.ground import Ground
from levee.serve.holding import Known, differs, holding, is_paused
from levee.serve.outside import API, OUTSIDE, Hindrance
from levee.serve.promises import Promise, Promises
from levee.serve.recorded import stamp
from levee.serve.records import StatusRecords, path
from levee.serve.shop import Shop
from levee.serve.standing import Standing, passing_s, state_now
from levee.serve.sweeping import Sweeping
from levee.serve.telling import Teller, summed, words
from levee.worlds.kubernetes import embedded
from levee.worlds.kubernetes.api import Conflict, Denied, Object, Unreachable
from levee.worlds.kubernetes.names import FINALIZER, PAUSED, Owner
from levee.worlds.kubernetes.parts import Parts
from levee.worlds.kubernetes.world import KubernetesWorld

WHOLE_MS_MIN, WHOLE_TIMES = 2_000, 10  # a look at the whole of a large topology takes at most a tenth of the time
TURN_S, SOON_S, REST_S = 2.0, 0.2, 30.0
LONG_AGO = Instant(0)
AT_WORK = {Reason.SETTLED, Reason.RATES_UNKNOWN, Reason.INPUT_ABOVE_CONTRACT}
STOPPING = {"canceling", "suspending"}
UNREAD = {"submitted", "suspended"}  # where an edit waits
SWEPT = {"running", "suspended"}  # where earlier texts are deleted
QUIET_MS = 10_000  # numbers that change all the time are written no more often


@dataclass(slots=True)
class Life:
    shop: Shop
    owner: Owner
    resource: Object
    ground: Ground = field(init=False)
    records: StatusRecords = field(init=False)
    runner: Runner = field(init=False)
    teller: Teller = field(init=False)
    seen: Observation = field(default_factory=Observation)
    decision: Decision | None = None
    chronicle: Chronicle = field(default_factory=Chronicle)
    arrival: Arrival = field(default_factory=Arrival)
    promises: Promises = field(default_factory=Promises)
    figures: Figures | None = None  # of the last look at the whole
    tally: Tally = field(default_factory=Tally)
    switching: Switching = field(default_factory=Switching)
    accounts: Accounts = field(default_factory=Accounts)
    written: Mapping[str, Any] = field(default_factory=dict)  # the status as it was told last
    written_at: Instant = LONG_AGO
    held_now: frozenset[EventName] = frozenset()  # the events that hold
    sweeping: Sweeping = field(init=False)
    adapting: Adapting = field(init=False)
    parts: Parts | None = None
    whole_due: Instant = LONG_AGO
    over: bool = False
    foreseen: tuple[int, tuple[str, str]] = (0, ("", ""))  # why the resource of a generation would be refused
    stands_by: bool = False  # another operator leads
    waits: str = ""  # what was told last of why it waits
    hindrance: Hindrance | None = None  # why what the rules want cannot be done

    def __post_init__(self) -> None:
        self.resource = as_written(self.resource)
        self.ground = Ground(self.shop, self.owner, self.resource)
        self.sweeping, self.adapting = Sweeping(self.ground), Adapting(self.ground)
        self.records = StatusRecords(self.shop.api, self.owner)
        self.teller = Teller(self.shop.api, self.shop.identity)
        lifecycle = document(self.resource, (self.resource.get("status") or {}).get("state"))
        self.runner = Runner(lifecycle, self.records, handlers(Deeds(self.ground), self.wall), self.wall, random, self.terms(lifecycle))
        self.runner.tell = self.shop.metrics.timed
        self.recall()

    def wall(self) -> Wall:
        return Wall(self.shop.wall_ms())

    def recall(self) -> None:
        """What another operator has left: a plan or a restart that one knew before it led may be long over."""
        self.written = self.resource.get("status") or {}
        before = self.written.get("lifecycle") or {}
        self.ground.forget()
        self.ground.read, self.ground.nonce = int(before.get("read") or 0), int(before.get("restartNonce") or 0)
        self.ground.trouble = status.told_trouble(self.written)
        self.parts, self.decision, self.figures, self.stands_by = None, None, None, False
        self.switching, self.accounts = Switching(), Accounts()
        self.adapting.drop()
        self.adapting = Adapting(self.ground, said=advice.told_before(self.written))
        self.arrival = Arrival(told_decision(self.written))
        self.written_at = LONG_AGO if self.arrival.told is None else self.shop.now()

    def renew(self, resource: Object) -> None:
        self.resource = self.ground.resource = as_written(resource)
        self.runner.terms = self.terms(self.runner.machine)
        if not self.stands_by and self.records.is_before(resource):
            self.records.looked_at(resource)
            self.correct(self.resource.get("status") or {})

    def correct(self, found: Mapping[str, Any]) -> None:
        """What somebody else has made of the status is written anew."""
        wrong = status.overwritten(self.written, found)
        if wrong:
            self.written, self.written_at = {**self.written, **{name: found.get(name) for name in wrong}}, LONG_AGO
            self.tell_of_others(wrong)

    def tell_of_others(self, wrong: Sequence[str]) -> None:
        self.teller.tell(self.owner, "StatusOverwritten", f"somebody else has written {', '.join(wrong)}: written anew", grave=True)

    def terms(self, lifecycle: Machine) -> Terms:
        said = (self.resource["spec"].get("faultTolerance") or {}).get("onFailure", "restart")
        return Terms(lifecycle.budget, OnFailure(said))

    def choose_lifecycle(self) -> None:
        """Before it begins, and where another operator has had it."""
        position, told = self.runner.position, self.resource.get("status") or {}
        if position is None or position.state == self.runner.machine.initial:
            self.runner.machine = document(self.resource, told.get("state") if position is None else position.state)

    async def turn(self) -> float:
        """The seconds until the next one, if nothing happens before."""
        if not self.shop.leads():
            self.runner.position, self.stands_by = None, True  # whoever leads now moves it
            return REST_S
        try:
            return await self.led()
        except (Unreachable, Conflict) as lost:
            self.shop.metrics.mistakes.labels(type(lost).__name__).inc()
            return TURN_S

    async def led(self) -> float:
        if self.stands_by:
            self.recall()
        try:
            return await self.take() if await self.held() else SOON_S
        except Overtaken:
            return await self.overtaken()

    async def overtaken(self) -> float:
        """Another one acts, or has acted while this process slept; what he knows stands in the resource and in the log."""
        self.runner.position, self.stands_by = None, True
        found = await asyncio.to_thread(self.shop.api.get, path(self.owner))
        if found is not None and found["metadata"]["uid"] == self.owner.uid:
            self.renew(found)
        return SOON_S

    async def take(self) -> float:
        now = self.shop.now()
        if await self.took_part(now):
            return TURN_S
        seen = await asyncio.to_thread(self.ground.observe, now)
        self.choose_lifecycle()
        await asyncio.to_thread(self.look_at_namespace)
        self.held_now = self.holding(seen, now)
        failing = self.runner.position.failing if self.runner.position is not None else None
        turn = await self.runner.turn(self.held_now, excused=self.is_excused())
        self.note_failure(turn, failing)
        if turn.position is None:
            return SOON_S
        await asyncio.to_thread(self.tell_of, turn)
        how = self.runner.machine.states[turn.position.state].annotations.get("decide", "nothing")
        if how in {"all", "start"} and self.ground.world is not None:
            await asyncio.to_thread(self.control, now, None if turn.taken else seen)
        if how == "all" and self.ground.world is not None and not turn.taken:
            self.parts = Parts.after(self.ground.world, self.seen)
            self.whole_due = Instant(now + max(WHOLE_MS_MIN, WHOLE_TIMES * (self.shop.now() - now)))
            if turn.position.state == "running":
                self.adapting.can_apply = EventName("adapt") in self.runner.machine.events
                await asyncio.to_thread(self.adapting.follow, self.seen, now)
        if not self.has_only_come(turn):
            await self.report(turn.position, now)
        if turn.position.state in SWEPT and not turn.taken and self.sweeping.is_due(now):
            await asyncio.to_thread(self.sweeping.sweep, now)
        return await self.rest(turn)

    def is_excused(self) -> bool:
        """While the store is silent nobody can be in time; but who is to end does not wait for it for ever."""
        world, position = self.ground.world, self.runner.position
        return world is not None and bool(world.silent) and position is not None and position.state not in outside.ENDING

    def look_at_namespace(self) -> None:
        """It may go while the topology in it comes to its last epoch: then nobody waits for that."""
        position = self.runner.position
        if position is not None and position.state in outside.ENDING and not self.ground.abandoned:
            self.ground.abandoned = self.shop.namespace_goes(self.owner.namespace)

    def holding(self, seen: Observation | None, now: Instant) -> frozenset[EventName]:
        ground = self.ground
        pods = len(self.shop.pods(self.owner))
        in_force = ground.plan.author if ground.plan is not None else None
        known = Known(
            *(in_force, ground.read, ground.nonce, pods, ground.world.wanted if ground.world is not None else None, seen),
            *(ground.abandoned, self.adapting.ready, self.ends_ms()),
        )
        return holding(self.resource, known, now) & self.runner.machine.events.keys()

    def ends_ms(self) -> int:
        """For so long it has been told to come to its last epoch."""
        position = self.runner.position
        if position is None or position.state not in STOPPING:
            return 0
        return self.shop.wall_ms() - position.record.since

    def control(self, now: Instant, seen: Observation | None) -> None:
        """What was seen is old once a transition was taken."""
        world = self.ground.world
        assert world is not None
        self.look_at_whole()
        seen = seen or world.observe(now)
        self.switching.look(world.wanted, seen, now)
        decision = decide(world.wanted, seen, now)
        if not self.arrival.may_act(seen, now):
            decision = replace(decision, actions=())
        decision = self.perform(world, decision, now)
        self.tell_of_switch(seen, decision, now)
        before = seen if self.decision is None and self.arrival.told is not None else self.seen
        self.tell_what_is_new(before, seen, decision, knows=self.arrival.knows(seen, decision, now))
        self.seen = seen

    def tell_of_switch(self, seen: Observation, decision: Decision, now: Instant) -> None:
        switching = self.switching
        switching.decided(seen, decision, now, self.shop.now())
        for took in switching.taken():
            self.shop.metrics.switches.labels(took.step).observe(took.ms / 1000)
        for event in switching.heard():
            self.teller.tell(self.owner, *words(event))

    def perform(self, world: KubernetesWorld, decision: Decision, now: Instant) -> Decision:
        """As it is to be told. What the cluster refuses is tried again later and later; what the log needs does not wait for that."""
        before = self.hindrance
        if before is not None and now < before.until and is_of_workers(decision):
            return decision
        self.hindrance = None
        self.tally.count(decision)
        try:
            return world.carry_out(decision, now)
        except API as why:
            self.hindrance = outside.hindered(before, why, now)
            return decision

    def tell_what_is_new(self, before: Observation, seen: Observation, decision: Decision, *, knows: bool) -> None:
        """What an operator finds when it comes, and leaves as it is, is no news."""
        was, first = self.arrival.told, self.decision is None and not decision.actions
        for event in summed(self.chronicle.events(before, seen, was, decision if knows or was is None else was)):
            if not first:
                self.teller.tell(self.owner, *words(event), grave=event.grave)
        self.arrival.told = decision if knows else was
        self.decision = decision

    # ---- between two looks at a large topology as a whole

    async def took_part(self, now: Instant) -> bool:
        """Whether it was enough to look at what has happened since; whatever goes wrong there is answered by a look at the whole."""
        if self.parts is None or self.runner.position is None or now >= self.whole_due:
            return False
        try:
            done = await asyncio.to_thread(self.control_part, self.parts, now)
        except BaseException:
            self.look_at_whole()
            raise
        if not done:
            self.look_at_whole()
        return done

    def control_part(self, parts: Parts, now: Instant) -> bool:
        part = parts.look(now)
        decision = None if part is None else decide(part.wanted, part.seen, now)
        if part is None or decision is None or not is_of_workers(decision):
            return False
        decision = self.perform(parts.world, decision, now)
        if self.hindrance is not None:
            return False  # it is told by a look at the whole
        self.tell_what_is_new(part.before, part.seen, decision, knows=self.arrival.over or bool(decision.actions))
        parts.taken(part)
        return True

    def look_at_whole(self) -> None:
        """From the next turn on; what parts have shown is no news then."""
        if self.parts is not None:
            self.seen, self.parts = self.parts.before_whole(), None

    def standing(self) -> Standing:
        state, since_ms = state_now(self.runner, self.resource.get("status") or {})
        gap = self.ground.plan.worth.gap if self.ground.plan is not None else None
        passing = passing_s(self.runner, state, since_ms, self.shop.wall_ms())
        known, tally = (None, None) if self.stands_by else (self.figures, self.tally)
        return Standing(self.owner.key, state, gap, self.settled, known, tally, passing)

    @property
    def settled(self) -> bool:
        """As far as this process has seen itself; what the rates are changes nothing for replicas."""
        return self.decision is not None and self.decision.reason in AT_WORK

    def note_failure(self, turn: Turn, failing: Failing | None) -> None:
        """Why an edit was taken back, or all of it given up, where nothing else says so."""
        if self.ground.trouble[1]:
            return
        if any(one.when in {ERROR, RECOVER} and one.to == "reverting" for one in turn.taken):
            why = failing.why if failing is not None else "it could not be put in force, and the operator that knew why has ended"
            self.ground.trouble = ("NotInForce", why)
        elif failing is not None and any(one.when in {ERROR, GIVE_UP} and one.ending == "failed" for one in turn.taken):
            self.ground.trouble = ("GivenUp", failing.why)

    def tell_of(self, turn: Turn) -> None:
        self.tell_of_transitions(turn)
        if self.records.news:
            self.tell_of_others(self.records.news)
            self.records.news = []
        failing = turn.position.failing if turn.position is not None else None
        if failing is None:
            self.waits = ""
        elif not failing.counted and failing.why != self.waits and turn.position is not None and is_told(turn.position):
            self.waits = failing.why
            self.teller.tell(self.owner, "Waiting", failing.why)
        while self.ground.news:
            event = self.ground.news.pop(0)
            self.teller.tell(self.owner, *words(event), grave=event.grave)

    def tell_of_transitions(self, turn: Turn) -> None:
        metrics = self.shop.metrics
        for taken in turn.taken:
            metrics.transitions.labels(taken.origin, taken.when, taken.to).inc()
            if taken.to != taken.origin:
                note = f"{taken.origin} -> {turn.position.state if taken.to == ENDING and turn.position is not None else taken.to}"
                grave = taken.when in {ERROR, GIVE_UP, "refused", "infeasible"}
                why = self.ground.trouble[1]
                self.teller.tell(
                    self.owner, str(taken.when).title().replace("_", ""), f"{note}{': ' + why if grave and why else ''}", grave=grave
                )

    # ---- what people read

    def has_only_come(self, turn: Turn) -> bool:
        """And has yet to see what the operator before had seen."""
        assert turn.position is not None
        known = self.written.get("observedGeneration") == self.resource["metadata"]["generation"]
        happened = turn.position.failing is not None or any(one.when != RECOVER for one in turn.taken)
        return known and not happened and self.decision is not None and not self.arrival.over and not self.records.wrong

    async def report(self, position: Position, now: Instant) -> None:
        ground = self.ground
        worth = ground.plan.worth if ground.plan is not None else None
        living = position.state in status.LIVING
        world = ground.world if living else None
        scene = status.Scene(
            int(self.resource["metadata"]["generation"]),
            position,
            worth,
            self.trouble(position),
            world.wanted if world is not None else None,
            self.seen if world is not None else None,
            self.decision if world is not None else None,
            now,
            world.silent if world is not None else "",
            bounded=self.runner.machine.name == BOUNDED,
            promise=await asyncio.to_thread(self.promise, world.wanted, now) if world is not None else None,
            planned_before=status.told_plan(self.written) if worth is None else None,
            hindered=self.hindrance.why if self.hindrance is not None else "",
            caveat="; ".join(self.caveats()),
            account=await asyncio.to_thread(self.accounts.look, ground, self.seen, now, self.shop.wall_ms()) if living else None,
            descriptor=self.adapting.said if world is not None else None,
        )
        self.figures = self.figured(scene)
        told = status.stamped(status.fields(scene) | self.memory(), self.written, scene.generation, stamp(Wall(self.shop.wall_ms())))
        changed = status.changed(self.written, told)
        quiet = not changed or (not self.is_news(changed) and now - self.written_at < QUIET_MS)
        if quiet and not self.records.wrong:
            return
        await self.records.tell(changed)
        self.written, self.written_at = {**self.written, **told}, now

    def figured(self, scene: status.Scene) -> Figures | None:
        if scene.wanted is None or scene.seen is None:
            return None
        numbers = status.numbers(scene, scene.wanted, scene.seen)
        promise = scene.promise if status.met(scene).status != "Unknown" else None
        more: dict[str, Any] = {"promise": promise, "worth": scene.worth, "static_cost_s": self.promises.static_cost_s}
        more |= {"silent": bool(scene.silent), "account": scene.account, "drifts": self.adapting.drifts.all}
        return figures(scene.wanted, scene.seen, tuple(numbers["replicas"].values()), numbers["lagEpochs"], **more)

    def promise(self, wanted: Wanted, now: Instant) -> Promise | None:
        ground = self.ground
        if ground.plan is None:
            return None
        return self.promises.of(ground.plan, promises.missing(wanted, self.seen, now), self.shop.zones)

    def caveats(self) -> Iterator[str]:
        if self.ground.access.embedded:
            yield embedded.SAYS
        if is_paused(self.resource) and self.is_newer_than_in_force():
            yield f"this is the plan before the last edit, which waits until the annotation {PAUSED} is removed"

    def trouble(self, position: Position) -> tuple[str, str]:
        if "edit" in self.held_now and self.runner.machine.transition(position.state, EventName("edit")) is None:
            if position.state == "completed":
                return "CannotChange", "it has completed, and what is changed now is not computed any more: make another one"
            if position.state in status.LIVING:
                return "CannotChange", "a topology whose sources end cannot be changed once it has begun: make another one"
        if self.is_as_in_force():
            return "", ""
        waits = position.state in UNREAD or is_paused(self.resource)
        return self.misread() if waits and self.is_unread() else self.ground.trouble

    def misread(self) -> tuple[str, str]:
        """What would be refused, were it taken up now: its author need not resume it to learn that."""
        generation = int(self.resource["metadata"]["generation"])
        if self.foreseen[0] != generation:
            self.foreseen = generation, making.refusal(self.ground)
        return self.foreseen[1]

    def is_as_in_force(self) -> bool:
        """What was refused is gone by now: the resource is again what runs, and is not read for that."""
        return self.ground.plan is not None and self.is_unread() and not differs(self.resource["spec"], self.ground.plan.author["spec"])

    def is_newer_than_in_force(self) -> bool:
        return self.ground.plan is not None and self.is_unread() and differs(self.resource["spec"], self.ground.plan.author["spec"])

    def is_unread(self) -> bool:
        return self.ground.read != int(self.resource["metadata"]["generation"])

    def memory(self) -> dict[str, Any]:
        """What the next operator could not find out by itself, if it is not written yet."""
        told = {"read": self.ground.read, "restartNonce": self.ground.nonce}
        before = self.written.get("lifecycle") or {}
        return {} if told.items() <= before.items() else {"lifecycle": told}

    def is_news(self, changed: Mapping[str, Any]) -> bool:
        """More than numbers and words that change all the time."""
        if "conditions" not in changed or {"lifecycle", "observedGeneration"} & changed.keys():
            return bool(changed.keys() - {"lagEpochs", "account"})
        before = {one["type"]: (one["status"], one["reason"]) for one in self.written.get("conditions") or ()}
        return any(before.get(one["type"]) != (one["status"], one["reason"]) for one in changed["conditions"])

    # ---- as long as it is held by us, it does not go

    async def held(self) -> bool:
        """Before anything is made: so that it is cleaned up before the resource goes."""
        metadata = self.resource["metadata"]
        if FINALIZER in metadata.get("finalizers", ()) or metadata.get("deletionTimestamp") is not None:
            return True
        await self.write_finalizers([*metadata.get("finalizers", ()), FINALIZER])
        return True

    async def let_go(self) -> None:
        metadata = self.resource["metadata"]
        if FINALIZER in metadata.get("finalizers", ()):
            await self.write_finalizers([one for one in metadata["finalizers"] if one != FINALIZER])

    async def write_finalizers(self, finalizers: list[str]) -> None:
        """With the version that was read: others have theirs in the same list."""
        metadata = self.resource["metadata"]
        body = {"metadata": {"finalizers": finalizers, "uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}}
        try:
            self.renew(await asyncio.to_thread(self.shop.api.patch, path(self.owner), body))
        except Conflict:
            found = await asyncio.to_thread(self.shop.api.get, path(self.owner))
            if found is not None and found["metadata"]["uid"] == self.owner.uid:
                self.renew(found)
            raise

    async def rest(self, turn: Turn) -> float:
        assert turn.position is not None
        state = self.runner.machine.states[turn.position.state]
        if state.kind is Kind.FINAL and self.resource["metadata"].get("deletionTimestamp") is not None and state.name == "canceled":
            await self.let_go()
            self.over = True
            return REST_S
        if turn.taken:
            return SOON_S
        until_s = REST_S if turn.wake_at is None else max(SOON_S, (turn.wake_at - self.shop.wall_ms()) / 1000)
        return min(until_s, REST_S if state.kind is Kind.FINAL or state.name == "suspended" else TURN_S)


def is_told(position: Position) -> bool:
    """What passes at once is no news where something runs; and what stays is told the more seldom."""
    return position.state == "mapping" or (position.waits > 1 and position.waits.bit_count() == 1)


def handlers(deeds: Deeds, wall: Callable[[], Wall]) -> Handlers:
    """The document's methods, in threads."""

    def threaded(deed: Deed) -> Handler:
        async def call(context: Context) -> EventName | None:
            try:
                said = await asyncio.to_thread(deed, context)
            except (NotYet, *OUTSIDE) as why:
                raise outside.answered(why, context, wall()) from why
            return None if said is None else EventName(said)

        return call

    return {name: threaded(deed) for name, deed in deeds.handlers.items()}


__all__ = ["Denied", "Life"]
