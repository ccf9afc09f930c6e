"""Looks of a Kubernetes world at a part of its topology: at whose pods have changed, and who was not as he should be.

Why: what an event costs must not depend on how many tasks there are. Here nothing goes through all of them; who does, at every full look,
leaves behind what is needed for that.
Called by: serve.life, between two looks at the whole.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from levee.control import outages
from levee.control.names import Instant, ReplicaName, WorkerName, task_of
from levee.control.part import part_of, record_of, unsettled
from levee.control.seen import Observation, WorkerSeen
from levee.control.standing import uncovered
from levee.control.wanted import Placed, Wanted
from levee.topology.names import NodeName, TaskId
from levee.worlds.kubernetes.roll import came
from levee.worlds.kubernetes.world import KubernetesWorld
from levee_spark.log.values import ControlRecord

FEWEST_PODS = 300  # of a topology that is looked at in parts; less is not worth it
MOST_TASKS = 300  # in a part


@dataclass(frozen=True, slots=True)
class Part:
    wanted: Wanted
    before: Observation
    seen: Observation


@dataclass(slots=True)
class Parts:
    """What the last look at the whole has left behind."""

    world: KubernetesWorld
    wanted: Wanted
    whole: Observation
    nodes_version: int
    of_replica: dict[ReplicaName, Placed]
    of_worker: dict[WorkerName, Placed]
    workers: dict[WorkerName, WorkerSeen]  # as they were seen last, by whatever look
    left: frozenset[TaskId]  # who was not as he should be
    sources: frozenset[TaskId] = field(init=False)
    record: ControlRecord | None = field(init=False)
    place_of_node: dict[NodeName, int] = field(init=False)

    def __post_init__(self) -> None:
        self.sources, self.record = frozenset(self.wanted.sources), self.whole.record
        self.place_of_node = {node.node: place for place, node in enumerate(self.whole.nodes)}

    @staticmethod
    def after(world: KubernetesWorld, whole: Observation) -> "Parts | None":
        """None: it is too small, or not at rest as a whole."""
        steady = whole.anchored and whole.opened and not whole.silent and whole.record is not None and not whole.record.shape.stopped
        if len(world.roll.pods) < FEWEST_PODS or not steady or not all(node.alive for node in whole.nodes):
            return None
        wanted = world.wanted
        return Parts(
            world,
            wanted,
            whole,
            world.cluster.nodes_version,
            {replica: placed for placed in wanted.workers for replica in placed.replicas},
            {placed.worker: placed for placed in wanted.workers},
            {worker.worker: worker for worker in whole.workers},
            unsettled(wanted, whole),
        )

    def look(self, now: Instant) -> Part | None:
        """None: only a look at the whole will do."""
        world = self.world
        world.read_log()
        changed = world.look_at_pods(now)
        same = world.record is not None and self.record is not None and world.record.number == self.record.number
        if world.silent or not same or world.wanted is not self.wanted or world.cluster.nodes_version != self.nodes_version:
            return None
        found = self.closed(self.left | {task for name in changed for task in self.tasks_of(name)})
        return None if found is None else self.seen(*found, now)

    def tasks_of(self, name: WorkerName) -> set[TaskId]:
        """Of what it has, had, or should have."""
        replicas = {one for pod in self.world.roll.of_worker[name].values() for one in pod.worker.replicas}
        replicas |= set(self.workers[name].replicas) if name in self.workers else set()
        replicas |= set(self.of_worker[name].replicas) if name in self.of_worker else set()
        return {task_of(one) for one in replicas if one in self.of_replica}

    def closed(self, tasks: Iterable[TaskId]) -> tuple[frozenset[TaskId], frozenset[WorkerName]] | None:
        """With whoever shares a worker with them; None: that is most of the topology."""
        todo, names, known = set(tasks), set[WorkerName](), set[TaskId]()
        while todo and len(known) <= MOST_TASKS:
            task = todo.pop()
            known.add(task)
            here = {self.of_replica[one].worker for one in self.wanted.replicas[task]}
            here |= {pod.worker.worker for one in self.wanted.replicas[task] for pod in self.world.roll.of_replica[one].values()}
            todo |= {other for name in here - names for other in self.tasks_of(name)} - known
            names |= here
        return None if todo else (frozenset(known), frozenset(names))

    def seen(self, tasks: frozenset[TaskId], names: frozenset[WorkerName], now: Instant) -> Part:
        world = self.world
        wanted = part_of(self.wanted, [self.of_worker[name] for name in sorted(names) if name in self.of_worker], self.sources)
        pods = sorted((pod for name in names if (pod := world.roll.newest(name)) is not None), key=came)
        world.asker.ask_again(pods, now)
        workers = tuple(replace(pod.worker, states=world.asker.states(pod.uid)) for pod in pods)
        assert self.record is not None
        there = {worker.node for worker in workers} | {placed.node for placed in wanted.workers}
        places = sorted(self.place_of_node[node] for node in there if node in self.place_of_node)
        base = replace(
            self.whole,
            workers=(),  # an observation that is made goes through its workers, and these are all
            nodes=tuple(self.whole.nodes[place] for place in places),
            record=record_of(self.record, self.whole.ranks(), wanted),
            outages=tuple(one for one in world.outages if one.task in tasks),
        )
        before = replace(base, workers=tuple(self.workers[name] for name in sorted(names) if name in self.workers))
        seen = replace(base, workers=workers)
        return Part(wanted, before, self.followed(wanted, seen, now))

    def followed(self, wanted: Wanted, seen: Observation, now: Instant) -> Observation:
        mine = outages.followed(seen.outages, set(uncovered(wanted, seen, now, wanted.replicas)), now)
        others = tuple(one for one in self.world.outages if one.task not in wanted.replicas)
        self.world.outages = (*others, *mine)
        return seen.with_history(seen.measured(), mine, joining=seen.joining)

    def taken(self, part: Part) -> None:
        """What was seen is what the next look, of whichever kind, compares with."""
        names = {worker.worker for worker in part.before.workers}
        for name in names:
            del self.workers[name]
        self.workers |= {worker.worker: worker for worker in part.seen.workers}
        self.left = unsettled(part.wanted, part.seen)

    def before_whole(self) -> Observation:
        return replace(self.whole, workers=tuple(self.workers.values()))
