"""The verifier itself is tested: every claim of a true result is falsified, and every line of the verifier is broken.

A mutant is the verifier with one thing wrong: a comparison turned round, a condition, a complaint or a whole check left out, a tolerance
far too wide. Each must answer differently from the verifier in at least one of the cases that test_verify collects, and those added here.
"""

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from levee.planning.completeness import ftsearch, verify
from levee.planning.problem import Goal, Plan
from levee.planning.result import Result, Status
from levee.topology.graph import FailureModel
from levee.topology.names import NodeName, TaskId
from tests.planning.completeness.small_problems import goals, problems
from tests.planning.completeness.test_verify import BOTH, CLAIM, COST, DAMAGE, FIRST, GOAL, GOOD, LIES, SECOND, differing, pipeline

SOURCE = Path(verify.__file__)
TREE = ast.parse(SOURCE.read_text())
SWAPPED = Plan(GOOD.active, {**GOOD.placement, TaskId("two/0"): (NodeName("right"), NodeName("left"))})
DEAR = Goal(1.0, penalty=3600.0)
PAID = replace(CLAIM, objective=COST + 1 / 3, bound=COST + 1 / 3)

Case = dict[str, Any]  # what verify is given

MORE: dict[str, Case] = {
    "a true claim": {"plan": GOOD, "goal": GOAL, "claimed": CLAIM},
    "a claim that is true within the tolerance": {"plan": GOOD, "goal": GOAL, "claimed": replace(CLAIM, objective=COST + 5e-7)},
    "a bound that is true within the tolerance": {"plan": GOOD, "goal": GOAL, "claimed": replace(CLAIM, bound=COST + 5e-7)},
    "optimal within the gap": {"plan": GOOD, "goal": GOAL, "claimed": replace(CLAIM, bound=COST - 5e-5)},
    "feasible without a bound": {"plan": GOOD, "goal": GOAL, "claimed": replace(CLAIM, bound=None, status=Status.FEASIBLE)},
    "feasible with a gap": {"plan": GOOD, "goal": GOAL, "claimed": replace(CLAIM, bound=COST / 2, status=Status.FEASIBLE)},
    "feasible below its bound": {"plan": GOOD, "goal": GOAL, "claimed": replace(CLAIM, bound=COST * 2, status=Status.FEASIBLE)},
    "unknown with a plan": {"plan": GOOD, "goal": GOAL, "claimed": replace(CLAIM, status=Status.UNKNOWN)},
    "nothing asked and nothing claimed": {"plan": GOOD},
    "claimed without a goal": {"plan": GOOD, "claimed": CLAIM},
    "a goal just met": {"plan": GOOD, "goal": Goal(2 / 3 + 5e-7)},
    "a goal just missed": {"plan": GOOD, "goal": Goal(2 / 3 + 5e-6)},
    "a goal against nodes": {"plan": GOOD, "goal": Goal(0.9, FailureModel.NODE)},
    "moved, and allowed to": {"plan": SWAPPED, "moved": True},
    "moved to nowhere": {"plan": DAMAGE["a node that is not there"][0], "moved": True},
    "a shortfall that is paid for": {"plan": GOOD, "goal": DEAR, "claimed": PAID},
    "a shortfall that is not paid for": {"plan": GOOD, "goal": DEAR, "claimed": CLAIM},
    "a surplus that earns nothing": {"plan": GOOD, "goal": replace(DEAR, completeness=0.5), "claimed": CLAIM},
    "a node that is nearly full": {"plan": GOOD, "capacity_cores": 0.8 + 1e-7},
    "a node with a little room": {"plan": GOOD, "capacity_cores": 0.8 + 1e-5},
    "a negative replica": {"plan": replace(GOOD, active=((BOTH, BOTH), (FIRST, frozenset({-1}))))},
    "two that would differ": {"plan": GOOD, "problem": differing()},
    "only one replica placed where two stand": {"plan": DAMAGE["a replica nowhere"][0], "moved": True},
}
CASES: list[Case] = [
    *MORE.values(),
    *({"plan": plan, "goal": GOAL} for plan, _ in DAMAGE.values()),
    *({"plan": GOOD, "goal": GOAL, "claimed": claimed} for claimed, _ in LIES.values()),
]


def answers(module: ModuleType) -> list[object]:
    return [_answer(module, dict(case)) for case in CASES]


