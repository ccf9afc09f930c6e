"""A world made of values: pods, a plan, registrations and a control log, with a point before and after everything that happens in it.

Why: whoever is killed at a point leaves behind exactly what was done before it.
Called by: tests of lifecycle.
"""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from levee.lifecycle.failures import Terms
from levee.lifecycle.failures import wake_at as wake
from levee.lifecycle.handlers import Context, Handlers, Hopeless, Loaded, NotYet, Overtaken
from levee.lifecycle.machine import Budget, Machine
from levee.lifecycle.names import EventName, Instant, MethodName, OnFailure, Version
from levee.lifecycle.position import Record
from levee.lifecycle.runner import Runner
from levee.worlds.simulated.living.dying import Killed, pause
from levee.worlds.simulated.living.dying import at_once as run

TASKS = ("market", "vwap", "index")


@dataclass
class World:
    now: int = 1_000_000
    # what its user wants
    generation: int = 1
    broken: set[int] = field(default_factory=set)  # generations that no check passes
    infeasible: set[int] = field(default_factory=set)
    stuck: set[int] = field(default_factory=set)  # whose pods never become ready
    redrawn: set[int] = field(default_factory=set)  # with another graph than the generation before
    suspend: bool = False
    deleted: bool = False
    nonce: int = 0
    # what is stored
    loaded: Loaded | None = None
    writes: list[Record] = field(default_factory=list)
    pods: dict[str, bool] = field(default_factory=dict)  # name -> ready
    created: list[str] = field(default_factory=list)
    registrations: list[int] = field(default_factory=list)
    registered: int = 0
    plan: int | None = None
    good: int | None = None
    log: tuple[str, int, int] | None = None  # the newest record: what, generation, nonce
    anchors: list[tuple[str, int, int]] = field(default_factory=list)
    refused: int = 0
    data: bool = True
    reached: bool = False  # the last epoch, by all tasks
    exhausted: bool = False
    ended_elsewhere: bool = False
    # what is remembered by the operator that lives
    read: int = 0
    # misfortunes
    kill_at: frozenset[int] = frozenset()
    kill_where: str = ""  # once
    points: int = 0
    passed: list[str] = field(default_factory=list)
    silent: bool = False  # the store of streams
    api_silent: bool = False
    lost: bool = False
    fails: dict[str, Exception] = field(default_factory=dict)
    exporter_missing: bool = False
    stop_hangs: bool = False

    async def point(self, name: str) -> None:
        await pause()
        self.points += 1
        self.passed.append(name)
        if name == self.kill_where or self.points in self.kill_at:
            self.kill_where = ""
            raise Killed(name)

    # ---- records

    async def load(self) -> Loaded | None:
        await self.point("before load")
        if self.api_silent:
            raise ConnectionError("the API server is silent")
        return self.loaded

    async def store(self, record: Record, *, expected: Version | None) -> Version:
        await self.point("before store")
        if self.api_silent:
            raise ConnectionError("the API server is silent")
        if (self.loaded.version if self.loaded else None) != expected:
            raise Overtaken
        self.loaded = Loaded(record, Version(str(len(self.writes) + 1)))
        self.writes.append(record)
        await self.point("after store")
        return self.loaded.version

    # ---- what holds

    def wanted(self) -> set[str]:
        nonce = self.log[2] if self.log else self.nonce
        return {f"{task}.{self.plan}.{nonce}" for task in TASKS} if self.plan is not None else set()

    def holding(self) -> set[EventName]:
        known = max(self.read, self.refused, self.plan or 0)
        holds = {
            "admit": not self.suspend,
            "cancel": self.deleted,
            "edit": self.generation > known,
            "suspend": self.suspend,
            "resume": not self.suspend,
            "restart": self.log is not None and self.nonce != self.log[2],
            "all_ready": bool(self.wanted()) and set(self.pods) == self.wanted() and all(self.pods.values()),
            "lost": self.lost,
            "stopped": self.log is None or (self.log[0] in {"pause", "stop"} and self.reached),
            "ended": self.log is not None and self.log[0] == "stop" and self.reached,
            "exhausted": self.exhausted,
            "cleaned": not self.pods and not self.registrations and self.plan is None,
        }
        return {EventName(name) for name, is_so in holds.items() if is_so}

    def tick(self, ms: int = 1000) -> None:
        self.now += ms
        for name in self.pods:
            self.pods[name] = int(name.split(".")[1]) not in self.stuck
        if self.log and self.log[0] in {"pause", "stop"} and not self.stop_hangs:
            self.reached = self.reached or self.pods.keys() == self.wanted() or not self.pods
        elif self.ended_elsewhere and self.log:
            self.log, self.reached = ("stop", self.log[1], self.log[2]), True

    def left(self) -> dict[str, object]:
        """All that anybody can see of it, but for names that chance has given."""
        return {
            "state": self.loaded and (self.loaded.record.state, self.loaded.record.ending, self.loaded.record.attempts),
            "pods": sorted(self.pods),
            "created": sorted(self.created),
            "plan": self.plan,
            "good": self.good,
            "log": self.log,
            "anchors": self.anchors[-1:],
            "registrations": len(self.registrations),
            "refused": self.refused,
            "data": self.data,
        }

    # ---- methods

    def handlers(self) -> Handlers:
        return {name: self.handler(name) for name in METHODS}

    def handler(self, name: MethodName) -> Any:
        async def handle(context: Context) -> EventName | None:
            await self.point(f"before {name}")
            if name in self.fails:
                raise self.fails[name]
            if self.silent and name in {"map_streams", "open_log", "set_the_clock", "stop_at_epoch", "pause_at_epoch", "change_plan"}:
                raise NotYet("the store is silent")
            said = await METHODS[name](self, context)
            await self.point(f"after {name}")
            return EventName(said) if said else None

        return handle

    async def create(self, pod: str) -> None:
        assert pod not in self.pods, f"{pod} is created twice"
        self.pods[pod] = False
        self.created.append(pod)
        await self.point(f"created {pod}")

    async def remove(self, pod: str) -> None:
        del self.pods[pod]
        await self.point(f"removed {pod}")


