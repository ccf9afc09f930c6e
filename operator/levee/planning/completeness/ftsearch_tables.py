"""What FT-Search knows before it starts, and what it keeps while it runs: arrays that machine code can work on.

Why: the kernel is compiled for plain arrays; everything about levels, orders and bounds that can be worked out once is worked out here.
Called by: ftsearch (which makes both) and ftsearch_kernel (which reads one and writes the other).

A level of the tree is one task in one configuration; the configurations stand as ftsearch_order says, the tasks as in the problem.
"""

from enum import IntFlag
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from levee.planning.completeness.ftsearch_order import order, worth
from levee.planning.completeness.model import TOLERANCE, Model
from levee.planning.problem import Goal
from levee.topology.graph import Late

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

BOTH = 2  # The values of a level: only replica 0, only replica 1, both.


class Pruning(IntFlag):
    CPU = 1
    COMPL = 2
    COST = 4
    DOM = 8
    SYM = 16  # Not in the paper: of two replicas that cannot make a difference only one is tried alone.
    FIT = 32  # Not in the paper: the tasks to come need room for one replica each somewhere.


FAITHFUL = Pruning.CPU | Pruning.COMPL | Pruning.COST | Pruning.DOM


class Tables(NamedTuple):
    """Read only. Configurations stand in the order of the search; a level is configuration x tasks + task."""

    tasks: int  # how many
    probability: Floats  # [configuration]
    extra: Floats  # [level] mean cores that a second active replica costs
    reserved: Floats  # [level] room that an active replica needs on its node
    alike: Flags  # [level] either replica alone is as good as the other
    first_node: Ints  # [task] where replica 0 stands
    second_node: Ints  # [task]
    limit: Floats  # [node] a load from here on is overload
    ample: Floats  # [level] with this much in use on all nodes together, the tasks after the level have no room left
    start: Ints  # [task] its edges are start[task] .. start[task + 1]
    producer: Ints  # [edge] tasks, then sources
    fraction: Floats  # [edge] rows read per row emitted
    passed: Floats  # [edge] rows emitted per row that the producer emits
    worth: Floats  # [task] rows that all tasks below process because it emits one row
    waits: Flags  # [task]
    any_waits: bool
    later: Floats  # [configuration] best rows of the configurations after it, weighted
    goal_rows: float  # rows per second that must be kept
    full_first: bool
    prunings: int


class State(NamedTuple):
    """Where one search stands. Every level keeps what it changed, so going back restores it to the bit."""

    cursor: Ints  # [0] the level it is at, [1] its first level, [2] the level to stop at, [3] nodes so far, [4] 1: just told of a plan
    tried: Ints  # [level] how many values have been tried
    value: Ints  # [level] the value bound
    alone: Ints  # [level] the replica to try alone first
    rows: Floats  # [level] rows the task would read
    out: Floats  # [level] rows the task would emit
    held: Flags  # [level] a waiting task above keeps it from being in time
    undo_first: Floats  # [level] load of replica 0's node before the level was bound
    undo_second: Floats  # [level]
    ub: Floats  # [level] rows that can still be kept, weighted
    kept: Floats  # [level] rows kept by what is bound, weighted
    cost: Floats  # [level] the least that any completion costs
    taken: Floats  # [level] load of all nodes together in the level's configuration
    emitted: Floats  # [configuration, task or source]
    stalls: Flags  # [configuration, task or source] nothing below is in time
    used: Floats  # [configuration, node]
    ahead: Floats  # [task or source] scratch: rows emitted if all that is not bound were replicated
    blocked: Flags  # [task or source] scratch, likewise
    pruned: Ints  # [pruning] values cut
    height: Ints  # [pruning] sum of the heights at which they were


