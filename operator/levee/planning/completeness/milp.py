"""The completeness problem as a mixed-integer program; docs/design/completeness.md has the proofs behind it.

Why: what a plan costs and promises is linear once it is known which activations can be useful, which nodes can be overloaded at all, and
that rows in time flow along edges as fractions of their failure-free rates.
Called by: completeness.exact and completeness.explain.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from levee.planning.completeness.activation import Choice, choose_all, choose_two, domains, standing
from levee.planning.completeness.flow import KEPT, LOST, Below, Promise, add_flow, fed, waits_above
from levee.planning.completeness.highs import Program, hopeless
from levee.planning.completeness.model import Model
from levee.planning.problem import Problem
from levee.planning.result import Stop
from levee.topology.graph import FailureModel, Late


@dataclass(frozen=True, slots=True)
class Milp:
    """A program that still lacks an objective and a goal, and what its columns mean."""

    program: Program
    choices: tuple[Choice, ...]  # per configuration
    promises: tuple[Promise, ...]  # per scenario; the guarantee is the least of them


def build(model: Model, failures: FailureModel, stop: Stop) -> Milp | None:
    """None: out of time, or too large for what is left of it, since there are rows for each edge, configuration and scenario."""
    try:
        return _pessimistic(model, stop) if failures is FailureModel.PESSIMISTIC else _single_failure(model, failures, stop)
    except _HopelessError:
        return None


class _HopelessError(Exception):
    pass


def _unless_hopeless(program: Program, stop: Stop) -> None:
    if hopeless(program, stop):
        raise _HopelessError


def _pessimistic(model: Model, stop: Stop) -> Milp:
    program, promise = Program(), Promise()
    choices = tuple(choose_all(program, model, c) for c in range(len(model.problem.configurations)))
    gates = waits_above(model.problem)
    for choice in choices:
        below = _gate_cuts(program, choice.safe, gates) | _useful_cuts(program, model, choice)
        add_flow(program, model, choice.configuration, choice.safe, below, promise)
        _unless_hopeless(program, stop)
    return Milp(program, choices, (promise,))


def _single_failure(model: Model, failures: FailureModel, stop: Stop) -> Milp:
    program = Program()
    choices = tuple(choose_two(program, model, c, failures) for c in range(len(model.problem.configurations)))
    domain, gates = domains(model, failures), waits_above(model.problem)
    promises: list[Promise] = []
    for lost in sorted({domain[node] for nodes in standing(model) for node in nodes}):  # Where nothing runs, nothing is lost.
        promise = Promise()
        for choice in choices:
            alive, below = _alive(program, choice, frozenset(n for n, d in enumerate(domain) if d == lost), gates)
            add_flow(program, model, choice.configuration, alive, below, promise)
            _unless_hopeless(program, stop)
        promises.append(promise)
    return Milp(program, choices, tuple(promises))


def _alive(program: Program, choice: Choice, lost: frozenset[int], gates: Sequence[frozenset[int]]) -> tuple[list[int], Below]:
    """Per task whether it goes on, and in time, when some nodes are lost: it is safe, or runs elsewhere, and nothing above holds it up."""
    alive: list[int] = []
    below: Below = set()
    for task, nodes in choice.picks.items():
        above = {alive[gate] for gate in gates[task]} - {KEPT}
        gone = [column for node, column in nodes.items() if node in lost]
        if LOST in above or len(gone) == len(nodes):
            alive.append(LOST)
        elif not gone and len(above) < 2:
            alive.append(next(iter(above), KEPT))
        else:
            column = program.column()
            if gone:
                program.row({column: 1.0, choice.safe[task]: -1.0, **dict.fromkeys(gone, 1.0)}, at_most=1.0)
            below |= _at_most(program, column, above)
            alive.append(column)
    return alive, below


def _gate_cuts(program: Program, safe: Sequence[int], gates: Sequence[frozenset[int]]) -> Below:
    """Below a task that waits and is not safe nothing is in time: being safe would be in vain."""
    below: Below = set()
    for task, column in enumerate(safe):
        below |= _at_most(program, column, {safe[gate] for gate in gates[task]})
    return below


def _at_most(program: Program, column: int, others: set[int]) -> Below:
    for other in sorted(others):
        program.row({column: 1.0, other: -1.0}, at_most=0.0)
    return {(column, other) for other in others}


def _useful_cuts(program: Program, model: Model, choice: Choice) -> Below:
    """A task that gets no rows when the others fail need not be safe: some producer is, or it reads a source."""
    below: Below = set()
    for task, column in enumerate(choice.safe):
        producers = [producer for producer, *_ in fed(model, choice.configuration, task)]
        if any(producer < 0 for producer in producers) or not _idle_when_starved(model.problem, task):
            continue
        program.row({column: 1.0, **{choice.safe[producer]: -1.0 for producer in producers}}, at_most=0.0)
        if len(producers) == 1:
            below.add((column, choice.safe[producers[0]]))
    return below


def _idle_when_starved(problem: Problem, task: int) -> bool:
    """Whether the failure of a task that gets no rows changes nothing: not if it waits and so holds up rows from elsewhere."""
    if problem.tasks[task].late is not Late.WAIT:
        return True
    fed_by_it = {problem.tasks[task].id}
    for other in problem.tasks[task + 1 :]:
        through = [edge.producer in fed_by_it for edge in other.inputs]
        if any(through) and not all(through):
            return False
        if any(through):
            fed_by_it.add(other.id)
    return True