def _answer(module: ModuleType, case: Case) -> object:
    problem = case.pop("problem", None) or pipeline(capacity_cores=case.pop("capacity_cores", 1.0))
    try:
        return [(complaint.where, complaint.wrong) for complaint in module.verify(problem, **case)]
    except Exception as broken:  # noqa: BLE001  # a mutant may do anything
        return type(broken)


def module_of(tree: ast.Module) -> ModuleType:
    module = ModuleType("mutant")
    exec(compile(ast.fix_missing_locations(tree), "mutant", "exec"), module.__dict__)  # noqa: S102
    return module


OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


def changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """What can be broken at one place: a name for it, and how, done to a copy of the place."""
    match node:
        case ast.Compare(ops=ops):
            yield "turned", lambda at: at.ops.__setitem__(0, OPPOSITE[type(ops[0])]())
        case ast.BoolOp(op=op, values=values):
            for index, value in enumerate(values):
                yield f"without {ast.unparse(value)}", partial(_put, "values", index, ast.Constant(isinstance(op, ast.And)))
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()):
            yield "left out", lambda at: setattr(at, "value", ast.parse("(yield from ())", mode="eval").body)
        case ast.UnaryOp(op=ast.Not()):
            yield "not negated", lambda at: setattr(at, "op", ast.UAdd())
        case ast.Tuple(elts=elements) if any(isinstance(element, ast.Starred) for element in elements):
            for index, element in enumerate(elements):
                yield f"without {ast.unparse(element)}", partial(_put, "elts", index, ast.parse("[*()]", mode="eval").body.elts[0])  # type: ignore[attr-defined]
        case ast.Constant(value=float(number)) if 0 < number < 0.01:
            yield "far too wide", lambda at: setattr(at, "value", 0.5)
        case _:
            pass


def _put(name: str, index: int, value: ast.expr, at: Any) -> None:
    getattr(at, name)[index] = value


PLACES = list(ast.walk(TREE))
MUTANTS = [
    (f"line {getattr(node, 'lineno', 0)} {what}", place, change) for place, node in enumerate(PLACES) for what, change in changes(node)
]
TRUE = answers(module_of(TREE))


def test_there_are_mutants_of_every_check() -> None:
    """Should the verifier be written anew, this counts whether the mutations still find something in it."""
    checks = {node.name: node for node in TREE.body if isinstance(node, ast.FunctionDef)}
    for name, check in checks.items():
        lines = range(check.lineno, (check.end_lineno or 0) + 1)
        assert any(getattr(PLACES[place], "lineno", 0) in lines for _, place, _ in MUTANTS), name


@pytest.mark.parametrize(("what", "place", "change"), MUTANTS, ids=[what for what, *_ in MUTANTS])
def test_no_mutant_of_the_verifier_survives(what: str, place: int, change: Callable[[Any], None]) -> None:
    tree = deepcopy(TREE)
    change(list(ast.walk(tree))[place])
    assert answers(module_of(tree)) != TRUE, what


def lies_about(result: Result[Plan], amount: float) -> Iterator[Result[Plan]]:
    """The result with each of its claims falsified."""
    assert result.plan is not None and result.objective is not None
    yield replace(result, objective=None)
    yield replace(result, objective=result.objective + amount)
    yield replace(result, objective=result.objective - amount, bound=None, status=Status.FEASIBLE)
    yield replace(result, bound=result.objective + amount, status=Status.FEASIBLE)
    yield replace(result, bound=None, status=Status.OPTIMAL)
    yield replace(result, bound=result.objective - amount, status=Status.OPTIMAL)
    yield replace(result, status=Status.INFEASIBLE)
    yield replace(result, status=Status.UNKNOWN)
    for c, row in enumerate(result.plan.active):
        for task, active in enumerate(row):
            for other in {BOTH, FIRST, SECOND} - {active}:
                changed = (*row[:task], other, *row[task + 1 :])
                yield replace(result, plan=replace(result.plan, active=(*result.plan.active[:c], changed, *result.plan.active[c + 1 :])))


@given(problems(max_tasks=4), goals(), st.sampled_from([0.001, 0.1, 10.0]))
@settings(max_examples=60, deadline=None)
def test_no_lie_about_what_ft_search_found_is_believed(problem: Any, goal: Goal, amount: float) -> None:
    result = ftsearch.solve(problem, goal)
    assume(result.plan is not None)
    assert result.plan is not None
    assert verify.verify(problem, result.plan, goal=goal, claimed=result) == ()
    for lie in lies_about(result, amount):
        assert verify.verify(problem, result.plan, goal=goal, claimed=lie), lie