async def read_spec(world: World, _: Context) -> str:
    world.read = world.generation
    if world.read in world.broken:
        world.refused = world.read
        return "refused"
    return "parsed"


async def reread_spec(world: World, context: Context) -> str | None:
    return None if await read_spec(world, context) == "parsed" else "refused"


async def map_streams(world: World, _: Context) -> str:
    if world.exporter_missing:
        raise NotYet("shop/orders is missing")
    world.registered += 1
    world.registrations.append(world.registered)
    await world.point("registered")
    assert len(world.registrations) == 1, "registered twice"
    return "mapped"


async def release_imports(world: World, _: Context) -> None:
    world.registrations.clear()


async def make_plan(world: World, _: Context) -> str:
    if world.read in world.infeasible:
        world.refused = world.read
        return "infeasible"
    return "planned"


async def replan(world: World, context: Context) -> str:
    said = await read_spec(world, context)
    said = said if said == "refused" else await make_plan(world, context)
    assert world.log is not None
    runs, graphs = world.log[0] == "open", [sum(one <= of for one in world.redrawn) for of in (world.read, world.log[1])]
    return "reshape" if said == "planned" and runs and graphs[0] != graphs[1] else said


async def write_plan(world: World, _: Context) -> str:
    world.plan = world.read
    return "written"


async def forget_plan(world: World, _: Context) -> None:
    world.plan = world.good = None


async def open_log(world: World, _: Context) -> None:
    assert world.plan is not None
    write(world, ("open", world.plan, world.nonce))


async def change_plan(world: World, context: Context) -> None:
    world.plan = world.read
    await world.point("plan written")
    await open_log(world, context)


async def revert_plan(world: World, context: Context) -> None:
    if world.good is None:
        world.good = world.plan
    if world.plan != world.good:
        world.refused = world.plan or 0
        await world.point("refused")
        world.plan = world.good
    await world.point("plan reverted")
    await open_log(world, context)


