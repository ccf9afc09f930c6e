"""What each level of guarantee costs: one plan per level, from no replication to the most that the nodes can carry.

Why: a target is a guess until one sees what the next step costs.
Called by: levee plan --frontier.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from levee.cli.frontier import budgets, words
from levee.cli.frontier.knee import knee
from levee.cli.frontier.words import guarantee, paid
from levee.planning.case import Found, Kind, Place
from levee.planning.completeness import baselines, exact
from levee.planning.problem import Goal, Plan
from levee.planning.result import Result, Status, Stop
from levee.planning.strategies import verified
from levee.plans.amounts import floor4
from levee.plans.asked import Wish
from levee.plans.clock import Clock
from levee.plans.ending import Exit, Refused
from levee.plans.planner import Ready, compared, size, yardstick
from levee.plans.report import Frontier, Level
from levee.plans.verdict import check
from levee.topology.complaint import Complaint
from levee.topology.graph import FailureModel

STEPS = 12
TINY = 1e-7  # The highest level is asked for a hair lower, so that rounding does not forbid it.


@dataclass(frozen=True, slots=True)
class Step:
    found: Found
    plan: Plan
    level: Level


def refuse(ready: Ready) -> None:
    """What was asked for and has no levels; what the topology says is only where the question starts."""
    wrong = None
    if ready.asked.strategy is not None and ready.wish.strategy.kind is Kind.BASELINE:
        better = "fidelity" if ready.wish.sources_fail else "completeness"
        wrong = Complaint("--strategy", f"{ready.asked.strategy} makes one plan, which has no levels", f"use --strategy {better}")
    if ready.asked.penalty_s is not None:
        wrong = Complaint("--penalty", "each level is reached, so nothing falls short", "leave it out, or leave out --frontier")
    if wrong is not None:
        raise Refused("levee plan: there is no such frontier.", [wrong], Exit.USAGE)


def frontier(ready: Ready, clock: Clock) -> Frontier:
    """Levels in rising order; those that no time was left for are missing, and the result says so."""
    ready = replace(ready, wish=_all_levels(ready))
    strategy = ready.wish.strategy
    fidelity = strategy.kind is Kind.FIDELITY
    top = None if fidelity or ready.asked.place is Place.JOINT else _top(ready, clock)
    all_steps, tried = _by_budget(ready, clock) if fidelity else (list(_by_goal(ready, clock, top)), None)
    steps = _distinct(all_steps, fidelity)
    levels = [step.level for step in steps]
    if not fidelity and ready.asked.failures is None:
        levels = [_with_others(ready, clock, step, len(steps) - index) for index, step in enumerate(steps)]
    bend = None if clock.interrupted else knee([(paid(level, fidelity), guarantee(level, fidelity)) for level in levels])
    levels = [replace(level, is_knee=index == bend) for index, level in enumerate(levels)]
    return Frontier(
        topology=ready.topology.name,
        namespace=ready.topology.namespace,
        guarantee="fidelity" if fidelity else "completeness",
        failures=ready.wish.failures.value,
        size=size(ready.problem),
        nodes_from=ready.nodes_from,
        levels=tuple(levels),
        knee=None if bend is None else words.knee_at(levels, bend, fidelity),
        compared=compared(ready),
        strategy=strategy.name,
        seconds=clock.elapsed_s(),
        interrupted=clock.interrupted,
        complete=not clock.interrupted and bool(levels) and all(level.status is Status.OPTIMAL for level in levels),
        verified_by=steps[0].found.verifier if steps else "",
        budgets_tried=None if tried is None else tried[0],
        budgets_in_all=None if tried is None else tried[1],
        remarks=tuple(_remarks(ready, clock, levels, bend, top)),
    )


def _remarks(ready: Ready, clock: Clock, levels: Sequence[Level], bend: int | None, top: Result[Plan] | None) -> Iterator[str]:
    fidelity = ready.wish.strategy.kind is Kind.FIDELITY
    if bend is None and (why := words.no_knee(levels, clock.interrupted)):
        yield why
    if ready.asked.target is not None and (reached := words.of_target(ready.asked.target, levels, fidelity)):
        yield reached
    if not levels and not clock.interrupted:
        yield words.no_levels(clock.elapsed_s(), top is not None and top.status is Status.INFEASIBLE)


def _all_levels(ready: Ready) -> Wish:
    """A baseline has no levels: the optimiser for the same target has. Levels of completeness are goals, whatever the budget was."""
    wish = ready.wish
    if wish.strategy.kind is Kind.BASELINE:
        wish = replace(wish, strategy=ready.known["fidelity" if wish.sources_fail else "completeness"])
    return replace(wish, target=replace(wish.target, budget=None)) if wish.strategy.kind is Kind.COMPLETENESS else wish


def _by_goal(ready: Ready, clock: Clock, top: Result[Plan] | None) -> Iterator[Step]:
    """The first level even if nobody wants to wait: it takes no search. What cannot be reached drops out."""
    if top is not None and top.status is Status.INFEASIBLE:
        return
    most = 1.0 if top is None or top.objective is None else top.objective
    start = None if top is None else top.plan
    goals, reached = _goals(ready, most), False
    for index, goal in enumerate(goals):
        if index and clock.interrupted:
            break
        case = replace(ready.case(), goal=Goal(max(0.0, goal - TINY), ready.wish.failures), start=start)
        clock.doing = f", completeness {floor4(goal)}"
        found = ready.wish.strategy.solve(case, clock.stop(_share(ready, len(goals) - index)))
        reached = found.result.plan is not None and index == len(goals) - 1
        if found.result.plan is not None:
            yield _step(ready, found, found.result.plan)
    if start is not None and not reached:  # It was found, at whatever cost.
        found = verified(ready.case(), replace(baselines.result(ready.problem, start), notes=()))
        yield _step(ready, found, start)


def _goals(ready: Ready, most: float) -> list[float]:
    """From nothing to the most there is, and what was asked for."""
    goals = {most * step / STEPS for step in range(STEPS + 1)}
    wanted = None if ready.asked.target is None else ready.asked.target.completeness
    return sorted(goals | ({wanted} if wanted is not None and wanted <= most else set()))


def _share(ready: Ready, left: int) -> float:
    """Of the time that is left: as much as each further search gets, counting those under the other failure models."""
    return 1 / (left + (2 * STEPS if ready.asked.failures is None else 0))


def _top(ready: Ready, clock: Clock) -> Result[Plan]:
    clock.doing, clock.unit = ", the most there is", "completeness"
    top = exact.highest(ready.problem, ready.wish.failures, stop=clock.stop(0.25))
    clock.unit = "cores"
    return top


def _by_budget(ready: Ready, clock: Clock) -> tuple[list[Step], tuple[int, int]]:
    """And how many of all budgets were tried."""
    each = max(1, ready.problem.replicas - 1)
    most = (len(ready.problem.tasks) + len(ready.problem.sources)) if ready.problem.replicas > 1 else 0

    def attempt(tasks: int, left: int) -> Found | None:
        if clock.interrupted and tasks > 0:
            return None
        clock.doing = f", budget {tasks * each}"
        return ready.wish.strategy.solve(replace(ready.case(), budget=tasks * each, fidelity=None), clock.stop(1 / left))

    found = budgets.tried(attempt, most)
    steps = [_step(ready, one, one.result.plan) for _, one in sorted(found.items()) if one.result.plan is not None]
    return [step if budgets.is_smallest(found, step.found) else _unproven(step) for step in steps], (len(found), most + 1)


def _unproven(step: Step) -> Step:
    """It may be the most for its budget, but perhaps a smaller budget does as well."""
    return replace(step, level=replace(step.level, status=Status.FEASIBLE, gap=None)) if step.level.status is Status.OPTIMAL else step


def _step(ready: Ready, found: Found, plan: Plan) -> Step:
    measured = yardstick(ready, plan, found.replicated)
    check(ready.wish, found, measured, plan)
    price = measured.price("", plan)
    level = Level(
        price.completeness,
        price.fidelity,
        measured.budget_used(plan),
        price.cores,
        price.cpu_hours_per_window,
        {},
        found.result.status,
        found.result.gap,
    )
    return Step(found, plan, level)


def _distinct(steps: Sequence[Step], fidelity: bool) -> list[Step]:
    """Rising in what is paid; a step that pays more and guarantees no more is left out."""
    rising = sorted(steps, key=lambda step: (paid(step.level, fidelity), -guarantee(step.level, fidelity)))
    kept: list[Step] = []
    for step in rising:
        if not kept or guarantee(step.level, fidelity) > guarantee(kept[-1].level, fidelity) + TINY:
            kept.append(step)
    return kept


def _with_others(ready: Ready, clock: Clock, step: Step, left: int) -> Level:
    """What the same promise costs under the other failure models."""
    models = [model for model in FailureModel if model is not ready.wish.failures]
    under: dict[str, float | None] = {ready.wish.failures.value: step.level.cores}
    unproven: list[str] = []
    alone = len({node.zone for node in ready.problem.nodes}) == len(ready.problem.nodes)
    for index, model in enumerate(models):
        if clock.interrupted:
            break
        if alone and model is FailureModel.ZONE and FailureModel.NODE.value in under:
            under[model.value] = under[FailureModel.NODE.value]  # Each zone is one node: the same question.
            unproven += [model.value] if FailureModel.NODE.value in unproven else []
            continue
        clock.doing = f", completeness {floor4(step.level.completeness)} under {model.value} failures"
        under[model.value], proven = _cost_under(ready, step, model, clock.stop(1 / (len(models) * left - index)))
        unproven += [] if proven else [model.value]
    return replace(step.level, cores_under=under, unproven_under=tuple(unproven))


def _cost_under(ready: Ready, step: Step, model: FailureModel, stop: Stop) -> tuple[float | None, bool]:
    """And whether it is proven; never more than the level's own plan, where that survives these failures, too."""
    goal = Goal(max(0.0, step.level.completeness - TINY), model)
    measured = replace(yardstick(ready, step.plan, None), failures=model)
    holds = measured.completeness(step.plan)[0] >= goal.completeness
    result = ready.known["completeness"].solve(replace(ready.case(), goal=goal, start=step.plan if holds else None), stop).result
    costs = [cost for cost in (result.objective, step.level.cores if holds else None) if cost is not None]
    return min(costs, default=None), result.status in (Status.OPTIMAL, Status.INFEASIBLE)
