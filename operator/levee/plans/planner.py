"""Plan one topology and make its report: choose, solve, verify, measure, explain.

Why: what a plan is worth is decided here once, whatever it is printed as.
Called by: cli.commands.plan; cli.frontier.search uses the same preparation.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from random import Random

from levee.planning import requests
from levee.planning.by_budget import everything
from levee.planning.case import Case, Found, Objective, Place, Strategy
from levee.planning.completeness import baselines
from levee.planning.expand import expand
from levee.planning.fidelity.plan import Metric
from levee.planning.independent import expected_completeness
from levee.planning.problem import Goal, Plan, Problem
from levee.plans import failing, losses, words
from levee.plans.asked import Asked, Wish, wish
from levee.plans.clock import Clock
from levee.plans.ending import Exit, Refused
from levee.plans.fidelity import Measures
from levee.plans.measure import Yardstick
from levee.plans.nodes import choose
from levee.plans.report import Failure, Guarantee, Price, Report, Search, Size, Store, Verdict, Wanted
from levee.plans.seek import seek
from levee.plans.verdict import check, judge
from levee.topology.complaint import Complaint
from levee.topology.graph import Topology
from levee.topology.names import TaskId
from levee.topology.wording import listed

SINGLE = {"none", "static", "greedy", "non-replicated", "completeness"}  # strategies that know of operators that are not repeatable
SEED = 1  # of the sample for independent failures: the same question gets the same answer


@dataclass(frozen=True, slots=True)
class Ready:
    """A topology that is ready to be planned."""

    topology: Topology
    problem: Problem
    nodes_from: str
    wish: Wish
    asked: Asked
    known: Mapping[str, Strategy]
    measures: Measures

    def case(self) -> Case:
        target = self.wish.target
        goal = Goal(target.planned if target.planned is not None else 0.0, self.wish.failures, target.penalty)
        return Case(
            self.topology,
            self.problem,
            goal,
            target.fidelity,
            target.budget,
            self.asked.place,
            objective=self.wish.objective or Objective.FIDELITY,
        )


@dataclass(frozen=True, slots=True)
class Planned:
    ready: Ready
    report: Report


def prepare(topology: Topology, asked: Asked, known: Mapping[str, Strategy]) -> Ready:
    wanted = wish(topology, asked, known)
    chosen = choose(asked.nodes, topology)
    ready = Ready(topology, expand(topology, chosen.nodes), chosen.whence, wanted, asked, known, Measures(topology))
    _check_able(wanted.strategy, ready.case())
    return ready


def _check_able(strategy: Strategy, case: Case) -> None:
    wrong = strategy.cannot(case)
    if case.place is Place.JOINT and strategy.name != "completeness":
        wrong = "leaves replicas where they are, and --place joint is asked for"
    better = "fidelity" if case.sources_fail and case.place is not Place.JOINT else "completeness"
    if (single := cannot_single(strategy, case)) is not None:
        wrong, better = single, "completeness, with a completeness as its target and without --place"
    if wrong is not None:
        complaint = Complaint("--strategy", f"{strategy.name} {wrong}", f"use --strategy {better}")
        raise Refused("levee plan: the strategy cannot do what is asked.", [complaint], Exit.USAGE)


def cannot_single(strategy: Strategy, case: Case) -> str | None:
    """What would rather have more than one replica active, or counts on it."""
    differ = sorted({task.operator for task in case.problem.tasks if not task.repeatable})
    if not differ or (strategy.name in SINGLE and not case.sources_fail and case.place is not Place.JOINT):
        return None
    return f"knows only operators that are repeatable, and {listed(differ, 'and')} {'is' if len(differ) == 1 else 'are'} not"


def plan(ready: Ready, clock: Clock) -> Planned:
    lost = (
        failing.named(ready.topology, ready.problem, ready.asked.fail) if ready.asked.fail else None
    )  # A wrong name is told before the search.
    began_s = clock.elapsed_s()
    sought = seek(ready.wish, ready.case(), clock)
    seconds = clock.elapsed_s() - began_s
    found, shown = sought.found, sought.found.result.plan
    parts = _Parts(ready, found, shown, yardstick(ready, shown, found.replicated))
    verdict = Verdict(met=False, reasons=sought.reasons)
    if shown is not None:
        check(ready.wish, found, parts.yardstick, shown)
        verdict = judge(ready.wish, parts.yardstick, shown, sought.reasons)
    report = Report(
        topology=ready.topology.name,
        namespace=ready.topology.namespace,
        wanted=_wanted(ready),
        size=size(ready.problem),
        nodes_from=ready.nodes_from,
        placement={task: tuple(on) for task, on in parts.yardstick.problem.placement.items()},
        replicated=None if found.replicated is None else tuple(sorted(found.replicated)),
        verdict=verdict,
        configurations=() if shown is None else parts.yardstick.configurations(shown),
        guarantee=None if shown is None else _guarantee(parts, shown),
        price=None if shown is None else parts.yardstick.price("this plan", shown),
        compared=compared(ready),
        search=_search(ready, found, seconds, clock.interrupted),
        failure=None if shown is None or lost is None else _failure(parts, shown, lost),
        store=None if shown is None else _store(ready, shown),
    )
    return Planned(ready, report)


@dataclass(frozen=True, slots=True)
class _Parts:
    ready: Ready
    found: Found
    shown: Plan | None
    yardstick: Yardstick


def yardstick(ready: Ready, shown: Plan | None, replicated: Set[TaskId] | None) -> Yardstick:
    """Measures on the plan's own placement, which is not the problem's where both were sought together."""
    problem = ready.problem if shown is None else replace(ready.problem, placement=shown.placement)
    fidelity = ready.measures.measurer(replicated)
    if replicated is None:
        return Yardstick(problem, ready.wish.failures, fidelity)
    return Yardstick(problem, ready.wish.failures, fidelity, ready.measures.measurer(replicated, Metric.IC), replicated)


def _wanted(ready: Ready) -> Wanted:
    target = ready.wish.target
    probability = ready.asked.node_failure_probability
    objective = ready.wish.objective
    failures = ready.wish.failures.value
    return Wanted(target.completeness, target.reserve, target.fidelity, target.budget, target.penalty, failures, probability, objective)


def size(problem: Problem) -> Size:
    return Size(len(problem.tasks), problem.replicas, len(problem.nodes), len(problem.configurations), problem.window_s)


def _search(ready: Ready, found: Found, seconds: float, interrupted: bool) -> Search:
    strategy, result = ready.wish.strategy, found.result
    return Search(
        strategy=strategy.name,
        says=ready.wish.says,
        objective_is=found.objective_is,
        status=result.status,
        objective=result.objective,
        bound=result.bound,
        gap=result.gap,
        seconds=seconds,
        interrupted=interrupted,
        verified_by=found.verifier,
        notes=result.notes,
    )


def _guarantee(parts: _Parts, shown: Plan) -> Guarantee:
    measured, worst = parts.yardstick.completeness(shown)
    probability = parts.ready.asked.node_failure_probability
    expected = None if probability is None else expected_completeness(parts.yardstick.model, shown, probability, Random(SEED))
    return Guarantee(
        completeness=measured,
        worst_failure=worst,
        fidelity=parts.yardstick.fidelity(shown),
        budget_used=parts.yardstick.budget_used(shown),
        expected_completeness=None if expected is None else expected.completeness,
        expected_half_width=None if expected is None else expected.half_width,
    )


def _store(ready: Ready, shown: Plan) -> Store:
    problem = ready.problem
    shares = [configuration.probability for configuration in problem.configurations]
    active = {
        task.id: sum(share * len(row[index]) for share, row in zip(shares, shown.active, strict=True))
        for index, task in enumerate(problem.tasks)
    }
    asked = requests.per_second(ready.topology, active, problem.replicas)
    return Store(asked.puts, asked.gets, asked.usd * requests.MONTH_S, requests.PRICE)


def compared(ready: Ready) -> tuple[Price, ...]:
    """No and static replication on the same nodes."""
    none, static = baselines.none(ready.problem), baselines.static(ready.problem)
    all_tasks = everything(ready.topology)
    return (
        yardstick(ready, none, frozenset() if ready.wish.sources_fail else None).price("no replication", none),
        yardstick(ready, static, all_tasks if ready.wish.sources_fail else None).price("static replication", static),
    )


def _failure(parts: _Parts, shown: Plan, lost: failing.Lost) -> Failure:
    """What is promised is the target where there is one that the plan reaches, else what the plan guarantees."""
    guaranteed, _ = parts.yardstick.completeness(shown)
    target = parts.ready.wish.target.completeness
    promised = min(guaranteed, target) if target is not None else guaranteed
    topology, covers = parts.ready.topology, words.COVERED[parts.ready.wish.failures.value]
    # Nothing else fails with them, no other source either.
    only_those = replace(yardstick(parts.ready, shown, None), fidelity_of=parts.ready.measures.measurer(None, lost=lost.sources))
    return losses.lose(topology, only_those, shown, lost, losses.Promise(promised, covers, lost.outside_model(parts.found.replicated)))
