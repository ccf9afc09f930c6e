"""The faults that a plan promises to survive, each at each configuration, with what is promised under it.

Why: nobody should have to think of them; and what is not in this list is not promised.
Called by: campaign; `levee verify --list`.

The worst case is that of the plan's own failure model. Pessimistic: of every task one replica is left for good, an inactive one where
there is one. A plan for a fidelity or a budget: every task without another active replica is gone altogether, and every other has lost one.
Node and zone: any single one of them, which are trials of their own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

from levee.control.names import ReplicaName
from levee.control.wanted import Placed
from levee.topology.graph import FailureModel
from levee.topology.names import ConfigurationName, NodeName, TaskId
from levee.topology.wording import count
from levee_chaos.verifying.promises import Promise, Promised


class Kind(StrEnum):
    PRIMARY = "primary"  # the worker of a task's primary crashes once
    NODE = "node"  # a node is gone
    ZONE = "zone"  # all of its nodes are
    WORST = "worst"  # what the plan's failure model allows at most


@dataclass(frozen=True, slots=True)
class Trial:
    kind: Kind
    whom: str  # the task, the node, the zone; the failure model
    at: ConfigurationName
    dead: frozenset[ReplicaName]  # of a primary: the one whose loss is worst; which it is, is seen when it is done
    promise: Promise
    nodes: tuple[NodeName, ...] = ()

    @property
    def name(self) -> str:
        return f"worst@{self.at}" if self.kind is Kind.WORST else f"{self.kind}:{self.whom}@{self.at}"

    @property
    def what(self) -> str:
        match self.kind:
            case Kind.PRIMARY:
                return f"the worker of the primary of {self.whom} crashes"
            case Kind.NODE:
                return f"{self.whom} is gone"
            case Kind.ZONE:
                return f"zone {self.whom} is gone ({', '.join(self.nodes)})"
            case Kind.WORST:
                return f"dead for good: {count(len(self.dead), 'replica')}; {self.whom}"

    def is_asked(self, patterns: tuple[str, ...]) -> bool:
        """Also by what stands before the colon, or after the @."""
        ways = (self.name, self.name.partition("@")[0], self.kind.value, self.whom)
        return not patterns or any(fnmatchcase(way, pattern) for pattern in patterns for way in ways)


def trials(promised: Promised, workers_at: Callable[[ConfigurationName], tuple[Placed, ...]]) -> tuple[Trial, ...]:
    """By configuration, in the order of the plan; then from the mildest fault to the worst."""
    return tuple(one for each in promised.configurations for one in trials_at(promised, workers_at(each.name), each.name))


def trials_at(promised: Promised, workers: tuple[Placed, ...], at: ConfigurationName) -> Iterator[Trial]:
    for task in (*(one.id for one in promised.problem.sources), *(one.id for one in promised.problem.tasks)):
        yield primary(promised, workers, task, at)
    for node in promised.problem.nodes:
        yield nodes_gone(promised, Kind.NODE, node.name, (node.name,), at)
    for zone, inside in promised.zones.items():
        if len(inside) > 1:  # else it is its node
            yield nodes_gone(promised, Kind.ZONE, zone, tuple(sorted(inside)), at)
    if dead := dead_at_worst(promised, at):
        says = "one of each task is left" if promised.replicated is None else "all of each task without another active one"
        yield Trial(Kind.WORST, says, at, dead, promised.under(dead, at))


def primary(promised: Promised, workers: tuple[Placed, ...], task: TaskId, at: ConfigurationName) -> Trial:
    """Any active replica may be it; who shares its worker shares its fate."""
    deaths = [with_it(workers, one) for one in promised.active_of(task, at)]
    each = [(promised.under(dead, at), dead) for dead in deaths]
    promise, dead = min(each, key=lambda one: (one[0].completeness, one[0].fidelity, sorted(one[1])))
    return Trial(Kind.PRIMARY, task, at, dead, promise)


def with_it(workers: tuple[Placed, ...], replica: ReplicaName) -> frozenset[ReplicaName]:
    return frozenset(next((one.replicas for one in workers if replica in one.replicas), (replica,)))


def nodes_gone(promised: Promised, kind: Kind, whom: str, nodes: tuple[NodeName, ...], at: ConfigurationName) -> Trial:
    dead = frozenset(one for one, node in promised.replicas.items() if node in nodes)
    return Trial(kind, whom, at, dead, promised.under(dead, at), nodes)


def dead_at_worst(promised: Promised, at: ConfigurationName) -> frozenset[ReplicaName]:
    """Nobody, where a node or a zone is the worst that is promised to be survived."""
    if promised.replicated is not None:
        return without_active(promised, at)
    return all_but_one(promised, at) if promised.failures is FailureModel.PESSIMISTIC else frozenset()


def all_but_one(promised: Promised, at: ConfigurationName) -> frozenset[ReplicaName]:
    """Of tasks that compute; an inactive one survives where there is one."""
    found: set[ReplicaName] = set()
    for task in promised.problem.task_index:
        mine, active = promised.of_tasks[task], promised.active_of(task, at)
        survivor = next((one for one in mine if one not in active), mine[-1])
        found.update(one for one in mine if one != survivor)
    return frozenset(found)


def without_active(promised: Promised, at: ConfigurationName) -> frozenset[ReplicaName]:
    """All replicas of who is not replicated, and one of who is."""
    assert promised.replicated is not None
    found: set[ReplicaName] = set()
    for task in (*(one.id for one in promised.problem.sources), *promised.problem.task_index):
        active = promised.active_of(task, at)
        found.update(active[:1] if task in promised.replicated else promised.of_tasks[task])
    return frozenset(found)
