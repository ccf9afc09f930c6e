"""Runs in which the graph changes: eras, each with a wiring of its own, and whoever is left of an era lives on in the next for a while.

Why: what an era's roles may do when the next has begun is where another graph is dangerous; so they are not ended in time, and crash, sleep
and lose answers meanwhile. The oracle of the other runs judges each epoch by the era that it lies in.
Called by: test_log_reshaping; `python -m tests.log.simulation.reshaping SEED [MUTATION]`.
"""

import sys
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from random import Random

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import ask, control, rest
from levee_spark.log.control import ControlView
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Script, Wait
from levee_spark.log.values import ChangeEpoch, ControlRecord, EpochObject, Floor, Live, PublishedCheckpoint, Shape
from levee_spark.log.wiring import TaskWiring, Wiring
from tests.log.simulation.oracle import Oracle, Violation
from tests.log.simulation.plant import Behaviour, Rows, State
from tests.log.simulation.run import PATIENCE, PROGRESS, cast, controller, functions, ranks, write_anchor
from tests.log.simulation.scenario import Faults, Scenario, draw, times
from tests.log.simulation.store import MemoryStore
from tests.log.simulation.world import Process, World

Graph = dict[str, tuple[str, ...]]
PAIRS: tuple[tuple[Graph, Graph], ...] = (
    ({"s": (), "f": ("s",)}, {"s": (), "t": (), "f": ("s", "t")}),
    ({"s": (), "t": (), "j": ("s", "t")}, {"s": (), "u": (), "j": ("s", "u")}),
    ({"s": (), "p/0": ("s",), "m": ("p/0",)}, {"s": (), "p/0": ("s",), "p/1": ("s",), "m": ("p/0", "p/1")}),
    ({"s": (), "f": ("s",), "g": ("s",), "j": ("f", "g")}, {"s": (), "g": ("s",), "j": ("g",)}),
    ({"s": (), "f": ("s",)}, {"s": (), "f": ("s",), "g": ("f",)}),
)
COURSE_MS, LINGER_MS, LIFE = 30_000, 900, 1_000


def drawn(seed: int) -> list[Scenario]:
    """Three eras: the third has the graph of the first again."""
    random = Random(f"reshaping {seed}")
    one, other = random.sample(random.choice(PAIRS), 2)
    base, clock = draw(seed), replace(times(random), retention_ms=random.choice((60, 120, 240)))
    windows = {task: random.choice((1, 1, 3)) for task in one | other}
    faults = Faults(random.choice((0, 0.1)), 0.3, random.choice((0, 0.005)), 400, random.choice((0, 0.003)), until_ms=COURSE_MS)
    base = replace(base, faults=faults, discards=random.random() < 0.5, steps=(), imports=(), store_lies=False)
    return [era(base, graph, f"{{{index % 2}}}", windows, clock) for index, graph in enumerate((one, other, one))]


def era(base: Scenario, graph: Graph, name: str, windows: dict[str, int], clock: object) -> Scenario:
    tasks = {TaskId(task): wired(base.seed, task, inputs) for task, inputs in graph.items()}
    consumed = {one for task in tasks.values() for one in task.inputs}
    for leaf in [task for task in tasks if task not in consumed]:
        sink = TaskId(f"sink-{leaf}")
        tasks[sink] = replace(wired(base.seed, sink, (leaf,)), sink=True)
    parts = sum(task.startswith("p/") for task in tasks)
    behaviours = {
        task: Behaviour(windows.get(task, 1), (int(task[2:]), parts) if task.startswith("p/") else (0, 1), base.seed % 3 == 0)
        for task in tasks
    }
    replicas = {task: 1 + (base.seed + len(task)) % 2 for task in tasks}
    wiring = Wiring(Layout("levee", "uid-1"), clock, tasks, name)  # type: ignore[arg-type]
    return replace(base, wiring=wiring, behaviours=behaviours, replicas=replicas)


