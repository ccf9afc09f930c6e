"""One topology's life in virtual time, turn by turn, as the operator takes it.

Called by: `levee.fit`, tests of many lives.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from levee.control.actions import Action, Decision, EndWorker, Finish, Reason, StartWorker, WriteRecord
from levee.control.decide import decide
from levee.control.names import Instant
from levee.control.seen import Observation, Phase
from levee.control.wanted import Wanted
from levee.lifecycle.failures import Terms
from levee.lifecycle.handlers import Context, Handlers, Loaded, Overtaken
from levee.lifecycle.machine import Machine, Transition
from levee.lifecycle.names import EventName, MethodName, Version
from levee.lifecycle.names import Instant as Wall
from levee.lifecycle.position import Position, Record
from levee.lifecycle.runner import Runner
from levee.worlds.simulated import world as worlds
from levee.worlds.simulated.living.deeds import METHODS
from levee.worlds.simulated.living.dying import Killed, Unanswered, at_once, pause
from levee.worlds.simulated.living.estate import Estate, Memory, Silences, Wishes
from levee.worlds.simulated.living.holding import holding
from levee.worlds.simulated.living.upholding import Upholding

ACTS = {"all", "start"}
Say = Callable[[str], object]


@dataclass(slots=True)
class Life:
    machine: Machine
    plans: tuple[Wanted, Wanted]  # of even and odd generations
    world: worlds.SimulatedWorld
    terms: Terms
    around: Callable[[Handlers], Handlers] = lambda inner: inner  # who stands between the lifecycle and its methods
    fate: Callable[[], None] = lambda: None  # may end whoever looks after it, at each point
    acted: Callable[[MethodName, int, int], None] = lambda _name, _done, _all: None  # a part of a method is done
    say: Say = lambda _: None
    wishes: Wishes = field(default_factory=Wishes)
    estate: Estate = field(default_factory=Estate)
    memory: Memory = field(default_factory=Memory)
    silences: Silences = field(default_factory=Silences)
    loaded: Loaded | None = None  # the record that is stored
    stored: int = 0
    runner: Runner | None = None
    taken: list[Transition] = field(default_factory=list)  # by who looks after it now
    decision: Decision | None = None
    upholding: Upholding = field(init=False)

    def __post_init__(self) -> None:
        self.upholding = Upholding(self.machine)

    # ---- records, with a point before and after

    async def point(self) -> None:
        await pause()
        self.fate()

    async def load(self) -> Loaded | None:
        await self.point()
        self.need_api()
        return self.loaded

    async def store(self, record: Record, *, expected: Version | None) -> Version:
        await self.point()
        self.need_api()
        if (self.loaded.version if self.loaded else None) != expected:
            raise Overtaken
        self.upholding.check_passages(self.loaded.record if self.loaded else None, record)
        self.stored += 1
        self.loaded = Loaded(record, Version(str(self.stored)))
        await self.point()
        return self.loaded.version

    def need_api(self) -> None:
        if self.world.now < self.silences.api_ms:
            raise Unanswered("the API server does not answer")

    def need_store(self) -> None:
        if self.is_silent:
            raise Unanswered("the store does not answer")

    @property
    def is_silent(self) -> bool:
        return self.world.now < self.silences.store_ms

    # ---- a turn, as serve takes it

    @property
    def state(self) -> str:
        return self.loaded.record.state if self.loaded is not None else "nothing"

    @property
    def position(self) -> Position | None:
        return self.runner.position if self.runner is not None else None

    @property
    def in_force(self) -> int:
        """The generation that the newest record follows from."""
        return self.world.record.plan if self.world.record is not None else 0

    def turn(self) -> None:
        world = self.world
        try:
            if world.now >= self.silences.operator_ms:
                at_once(self.led())
        except Killed:
            self.die()
        except Unanswered as why:
            self.say(f"{world.now / 1_000:7.1f} {why}")
        world.let_pass(Instant(world.now + world.pace.turn_ms))
        self.upholding.check(self)

    def die(self) -> None:
        self.say(f"{self.world.now / 1_000:7.1f} dies, in {self.state}")
        self.runner, self.decision, self.world.memory = None, None, worlds.Memory()
        self.taken.clear()

    async def led(self) -> None:
        world = self.world
        if self.runner is None:
            self.runner = Runner(self.machine, self, self.handlers(), lambda: Wall(world.now), lambda: 0.0, self.terms)
            self.memory = Memory(*self.estate.told)
        await self.point()
        world.wanted = self.plans[(self.in_force or self.estate.written) % 2]
        turn = await self.runner.turn(holding(self, self.observe()), excused=self.is_silent)
        self.taken += turn.taken
        for one in turn.taken:
            self.say(f"{world.now / 1_000:7.1f} {one.origin}, {one.when} -> {turn.position.state if turn.position else '?'}")
        if turn.position is not None:
            await self.control(turn.position)
            self.tell()

    async def control(self, position: Position) -> None:
        """What nobody answers to is decided again in the next turn."""
        self.decision = None
        if self.machine.states[position.state].annotations.get("decide") in ACTS and self.in_force:
            self.decision = decide(self.world.wanted, self.observe(), self.world.now)
            try:
                await self.carry_out(self.decision)
            except Unanswered as why:
                self.say(f"{self.world.now / 1_000:7.1f} {why}")

    def tell(self) -> None:
        if self.world.now >= self.silences.api_ms:
            self.estate.told = (self.memory.read, self.memory.nonce)

    def observe(self) -> Observation:
        seen = self.world.observe(self.world.now)
        completed = self.is_completed
        return replace(seen, silent=self.is_silent, completed=completed) if completed or self.is_silent else seen

    @property
    def is_completed(self) -> bool:
        """By the record that ordered the stop, however many came after it."""
        record = self.world.record
        if record is None or not record.shape.stopped:
            return False
        return self.world.records[record.shape_number - 1].reason.startswith(Reason.COMPLETED)

    def living(self) -> int:
        return sum(process.phase is not Phase.ENDED for process in self.world.ground.processes.values())

    # ---- methods and acts

    def handlers(self) -> Handlers:
        return self.around({MethodName(name): self.handler(MethodName(name)) for name in METHODS})

    def handler(self, name: MethodName) -> Any:
        async def handle(context: Context) -> EventName | None:
            await self.point()
            said = await METHODS[name](self, context)
            await self.point()
            return None if said is None else EventName(said)

        return handle

    async def carry_out(self, decision: Decision | None, method: str = "", plan: int | None = None) -> None:
        actions = [one for one in decision.actions if not isinstance(one, Finish)] if decision is not None else []
        for number, action in enumerate(actions, start=1):
            await self.point()
            self.perform(of_plan(action, plan or self.in_force or self.estate.written))
            self.acted(MethodName(method), number, len(actions))
        if decision is not None and actions:
            self.say(f"{self.world.now / 1_000:7.1f}         {decision.reason}: {decision.text}")

    def perform(self, action: Action) -> None:
        """Workers are the API server's, all else is the store's."""
        if isinstance(action, StartWorker | EndWorker):
            self.need_api()
        else:
            self.need_store()
        if isinstance(action, StartWorker):
            self.upholding.check_start(self, action)
            self.bear(action)
        self.world.perform(action, self.world.now)

    def bear(self, order: StartWorker) -> None:
        """Who is there already bears what he was started with."""
        there = self.world.ground.processes.get(order.worker)
        if there is None or there.order.attempt < order.attempt:
            self.estate.born[order.worker] = self.memory.nonce


def of_plan(action: Action, plan: int) -> Action:
    return replace(action, record=replace(action.record, plan=plan)) if isinstance(action, WriteRecord) else action
