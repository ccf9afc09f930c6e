"""A whole life in the simulated world: the lifecycle's runner, its methods by the controller's own rules, and users who change their minds,
while workers, nodes and whoever looks after them die.

Why: the lifecycle is swept on a world of values, and the rules in a world without a lifecycle; what happens between them, such as a stop
while a node is away, only shows where both are.
Called by: the test of many lives.
"""

import sys
from collections import Counter
from collections.abc import Callable, Collection, Coroutine
from dataclasses import dataclass, field, replace
from itertools import pairwise
from random import Random
from typing import Any

from levee.control import outages, rules
from levee.control.actions import Action, Decision, WriteRecord
from levee.control.decide import decide
from levee.control.names import Instant
from levee.control.seen import Observation, Phase
from levee.control.standing import unready
from levee.control.wanted import Wanted
from levee.lifecycle.documents import machine
from levee.lifecycle.failures import Terms
from levee.lifecycle.handlers import Context, Handlers, Loaded, Overtaken
from levee.lifecycle.names import EventName, MethodName, Version
from levee.lifecycle.names import Instant as Wall
from levee.lifecycle.position import Record
from levee.lifecycle.runner import Runner
from levee.planning.completeness import baselines
from levee.worlds.simulated.casting import wanted_of
from levee.worlds.simulated.flow import Flow
from levee.worlds.simulated.living.dying import Killed, at_once, pause
from levee.worlds.simulated.world import Memory, SimulatedWorld
from levee_spark.log import control
from tests.worlds.simulated.legal import check_passages, must
from tests.worlds.simulated.measured import Drift, drawn
from tests.worlds.simulated.scenario import Scenario, draw

Say = Callable[[str], None]
JOB = machine("job")
ACTS = {"all", "start"}
DEAD = {"suspended", "failed", "canceled"}  # states in which nothing runs
GONE_MS = 120_000


@dataclass
class Wishes:
    """What its user wants."""

    generation: int = 1
    suspend: bool = False
    deleted: bool = False


@dataclass(frozen=True)
class Written:
    """A plan, as it is in the store: put there once, and named by its number."""

    generation: int
    wanted: Wanted
    adapted: bool = False  # for what is measured


