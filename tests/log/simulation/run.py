"""One run of one seed: who takes part, what is decided, and what must have been reached in the end.

Called by: the tests, the mutation check, `python -m tests.log.replay`.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import anchor, clock, control, head
from levee_spark.log.control import ControlView
from levee_spark.log.imports import Lost, Reader
from levee_spark.log.ingest import Ingestor
from levee_spark.log.inputs import Stuck
from levee_spark.log.keys import Layout
from levee_spark.log.registration import Importer, Registrar
from levee_spark.log.replica import Replica
from levee_spark.log.requests import Answer, Report, Request, Script, Wait
from levee_spark.log.seal import Sealer
from levee_spark.log.sink import Sink
from levee_spark.log.trim import Trimmer
from levee_spark.log.values import Anchor, ControlRecord, Live, Shape
from levee_spark.log.wiring import TaskWiring
from tests.log.simulation.oracle import Oracle, Violation
from tests.log.simulation.plant import Lane
from tests.log.simulation.scenario import Scenario, draw
from tests.log.simulation.store import MemoryStore
from tests.log.simulation.world import Process, World

PROGRESS = 8  # epochs that every task must commit once all is quiet
PATIENCE = 24  # times that one waits for it: whoever was paused or fell far behind must catch up first
MENDED = "mended"  # the function that ends all troubles with functions
LEASE_MS, IMPORTED_ROWS = 400, 6
LAST_WORD_MS = 200  # after the faults: the last record says that all who live are active


@dataclass(frozen=True, slots=True)
class Outcome:
    seed: int
    epochs: int
    requests: int
    reports: dict[str, int]
    kinds: dict[str, int]
    wasted: int  # puts of an epoch that was there already


def run(
    seed: int,
    log: Callable[[str], None] | None = None,
    shape: Callable[[Scenario], Scenario] = lambda s: s,
    left_over: MemoryStore | None = None,
) -> Outcome:
    """`left_over`: what an earlier run has written; this one writes to the same."""
    scenario = shape(draw(seed))
    oracle = Oracle(scenario, scenario.wiring)
    store = MemoryStore(oracle, scenario.resolution_ms, scenario.store_lies)
    if left_over is not None:
        store.objects, store.folders = left_over.objects, left_over.folders
    world = World(scenario, oracle, store, Random(f"world {seed}"), Random(f"bits {seed}"), log=log)
    everybody = list(cast(world))
    for process in everybody:
        world.at(world.random.randint(0, 20), lambda process=process: world.start(process))  # type: ignore[misc]
    world.run(scenario.faults.until_ms)
    vanish(world, everybody)
    world.run(scenario.faults.until_ms + LAST_WORD_MS)
    world.at(world.now_ms, lambda: world.start(controller("last", last_word(world, everybody))))
    world.run(world.now_ms + scenario.quiet_ms)
    reached = {task: stream.head for task, stream in oracle.streams.items()}
    for patience in range(PATIENCE):
        world.run(world.now_ms + scenario.quiet_ms)
        if not (still := standing_still(oracle, reached)):
            break
        oracle.must(patience < PATIENCE - 1, still)
    if scenario.stops_in_the_end:
        stop(world)
    oracle.at_the_end()
    kinds: dict[str, int] = {}
    for stream in oracle.streams.values():
        for one in stream.history.values():
            name = "rebased" if one.manifest.rebased else one.manifest.kind.value
            kinds[name] = kinds.get(name, 0) + 1
        kinds["revived"] = kinds.get("revived", 0) + stream.revived
    return Outcome(seed, sum(stream.head for stream in oracle.streams.values()), world.requests, world.reports, kinds, world.wasted)


def stop(world: World) -> None:
    """Everybody ends at the same epoch, and nobody before it."""
    world.at(world.now_ms, lambda: world.start(controller("stop", decide(world, lambda shape: replace(shape, stopped=True), None))))
    for patience in range(PATIENCE):
        world.run(world.now_ms + world.scenario.quiet_ms)
        heads = {task: stream.head for task, stream in world.oracle.streams.items() if not world.oracle.wiring.tasks[task].sink}
        last = world.oracle.change_epoch(max(world.oracle.control))
        if last is not None and set(heads.values()) == {last}:
            return
        world.oracle.must(patience < PATIENCE - 1, f"after a stop at {last} the streams end at {heads}")


def standing_still(oracle: Oracle, reached: dict[TaskId, int]) -> str:
    """What has not come on since all is quiet; empty if everything has."""
    for task, one in oracle.wiring.tasks.items():
        if one.sink and max(oracle.delivered.get(task, {0: ()})) < min(reached[source] for source in one.inputs):
            return f"{task} stands still at {max(oracle.delivered.get(task, {0: ()}))}"
        if not one.sink and oracle.streams[task].head < reached[task] + PROGRESS:
            return f"{task} stands still at {oracle.streams[task].head}"
    for task, epoch in oracle.imported.items():
        if epoch < reached[task]:
            return f"{task} is imported no further than to {epoch}"
    return ""


def vanish(world: World, everybody: list[Process]) -> None:
    """Where more than one replica lives, the one that has won last is gone for good: its line may be irreproducible."""
    if not world.scenario.faults.winners_vanish:
        return
    for task, stream in world.oracle.streams.items():
        mine = [
            process
            for process in everybody
            if (process.task == task and process.lane is not None) or (process.task == task and process.name.startswith("in "))
        ]
        last = stream.history.get(stream.head)
        for process in mine:
            if len(mine) > 1 and last is not None and last.manifest.writer.startswith(f"{process.name}#"):
                process.gone = True
                world.crash(process)


# ---- who takes part


def cast(world: World) -> Generator[Process, None, None]:
    scenario, wiring = world.scenario, world.scenario.wiring

    def process(name: str, task: TaskId, spawn: Callable[[Process], Any]) -> Process:
        drift = world.random.randint(-scenario.drift_ppm, scenario.drift_ppm)
        return Process(name, spawn, task, world.random.randint(0, 10**6), drift)

    for task, one in wiring.tasks.items():
        if one.sink:
            yield process(f"sink {task}", task, lambda p, one=one: Sink(wiring, one, f"{p.name}#{p.life}").run())  # type: ignore[misc]
        for name in replica_names(scenario, task):
            if one.is_source:
                yield process(name, task, lambda p, one=one: Ingestor(wiring, one, p.name, f"{p.name}#{p.life}").run())  # type: ignore[misc]
            elif not one.sink:
                yield process(name, task, lambda p, one=one: replica(world, p, one))  # type: ignore[misc]
        yield process(f"trim {task}", task, lambda p, one=one: Trimmer(wiring, one, f"{p.name}#{p.life}").run())  # type: ignore[misc]
        if one.skips_late:
            yield process(f"seal {task}", task, lambda p, one=one: Sealer(wiring, one, f"{p.name}#{p.life}").run())  # type: ignore[misc]
    for task in scenario.imports:
        yield process(f"import {task}", TaskId(f"import {task}"), lambda p, task=task: importer(world, p, task))  # type: ignore[misc]
    yield controller("control", decisions(world))


def importer(world: World, process: Process, stream: TaskId) -> Script[None]:
    """Another topology, as far as this one has to do with it: what it imports is committed at once. At times it sleeps."""
    wiring, oracle = world.scenario.wiring, world.oracle
    mine, holder = Importer(Layout("other", "uid-9"), "other", process.task), f"{process.name}#{process.life}"
    operator = wiring.tasks[stream].operator
    registrar = Registrar(wiring.layout, operator, mine, holder, LEASE_MS, wiring.times.resolution_ms)
    reader = Reader(registrar, (stream,), wiring)

    def claim() -> tuple[int, int]:
        return registrar.epoch, world.now_ms + registrar.until_ms - process.reading(world.now_ms)

    oracle.claims.setdefault(stream, {})[holder] = claim
    if stream not in oracle.imported:
        oracle.imported[stream] = yield from reader.begin(at_the_end=False)
    while True:
        try:
            taken = yield from reader.take(oracle.imported[stream], IMPORTED_ROWS)
            oracle.was_imported(stream, taken.epochs)
        except Stuck:
            yield Report("begins again")
        except Lost as lost:
            yield Report("imports lost")
            oracle.was_lost(stream, lost.first, lost.oldest, holder)
        yield Wait(world.bits.choice((5, 20, 60, 60, 60, LEASE_MS)) if world.troubled() else 20)


def replica_names(scenario: Scenario, task: TaskId) -> list[str]:
    if scenario.wiring.tasks[task].sink:
        return []
    kind = "in" if scenario.wiring.tasks[task].is_source else "replica"
    return [f"{kind} {task} {index}" for index in range(scenario.replicas[task])]


def replica(world: World, process: Process, task: TaskWiring) -> Script[Any]:
    behaviour = world.scenario.behaviours[task.task]
    faults = world.scenario.faults
    process.lane = Lane(task.task, behaviour, process.function, world.random, lambda: faults.nondeterminism if world.troubled() else 0.0)
    return Replica(world.scenario.wiring, task, process.name, f"{process.name}#{process.life}", process.function).run()


# ---- what is decided


def controller(name: str, script: Generator[Request, Answer, Any]) -> Process:
    return Process(name, lambda _: script, TaskId(name), 0, 0, immortal=True)


def ranks(world: World, leave_out: float) -> Live:
    """Some may be idle, but never all of a task."""
    named: list[tuple[str, int]] = []
    for task in world.scenario.wiring.tasks:
        names = replica_names(world.scenario, task)
        world.random.shuffle(names)
        active = [name for index, name in enumerate(names) if index == 0 or world.random.random() >= leave_out]
        named += [(name, rank) for rank, name in enumerate(active)]
    return Live(tuple(named))


def functions(world: World, version: str) -> tuple[tuple[OperatorName, str], ...]:
    operators = {task.operator for task in world.scenario.wiring.tasks.values() if not task.is_source and not task.sink}
    return tuple((operator, version) for operator in sorted(operators))


def decisions(world: World) -> Script[None]:
    layout = world.scenario.wiring.layout
    yield from control.write(layout, control.first(Shape(functions(world, "v1")), ranks(world, 0.0), "control"))
    yield from write_anchor(world, 1)
    for index, kind in enumerate(world.scenario.faults.decisions):
        yield Wait(world.random.randint(50, 500))
        if not world.troubled():
            return  # who has gone for good must not be made active
        match kind:  # a word of Faults.decisions
            case "anchor":
                yield from write_anchor(world, None)
            case "stop":
                yield from decide(world, lambda shape: replace(shape, stopped=True), None)
                yield Wait(world.random.randint(20, 400))
                yield from decide(world, lambda shape: replace(shape, stopped=False), None)
            case "function":
                operator = world.random.choice(functions(world, ""))[0]
                version = f"v{index + 2}"
                yield from decide(world, lambda shape, o=operator, v=version: changed(shape, o, v), None)  # type: ignore[misc]
            case _:
                yield from decide(world, lambda shape: shape, ranks(world, 0.4 if kind == "activation" else 0.0))


def changed(shape: Shape, operator: OperatorName, version: str) -> Shape:
    return replace(shape, functions=tuple((name, version if name == operator else old) for name, old in shape.functions))


def discards(world: World, before: ControlRecord) -> tuple[OperatorName, ...]:
    """Every other edit, where states are discarded at all."""
    return tuple(name for name, _ in before.shape.functions) if world.scenario.discards and before.number % 2 else ()


def decide(world: World, change: Callable[[Shape], Shape], live: Live | None) -> Script[None]:
    view = ControlView(world.scenario.wiring.layout)
    while True:
        yield from view.refresh()
        before = view.newest()
        shape = control.edited(before, change(before.shape), discards(world, before))
        after = control.successor(before, f"control {world.random.random()}", shape=shape, live=live)
        if (yield from control.write(world.scenario.wiring.layout, after)):
            return


def write_anchor(world: World, epoch: int | None) -> Script[None]:
    """The epoch after the heads of all sources is due now."""
    wiring = world.scenario.wiring
    now = yield from clock.ask_time(wiring.layout, "control", None, wiring.times.resolution_ms)
    heads = [0]
    for source in wiring.sources():
        found = yield from head.find(wiring.layout, source)
        heads.append(found.epoch if found else 0)
    view = anchor.AnchorView(wiring.layout, wiring.times.period_ms)
    yield from view.refresh()
    made = Anchor(view.latest() + 1, epoch or max(heads) + 1, now.high_ms)
    yield from anchor.write(wiring.layout, made)


def last_word(world: World, everybody: list[Process]) -> Script[None]:
    """Everybody who lives is active, nothing is stopped, and every flawed function has another in its place."""
    gone = {process.name for process in everybody if process.gone}
    named: list[tuple[str, int]] = []
    for task in world.scenario.wiring.tasks:
        living = [name for name in replica_names(world.scenario, task) if name not in gone]
        named += [(name, rank) for rank, name in enumerate(living)]
    mended = functions(world, MENDED) if any(one.flawed for one in world.scenario.behaviours.values()) else None
    yield from decide(world, lambda shape: replace(shape, stopped=False, functions=mended or shape.functions), Live(tuple(named)))


__all__ = ["Outcome", "Violation", "run"]