def tables(model: Model, goal: Goal, prunings: Pruning, full_first: bool) -> Tables:
    problem, by_hunger = model.problem, order(model)
    edges = [(t, edge) for t, inputs in enumerate(model.inputs) for edge in inputs]
    count, reserved, probability = len(problem.tasks), model.reserved[by_hunger], model.probability[by_hunger]
    node = np.array([[problem.node_index[name] for name in problem.placement[task.id]] for task in problem.tasks], dtype=np.int64)
    limit = np.array([n.capacity_cores for n in problem.nodes]) * (1 - TOLERANCE)
    most = np.zeros((len(by_hunger), len(limit)))
    for replica in range(2):
        for t in range(count):
            most[:, node[t, replica]] += reserved[:, t]
    calm = most < limit
    best = probability * model.rates[0][by_hunger].sum(axis=1)
    waits = np.array([task.late is Late.WAIT for task in problem.tasks])
    return Tables(
        tasks=count,
        probability=probability,
        extra=(probability[:, None] * model.rates[2][by_hunger]).ravel(),
        reserved=reserved.ravel(),
        alike=((calm[:, node[:, 0]] & calm[:, node[:, 1]]) | (node[:, 0] == node[:, 1])).ravel(),
        first_node=node[:, 0].copy(),
        second_node=node[:, 1].copy(),
        limit=limit,
        ample=(limit.sum() * (1 + 1e-9) - (np.cumsum(reserved[:, ::-1], axis=1)[:, ::-1] - reserved)).ravel(),
        start=np.concatenate([[0], np.cumsum([len(inputs) for inputs in model.inputs])]).astype(np.int64),
        producer=np.array([edge[0] if edge[0] >= 0 else count + ~edge[0] for _, edge in edges], dtype=np.int64),
        fraction=np.array([edge[3] for _, edge in edges]),
        passed=np.array([edge[3] * edge[1] for _, edge in edges]),
        worth=worth(model),
        waits=waits,
        any_waits=bool(waits.any()),
        later=np.concatenate([np.cumsum(best[::-1])[::-1][1:], [0.0]]),
        goal_rows=(goal.completeness - TOLERANCE) * model.best_rows_per_s,
        full_first=full_first,
        prunings=int(prunings),
    )


def branch(state: State) -> State:
    """A search of what lies below the level where this one stands, and nothing else."""
    copy = State._make(array.copy() for array in state)
    copy.cursor[:] = copy.cursor[0], copy.cursor[0], len(copy.value), 0, 0
    copy.tried[copy.cursor[0]] = 0
    copy.pruned[:] = copy.height[:] = 0
    return copy


def fresh(model: Model) -> State:
    """A search at its root."""
    count, sources = len(model.problem.tasks), len(model.problem.sources)
    configurations, by_hunger = len(model.probability), order(model)
    levels = count * configurations
    emitted = np.zeros((configurations, count + sources))
    emitted[:, count:] = model.source_rows[by_hunger]
    state = State(
        cursor=np.array([0, 0, levels, 0, 0], dtype=np.int64),
        tried=np.zeros(levels + 1, dtype=np.int64),
        value=np.zeros(levels, dtype=np.int64),
        alone=np.zeros(levels, dtype=np.int64),
        rows=np.zeros(levels),
        out=np.zeros(levels),
        held=np.zeros(levels, dtype=np.bool_),
        undo_first=np.zeros(levels),
        undo_second=np.zeros(levels),
        ub=np.zeros(levels + 1),
        kept=np.zeros(levels + 1),
        cost=np.zeros(levels + 1),
        taken=np.zeros(levels + 1),
        emitted=emitted,
        stalls=np.zeros((configurations, count + sources), dtype=np.bool_),
        used=np.zeros((configurations, len(model.problem.nodes))),
        ahead=np.zeros(count + sources),
        blocked=np.zeros(count + sources, dtype=np.bool_),
        pruned=np.zeros(len(Pruning), dtype=np.int64),
        height=np.zeros(len(Pruning), dtype=np.int64),
    )
    state.ub[0] = model.best_rows_per_s
    state.cost[0] = float(model.probability @ model.rates[2].sum(axis=1))
    return state
