"""Whose CPU time it was: what a worker has spent between two looks, shared out among its replicas.

Why: the system counts for processes, and a worker may compute several replicas in one. How long each has computed is known, so they share
it in that proportion; where a worker has one replica, as on Kubernetes by default, nothing is guessed.
Called by: whoever has looked at workers.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from levee.planning.measured.counts import Spent
from levee.topology.names import OperatorName, TaskId


@dataclass(frozen=True, slots=True)
class Computed:
    """By one replica, since its worker began."""

    operator: OperatorName
    busy_s: float
    read: Mapping[OperatorName, float]  # rows, by stream
    emitted: float = 0.0  # rows


@dataclass(frozen=True, slots=True)
class Look:
    """At one worker. Numbers grow; where one has fallen, it is another process."""

    cpu_s: float
    replicas: Mapping[str, Computed]


def spending(looks: Sequence[Mapping[str, Look]]) -> Mapping[OperatorName, tuple[Spent, ...]]:
    """Looks at all workers, one after the other; of each operator an entry for every stretch in which a replica of it read anything."""
    found: dict[OperatorName, list[Spent]] = defaultdict(list)
    for before, after in pairwise(looks):
        for operator, spent in between(before, after).items():
            found[operator].append(spent)
    return {operator: tuple(spent) for operator, spent in found.items()}


def between(before: Mapping[str, Look], after: Mapping[str, Look]) -> Mapping[OperatorName, Spent]:
    shares = [one for worker, look in after.items() if worker in before for one in of_worker(before[worker], look)]
    operators = {operator for operator, _ in shares}
    return {one: joined(spent for operator, spent in shares if operator == one) for one in sorted(operators)}


def of_worker(before: Look, after: Look) -> list[tuple[OperatorName, Spent]]:
    """Its replicas that were there all the time and have read something, each with its part."""
    if after.cpu_s < before.cpu_s:
        return []
    grown = {name: (one, before.replicas[name]) for name, one in after.replicas.items() if name in before.replicas}
    busy = {name: one.busy_s - was.busy_s for name, (one, was) in grown.items()}
    total = sum(busy.values())
    if total <= 0 or min(busy.values()) < 0:
        return []
    found = []
    for name, (one, was) in grown.items():
        read = {stream: rows - was.read.get(stream, 0.0) for stream, rows in one.read.items()}
        if sum(read.values()) > 0:
            cpu_s, tasks = (after.cpu_s - before.cpu_s) * busy[name] / total, {TaskId(name.rpartition("/")[0]): sum(read.values())}
            found.append((one.operator, Spent(cpu_s, read, one.emitted - was.emitted, tasks)))
    return found


def joined(parts: Iterable[Spent]) -> Spent:
    cpu_s, emitted, read, tasks = 0.0, 0.0, defaultdict[OperatorName, float](float), dict[TaskId, float]()
    for one in parts:
        cpu_s, emitted = cpu_s + one.cpu_s, emitted + one.emitted
        for stream, rows in one.read.items():
            read[stream] += rows
        for task, rows in one.tasks.items():
            tasks[task] = max(rows, tasks.get(task, 0.0))
    return Spent(cpu_s, dict(read), emitted, tasks)