def wired(seed: int, task: str, inputs: tuple[str, ...]) -> TaskWiring:
    """A task has the same policies in every era."""
    random = Random(f"{seed} {task}")
    every, keep = random.choice((2, 3, 5)), random.choice((1, 2))
    operator = OperatorName(task.partition("/")[0])
    return TaskWiring(TaskId(task), operator, tuple(map(TaskId, inputs)), checkpoint_every=every, keep=keep)


@dataclass(frozen=True, slots=True)
class Merged(Wiring):
    """What the tasks of all eras are; who reads whom is of the last."""

    last: Wiring | None = None

    def sources(self) -> tuple[TaskId, ...]:
        assert self.last is not None
        return self.last.sources()

    def consumers(self, task: TaskId) -> tuple[TaskId, ...]:
        assert self.last is not None
        return self.last.consumers(task)


@dataclass(slots=True)
class Judge(Oracle):
    eras: list[tuple[int, Scenario]] = field(default_factory=list)  # from which epoch on
    births: dict[TaskId, int] = field(default_factory=dict)
    records: list[int] = field(default_factory=list)  # the first of each era

    def begin(self, scenario: Scenario) -> None:
        self.eras, self.records = [(1, scenario)], [1]

    def at(self, epoch: int) -> Wiring:
        return [one.wiring for first, one in self.eras if first <= epoch][-1]

    def reshape(self, last: int, number: int, after: Scenario) -> None:
        """All stand at `last`; nobody may be before it any more."""
        before = self.eras[-1][1]
        for task, one in before.wiring.tasks.items():
            there = max(self.delivered.get(task, {0: ()})) if one.sink else self.streams[task].head
            self.must(there == last, f"another graph begins after {last}, and {task} stands at {there}")
            if not one.sink and not one.is_source:
                self.pending(task, last)
        for task in after.wiring.tasks.keys() - before.wiring.tasks.keys():
            self.bear(task, last)
        self.eras.append((last + 1, after))
        self.records.append(number)
        tasks = self.wiring.tasks | after.wiring.tasks
        self.wiring = Merged(after.wiring.layout, after.wiring.times, tasks, after.wiring.graph, after.wiring)
        self.scenario = replace(after, behaviours=self.scenario.behaviours | after.behaviours)

    def bear(self, task: TaskId, epoch: int) -> None:
        if task not in self.streams:
            self.streams[task] = type(next(iter(self.streams.values())))()
            for folder in ("epochs", "rebuilt", "segments", "floors", "checkpoints", "pins", "verdicts"):
                self.folders[f"{self.wiring.layout.stream(task)}/{folder}"] = task
        self.births[task] = epoch
        stream = self.streams[task]
        stream.sealed_ms[epoch - 1] = -(10**6)
        stream.states[epoch], stream.traces[epoch] = State(), frozenset([State().token])
        self.delivered[task] = {epoch: ()}

    # ---- by the era of an epoch

    def oldest_kept(self, task: TaskId) -> int:
        """Whoever is added needs nothing of before."""
        return max(Oracle.oldest_kept(self, task), self.births.get(task, 0))

    def epoch_put(self, task: TaskId, record: EpochObject, *, replaced: bool) -> None:
        stream, epoch = self.streams[task], record.manifest.epoch
        if self.births.get(task) == epoch and stream.head < epoch:
            stream.history[epoch], stream.head, stream.sealed_ms[epoch] = record, epoch, self.now_ms
            return
        of_ours = task in self.at(epoch).tasks or epoch < stream.floor.epoch
        self.must(of_ours, f"{task} {epoch} is of a task that its graph does not have")
        Oracle.epoch_put(self, task, record, replaced=replaced)

    def floor_put(self, task: TaskId, floor: Floor) -> None:
        if self.births.get(task) != floor.epoch:
            Oracle.floor_put(self, task, floor)
        elif floor.number > self.streams[task].floor.number:
            self.streams[task].floor = floor

    def checkpoint_put(self, task: TaskId, record: PublishedCheckpoint) -> None:
        if self.births.get(task) == record.epoch and not record.files:
            self.streams[task].checkpoints[record.epoch] = record
        else:
            Oracle.checkpoint_put(self, task, record)

    def was_computed(self, task: TaskId, epoch: int, inputs: tuple[EpochObject, ...], made: Rows) -> None:
        self.was_read(task, epoch, inputs)
        self.streams[task].steps.setdefault(epoch, set()).add((made.before.token, made.after.token))

    def was_read(self, task: TaskId, epoch: int, inputs: tuple[EpochObject, ...]) -> None:
        wiring = self.at(epoch)
        mine = wiring.tasks[task].inputs if task in wiring.tasks else ()
        self.must(len(mine) == len(inputs), f"{task} computes {epoch} of {len(inputs)} inputs, and then has {mine}")
        for source, one in zip(mine, inputs, strict=True):
            self.must(self.streams[source].counts(one.manifest), f"{task} reads another than {source} {epoch}")

    def was_delivered(self, task: TaskId, index: int, one: EpochObject) -> None:
        epoch = one.manifest.epoch
        wiring = self.at(epoch)
        inputs = wiring.tasks[task].inputs if task in wiring.tasks else ()
        self.must(index < len(inputs) and self.streams[inputs[index]].counts(one.manifest), f"{task} is given another {epoch} than its own")
        told = self.delivered.setdefault(task, {})
        self.must(epoch == 1 or epoch - 1 in told, f"{task} is given {epoch}, but not the epoch before")
        told[epoch] = ()

    def change_epoch(self, number: int) -> int | None:
        """By the sources of the record's own era."""
        index = max(place for place, first in enumerate(self.records) if first <= number)
        firsts = [self.eras[index][0]]
        for source in self.eras[index][1].wiring.sources():
            bearing = [e for e, one in self.streams[source].history.items() if one.manifest.position >= number and e >= firsts[0]]
            if not bearing:
                return None
            firsts.append(min(bearing))
        return max(self.control[number].from_epoch, *firsts)