@dataclass
class Life:
    scenario: Scenario
    plans: tuple[Wanted, Wanted]  # of even and odd generations
    random: Random
    world: SimulatedWorld
    say: Say
    wishes: Wishes = field(default_factory=Wishes)
    loaded: Loaded | None = None  # the record that is stored
    stored: int = 0
    runner: Runner | None = None
    drift: Drift | None = None  # what becomes of costs, and when
    shelf: list[Written] = field(default_factory=list)
    written: int = 0  # the number of the plan that was written down last, or taken up again
    draft: Written | None = None  # for what is measured; this process has it
    watched_ms: int = 0  # since when this process looks
    agreed: int = 0  # records that were looked at
    read: int = 0  # the generation that this process has read last
    lives_since: int | None = None  # what should be gone
    kills: float = 0.0  # the probability of a death at each point
    seen: Counter[str] = field(default_factory=Counter)

    # ---- records, with a point before and after

    async def point(self) -> None:
        await pause()
        if self.random.random() < self.kills:
            raise Killed

    async def load(self) -> Loaded | None:
        await self.point()
        return self.loaded

    async def store(self, record: Record, *, expected: Version | None) -> Version:
        await self.point()
        if (self.loaded.version if self.loaded else None) != expected:
            raise Overtaken
        check_passages(self.loaded.record if self.loaded else None, record)
        self.stored += 1
        self.loaded = Loaded(record, Version(str(self.stored)))
        await self.point()
        return self.loaded.version

    # ---- a turn, as serve takes it

    @property
    def state(self) -> str:
        return self.loaded.record.state if self.loaded is not None else "nothing"

    @property
    def in_force(self) -> int:
        """The generation that the newest record follows from."""
        plan = self.plan_of(self.world.record.plan) if self.world.record is not None else None
        return plan.generation if plan is not None else 0

    def plan_of(self, number: int) -> Written | None:
        return self.shelf[number - 1] if number else None

    def put(self, plan: Written) -> None:
        """The same plan is not written twice in a row."""
        if not self.shelf or self.shelf[-1] != plan:
            self.shelf.append(plan)
        self.written = len(self.shelf)

    def as_declared(self) -> Written:
        return Written(self.read, self.plans[self.read % 2])

    @property
    def number(self) -> int:
        """Of the plan in force, or before any is, of the one that is written."""
        return self.world.record.plan if self.world.record is not None else self.written

    def turn(self) -> None:
        world = self.world
        try:
            self.led()
        except Killed:
            self.seen["killed"] += 1
            self.say(f"{world.now / 1_000:7.1f} dies, in {self.state}")
            self.seen["interrupted"] += self.state == "updating" and bool(self.shelf) and self.shelf[-1].adapted
            self.runner, self.read, world.memory = None, 0, Memory()
            self.draft, self.watched_ms = None, world.now
        world.let_pass(Instant(world.now + world.pace.turn_ms))
        self.check()

    def led(self) -> None:
        world = self.world
        plan = self.plan_of(self.number)
        world.wanted = plan.wanted if plan is not None else world.wanted
        self.runner = self.runner or Runner(JOB, self, self.handlers(), lambda: Wall(world.now), lambda: 0.0, Terms(JOB.budget))
        seen = world.observe(world.now)
        turn = at_once(self.runner.turn(self.holding(seen)))
        for taken in turn.taken:
            self.seen[f"{taken.origin} {taken.when}"] += 1
            self.say(f"{world.now / 1_000:7.1f} {taken.origin}, {taken.when} -> {turn.position.state if turn.position else '?'}")
        if turn.position is not None and JOB.states[turn.position.state].annotations.get("decide") in ACTS and self.in_force:
            seen = world.observe(world.now)
            at_once(self.carry_out(decide(world.wanted, seen, world.now)))
            self.draft = self.offer() if turn.position.state == "running" and not turn.taken else self.draft

    def offer(self) -> Written | None:
        """What pays for what was measured for a dwell by now; and not beside what is in force already."""
        plan, drift, world = self.plan_of(self.number), self.drift, self.world
        if plan is None or drift is None or world.now - max(self.watched_ms, drift.at_ms) < drift.dwell_ms or world.configuration is None:
            return None
        pays = drift.pays(plan.wanted, world.configuration)
        return Written(plan.generation, drift.wanted, adapted=True) if pays else None

    async def carry_out(self, decision: Decision | None) -> None:
        await self.carry_out_as(decision, self.number)

    async def carry_out_as(self, decision: Decision | None, plan: int) -> None:
        for action in decision.actions if decision is not None else ():
            await self.point()
            self.world.perform(of_plan(action, plan), self.world.now)
        if decision is not None and decision.actions:
            self.say(f"{self.world.now / 1_000:7.1f}         {decision.reason}: {decision.text}")

    def holding(self, seen: Observation) -> Collection[EventName]:
        wishes, wanted, now = self.wishes, self.world.wanted, self.world.now
        ready = seen.anchored or rules.set_the_clock(wanted, replace(seen, anchored=False), now) is not None
        stopped = seen.record is None or rules.finish_when_stopped(wanted, seen, now) is not None or self.never_begun(seen)
        holds = {
            "admit": not wishes.suspend,
            "resume": not wishes.suspend,
            "suspend": wishes.suspend,
            "cancel": wishes.deleted,
            "adapt": self.draft is not None,
            "edit": wishes.generation not in {self.in_force, self.read},
            "all_ready": ready and seen.record is not None,
            "lost": bool(outages.lasting(seen.outages, now, wanted.patience.failure_ms)),
            "stopped": stopped,
            "cleaned": not self.living(),
        }
        return {EventName(name) for name, is_so in holds.items() if is_so}

    def never_begun(self, seen: Observation) -> bool:
        sources = {one for task in self.world.wanted.sources for one in self.world.wanted.replicas[task]}
        return seen.record is not None and seen.record.shape.stopped and sources.isdisjoint(seen.ranks())

    def living(self) -> int:
        return sum(process.phase is not Phase.ENDED for process in self.world.ground.processes.values())

    # ---- what must hold at every step

    def check(self) -> None:
        """What is at rest is gone, but for the moment until that is done; and what runs has not been told to stop."""
        self.check_switches()
        position = self.runner.position if self.runner is not None else None
        if position is not None and position.state == "running" and position.failing is None:
            must(not self.world.stopped, "it runs, and the log says that it has stopped")
        if self.state not in DEAD or not self.living():
            self.lives_since = None
            return
        self.lives_since = self.world.now if self.lives_since is None else self.lives_since
        must(self.world.now - self.lives_since < GONE_MS, f"{self.living()} workers live on, and it is {self.state}")

    def check_switches(self) -> None:
        """To what is measured of one generation it goes once, and nobody but its user goes back."""
        records = self.world.records
        for before, after in pairwise(records[max(0, self.agreed - 1) :]):
            old, new = self.plan_of(before.plan), self.plan_of(after.plan)
            assert old is not None and new is not None, "each names a plan"
            same = old.generation == new.generation
            must(not (same and old.adapted and not new.adapted), f"record {after.number} throws away what was adapted to")
            must(not (same and old.adapted and before.plan != after.plan), f"record {after.number} adapts once more")
            self.seen["adapted"] += same and new.adapted and not old.adapted
        self.agreed = len(records)

    def has_adapted(self) -> bool:
        """Or has no reason to."""
        plan, name = self.plan_of(self.number), self.world.configuration
        return self.drift is None or plan is None or name is None or not self.drift.pays(plan.wanted, name)

    # ---- methods, by the controller's own rules

    def handlers(self) -> Handlers:
        return {name: self.handler(name) for name in JOB.methods}

    def handler(self, name: MethodName) -> Any:
        async def handle(_: Context) -> EventName | None:
            await self.point()
            said = await METHODS[name](self)
            await self.point()
            return None if said is None else EventName(said)

        return handle