def write(world: World, record: tuple[str, int, int]) -> None:
    if world.log != record:
        world.log, world.reached = record, False


async def start_replicas(world: World, _: Context) -> None:
    for pod in sorted(world.wanted() - set(world.pods)):
        await world.create(pod)
    for pod in sorted(set(world.pods) - world.wanted()):
        await world.remove(pod)


async def remove_replicas(world: World, _: Context) -> None:
    for pod in sorted(world.pods):
        await world.remove(pod)


async def set_the_clock(world: World, _: Context) -> None:
    assert world.log is not None
    if world.log not in world.anchors[-1:]:
        world.anchors.append(world.log)
    world.good = world.plan


def stop(what: str) -> Callable[[World, Context], Coroutine[Any, Any, None]]:
    async def handle(world: World, _: Context) -> None:
        if world.log is not None:
            write(world, (what, world.log[1], world.log[2]))

    return handle


async def find_the_end(world: World, _: Context) -> str | None:
    return "ended" if "ended" in world.holding() else None


async def settle_data(world: World, _: Context) -> None:
    world.data = world.data and not world.deleted


METHODS: dict[MethodName, Any] = {
    MethodName(name): method
    for name, method in {
        "read_spec": read_spec,
        "reread_spec": reread_spec,
        "map_streams": map_streams,
        "release_imports": release_imports,
        "make_plan": make_plan,
        "write_plan": write_plan,
        "forget_plan": forget_plan,
        "open_log": open_log,
        "start_replicas": start_replicas,
        "remove_replicas": remove_replicas,
        "set_the_clock": set_the_clock,
        "replan": replan,
        "change_plan": change_plan,
        "revert_plan": revert_plan,
        "pause_at_epoch": stop("pause"),
        "stop_at_epoch": stop("stop"),
        "find_the_end": find_the_end,
        "settle_data": settle_data,
    }.items()
}

BUDGET = Budget(attempts=2, backoff_ms=1000, backoff_ms_max=60_000, jitter=0.0)


def runner(machine: Machine, world: World, on_failure: OnFailure = OnFailure.RESTART, kind: type[Runner] = Runner) -> Runner:
    """A new operator, who remembers nothing."""
    world.read = 0
    handlers = {name: handler for name, handler in world.handlers().items() if name in machine.methods}
    return kind(machine, world, handlers, lambda: Instant(world.now), lambda: 0.0, Terms(BUDGET, on_failure))


@dataclass
class Operator:
    """Whoever manages the topology; another one comes when he dies."""

    machine: Machine
    world: World
    on_failure: OnFailure = OnFailure.RESTART
    kind: type[Runner] = Runner
    at_work: Runner | None = None
    deaths: list[str] = field(default_factory=list)
    turns: int = 0

    def turn(self) -> bool:
        """Whether something happened."""
        if self.at_work is None:
            self.at_work = runner(self.machine, self.world, self.on_failure, self.kind)
        self.turns += 1
        assert self.turns < 5000, "it never settles"
        try:
            turn = run(self.at_work.turn(self.world.holding()))
        except Killed as death:
            stored = self.world.loaded.record.state if self.world.loaded else "nothing"
            self.deaths.append(f"{stored}: {death}")
            self.at_work = None
            return True
        except ConnectionError:
            return False
        return bool(turn.taken)

    def settle(self) -> None:
        """Until nothing happens any more, however long that takes."""
        idle = 0
        while idle < 4:
            idle = 0 if self.turn() else idle + 1
            position = self.at_work.position if self.at_work else None
            wake_at = wake(self.machine, position) if position else None
            if idle == 3 and wake_at is not None:
                self.world.tick(max(wake_at - self.world.now, 1000))
                idle = 0
            self.world.tick()

    @property
    def state(self) -> str:
        assert self.world.loaded is not None
        return self.world.loaded.record.state


__all__ = ["Hopeless", "Killed", "NotYet", "Operator", "World", "run", "runner"]