# ---- one run


@dataclass(slots=True)
class Course:
    world: World
    judge: Judge
    eras: list[Scenario]
    people: list[Process] = field(default_factory=list)
    done: bool = False
    edits: int = 0

    def view(self, index: int) -> World:
        """What `cast` and its like need of a world: each era's roles know only their own."""
        seen = copy(self.world)
        seen.scenario = self.eras[index]
        return seen

    def enter(self, index: int) -> None:
        """Whoever was there lingers; whoever comes begins at any moment, under the same names and with other incarnations."""
        world = self.world
        for old in self.people:
            world.at(world.now_ms + world.random.randint(0, LINGER_MS), lambda old=old: self.leave(old))  # type: ignore[misc]
        self.people = list(cast(self.view(index)))[:-1]  # the last decides, and here somebody else does
        for new in self.people:
            new.life = LIFE * index
            world.at(world.now_ms + world.random.randint(0, 100), lambda new=new: world.start(new))  # type: ignore[misc]

    def leave(self, process: Process) -> None:
        process.gone = True
        self.world.crash(process)

    def decisions(self) -> Script[None]:
        layout = self.eras[0].wiring.layout
        shape = Shape(functions(self.view(0), "v1"), self.eras[0].wiring.graph)
        yield from control.write(layout, control.first(shape, ranks(self.view(0), 0.0), "control"))
        yield from write_anchor(self.world, 1)
        for index in range(1, len(self.eras)):
            yield Wait(self.world.random.randint(100, 600))
            if self.world.random.random() < 0.5:
                yield from self.decide(lambda shape: replace(shape, functions=tuple((name, f"w{index}") for name, _ in shape.functions)))  # noqa: B023
            yield Wait(self.world.random.randint(0, 300))
            stop = yield from self.decide(lambda shape: replace(shape, stopped=True))
            last = yield from self.rested(index, stop)
            yield from self.reshape(index, last)
        self.done = True

    def rested(self, index: int, stop: int) -> Script[int]:
        """Rule: another graph begins only where all of the one before have come."""
        wiring = self.eras[index - 1].wiring
        sources = wiring.sources()
        others = [task for task in wiring.tasks if task not in sources]
        while True:
            known = yield from ask.read(wiring.layout.change(stop), ChangeEpoch)
            if known is not None and not (yield from rest.lacking(wiring.layout, sources, others, known.epoch)):
                return known.epoch
            yield Wait(20)

    def reshape(self, index: int, last: int) -> Script[None]:
        before, after = self.eras[index - 1].wiring, self.eras[index].wiring
        number = max(self.judge.control)
        self.judge.reshape(last, number + 1, self.eras[index])
        self.world.scenario = self.judge.scenario
        for task in sorted(after.tasks.keys() - before.tasks.keys()):
            yield from rest.begin(after.layout, after.tasks[task], last, number)
        both = after.tasks.keys() & before.tasks.keys()
        changed = {after.tasks[task].operator for task in both if after.tasks[task] != before.tasks[task]} | {OperatorName("p")}
        shape = Shape(self.functions_of(index), after.graph)
        yield from self.decide(lambda _: shape, rewired=changed, live=ranks(self.view(index), 0.0))
        self.enter(index)

    def functions_of(self, index: int) -> tuple[tuple[OperatorName, str], ...]:
        newest = self.judge.control[max(self.judge.control)].shape
        return tuple((name, newest.function(name) or version) for name, version in functions(self.view(index), "v1"))

    def decide(self, change: Callable[[Shape], Shape], rewired: set[OperatorName] | None = None, live: Live | None = None) -> Script[int]:
        view = ControlView(self.eras[0].wiring.layout)
        while True:
            yield from view.refresh()
            before = view.newest()
            shape = control.edited(before, change(before.shape), self.discards(before), rewired or ())
            after = control.successor(before, f"control {self.world.random.random()}", shape=shape, live=live)
            if (yield from control.write(view.layout, after)):
                return after.number

    def discards(self, before: ControlRecord) -> tuple[OperatorName, ...]:
        return tuple(name for name, _ in before.shape.functions) if self.world.scenario.discards else ()

    def standing_still(self, reached: dict[TaskId, int]) -> str:
        for task, one in self.eras[-1].wiring.tasks.items():
            there = max(self.judge.delivered.get(task, {0: ()})) if one.sink else self.judge.streams[task].head
            if there < reached[task] + PROGRESS:
                return f"{task} stands still at {there}"
        return ""

    def heads(self) -> dict[TaskId, int]:
        tasks = self.eras[-1].wiring.tasks
        return {t: max(self.judge.delivered.get(t, {0: ()})) if one.sink else self.judge.streams[t].head for t, one in tasks.items()}