def of_plan(action: Action, plan: int) -> Action:
    return replace(action, record=replace(action.record, plan=plan)) if isinstance(action, WriteRecord) else action


async def nothing(_: Life) -> None:
    """Imports, data and files are no part of this world."""


def saying(what: str) -> Callable[[Life], Coroutine[Any, Any, str]]:
    async def say(life: Life) -> str:
        if what in {"parsed", "planned"}:
            life.read = life.wishes.generation
        return what

    return say


async def reread(life: Life) -> None:
    life.read = life.wishes.generation


async def replan(life: Life) -> str:
    """A plan for what is measured of this very resource is kept, and finished by whoever comes after one who died."""
    life.read = life.wishes.generation
    in_force = life.plan_of(life.number)
    if in_force is not None and keeps(in_force, life.read):
        life.draft = life.draft or in_force
    return "planned"


def keeps(plan: Written, generation: int) -> bool:
    return plan.adapted and plan.generation == generation


async def write_plan(life: Life) -> str:
    life.put(life.as_declared())
    return "written"


async def open_log(life: Life) -> None:
    """Who was killed after the record finds it there."""
    world, plan = life.world, life.written
    written = life.plan_of(plan)
    assert written is not None, "it was written before"
    world.wanted = written.wanted
    if world.record is None or world.record.shape.stopped or world.record.plan != plan:
        seen = replace(world.observe(world.now), opened=False)
        await life.carry_out_as(rules.open_the_log(world.wanted, seen, world.now), plan)


async def change_plan(life: Life) -> None:
    draft, life.draft = life.draft, None
    life.put(draft if draft is not None and draft.generation == life.read else life.as_declared())
    await life.point()
    await open_log(life)


async def revert_plan(life: Life) -> None:
    life.written, life.draft = life.number, None
    await open_log(life)