def run(seed: int, log: Callable[[str], None] | None = None) -> int:
    """The epochs that came about."""
    eras = drawn(seed)
    judge = Judge(eras[0], eras[0].wiring)
    judge.begin(eras[0])
    world = World(eras[0], judge, MemoryStore(judge, eras[0].resolution_ms), Random(f"world {seed}"), Random(f"bits {seed}"), log=log)
    course = Course(world, judge, eras)
    course.enter(0)
    world.start(controller("control", course.decisions()))
    while not course.done:
        world.run(world.now_ms + eras[0].quiet_ms)
        judge.must(world.now_ms < COURSE_MS, f"all stand still: {course.people[0].name} and others have come to {course.heads()}")
    world.run(world.now_ms + LINGER_MS)
    quieten(world)
    reached = course.heads()
    for patience in range(PATIENCE):
        world.run(world.now_ms + eras[0].quiet_ms)
        if not (still := course.standing_still(reached)):
            break
        judge.must(patience < PATIENCE - 1, still)
    judge.at_the_end()
    return sum(stream.head for stream in judge.streams.values())


def quieten(world: World) -> None:
    world.scenario = replace(world.scenario, faults=replace(world.scenario.faults, until_ms=world.now_ms))


__all__ = ["Violation", "run"]

if __name__ == "__main__":
    print(run(int(sys.argv[1]), print if len(sys.argv) > 2 else None))