async def start_replicas(life: Life) -> None:
    await life.carry_out(rules.start_what_is_planned(life.world.wanted, life.world.observe(life.world.now), life.world.now))


async def remove_replicas(life: Life) -> None:
    life.world.ground.clear(life.world.now)
    life.world.change()


async def set_the_clock(life: Life) -> None:
    seen = life.world.observe(life.world.now)
    if not seen.anchored:
        await life.carry_out(rules.set_the_clock(life.world.wanted, seen, life.world.now))


async def order_stop(life: Life) -> None:
    record = life.world.record
    if record is not None and not record.shape.stopped:
        life.world.write(control.successor(record, "", shape=replace(record.shape, stopped=True)))
        life.seen["stop ordered"] += 1


METHODS: dict[str, Any] = {
    **dict.fromkeys(("release_imports", "forget_plan", "find_the_end", "settle_data"), nothing),
    "read_spec": saying("parsed"),
    "map_streams": saying("mapped"),
    "make_plan": saying("planned"),
    "replan": replan,
    "reread_spec": reread,
    "write_plan": write_plan,
    "open_log": open_log,
    "change_plan": change_plan,
    "revert_plan": revert_plan,
    "start_replicas": start_replicas,
    "remove_replicas": remove_replicas,
    "set_the_clock": set_the_clock,
    "pause_at_epoch": order_stop,
    "stop_at_epoch": order_stop,
}


# ---- all of a life

DEEDS_S, SETTLED_IN_S = 40, 3_600


def suspend(life: Life) -> None:
    life.wishes.suspend = True


def resume(life: Life) -> None:
    life.wishes.suspend = False


def edit(life: Life) -> None:
    life.wishes.generation += 1


def delete(life: Life) -> None:
    life.wishes.deleted = True


def life_of(seed: int, say: Say = lambda _: None) -> Life:
    scenario, random = draw(seed), Random(f"life {seed}")
    other = wanted_of(scenario.problem, random.choice((baselines.static, baselines.none))(scenario.problem))
    world = SimulatedWorld(Flow(scenario.problem), scenario.wanted, Random(f"world {seed}"), scenario.pace)
    drift = drawn(Random(f"drift {seed}"), scenario)
    return Life(scenario, (scenario.wanted, other), random, world, say, drift=drift, kills=random.choice((0.0, 0.0, 0.02, 0.1)))


def live(seed: int, say: Say = lambda _: None) -> Life:
    """Deeds one after the other, while things fail; then everything is well, and the last word of its user must come true."""
    life = life_of(seed, say)
    life.world.flow_at(dict(life.scenario.stretches[0].rows_per_s))
    for fault in life.scenario.faults:
        life.world.schedule(fault, life.world.now)
    for _ in range(life.random.randint(1, 5)):
        go_on(life, life.random.uniform(0, DEEDS_S))
        deed = life.random.choice((suspend, suspend, resume, resume, edit, delete))
        say(f"{life.world.now / 1_000:7.1f} its user: {deed.__name__}")
        deed(life)
        life.seen[deed.__name__] += 1
    go_on(life, max(0.0, 60 - life.world.now / 1_000))
    life.kills = 0.0
    began = life.world.now
    while not is_as_wished(life):
        life.turn()
        must(life.world.now - began < 1_000 * SETTLED_IN_S, f"it is {life.state}, and its user wants {life.wishes}")
    return life


def go_on(life: Life, seconds: float) -> None:
    until = life.world.now + 1_000 * seconds
    while life.world.now < until:
        life.turn()


def is_as_wished(life: Life) -> bool:
    if life.wishes.deleted:
        return life.state == "canceled" and not life.living()
    if life.wishes.suspend:
        return life.state in {"suspended", "submitted"} and not life.living()
    seen = life.world.observe(life.world.now)
    right = life.state == "running" and life.in_force == life.wishes.generation and life.has_adapted()
    return right and not unready(life.world.wanted, seen, life.world.now) and seen.anchored


if __name__ == "__main__":
    live(int(sys.argv[1]), print)
