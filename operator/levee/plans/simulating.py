"""Play a trace to a planned topology, and say what came of it beside what was promised.

Called by: cli.simulate_run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from levee.control.space import SLACK
from levee.control.wanted import Wanted
from levee.planning.completeness.model import TOLERANCE, Model, scenarios
from levee.planning.problem import Plan, Problem
from levee.plans.planner import Planned
from levee.plans.simulation import ConfigurationPlayed, HappeningShown, Point, Simulation, Verdict
from levee.plans.words import target
from levee.topology.graph import FailureModel
from levee.topology.names import ConfigurationName, NodeName, TaskId
from levee.worlds.simulated.casting import wanted_of
from levee.worlds.simulated.faults import Fault
from levee.worlds.simulated.flow import Flow
from levee.worlds.simulated.play import Played, Sample, played
from levee.worlds.simulated.tally import Tally
from levee.worlds.simulated.trace import Stretch, Trace
from levee.worlds.simulated.world import SimulatedWorld


@dataclass(frozen=True, slots=True)
class Cast:
    """A planned topology in the simulated world."""

    found: Planned
    problem: Problem
    plan: Plan
    wanted: Wanted


def cast(found: Planned) -> Cast:
    problem = found.ready.problem
    plan = plan_in(found)
    failure_ms = round(1_000 * found.ready.topology.timing.failure_timeout_s)
    return Cast(found, problem, plan, wanted_of(problem, plan, failure_ms))


def plan_in(found: Planned) -> Plan:
    """A report has it by nodes."""
    report, problem = found.report, found.ready.problem
    active = [{(copy.task, copy.replica) for node in one.nodes for copy in node.active} for one in report.configurations]
    rows = (tuple(frozenset(n for n in range(problem.replicas) if (task.id, n) in here) for task in problem.tasks) for here in active)
    return Plan(tuple(rows), {TaskId(task): tuple(map(NodeName, on)) for task, on in report.placement.items()})


def simulate(one: Cast, trace: Trace, faults: Sequence[Fault], names: Sequence[str], seed: int) -> Simulation:
    world = SimulatedWorld(Flow(one.problem), one.wanted, Random(seed))
    return account(one, trace, played(world, trace, faults), names, seed)


# ---- what came of it


def account(one: Cast, trace: Trace, found: Played, names: Sequence[str], seed: int) -> Simulation:
    whole, report, promises = found.whole, one.found.report, Promises.of(one)
    promised = promises.overall({name: tally.due for name, tally in found.of.items()})
    kept, met = whole.completeness >= promised - TOLERANCE, report.verdict.met
    return Simulation(
        topology=report.topology,
        namespace=report.namespace,
        strategy=report.search.strategy,
        says=report.search.says,
        nodes_from=report.nodes_from,
        seed=seed,
        failed=tuple(names),
        seconds=whole.seconds,
        beyond_seconds=sum(each.seconds for each in trace.stretches if is_beyond(one.problem, each)),
        completeness=whole.completeness,
        promised=promised,
        verdict=judged(kept=kept, met=met),
        kept=kept,
        plan_completeness=0.0 if report.guarantee is None else report.guarantee.completeness,
        target=target(report.wanted),
        met=met,
        shortcomings=() if met else report.verdict.reasons,
        due_rows=whole.due,
        processed_rows=whole.processed,
        lost_rows=whole.lost,
        dropped_rows=whole.dropped,
        delivered_rows=whole.delivered,
        cores=whole.cores,
        capacity_cores=sum(node.capacity_cores for node in one.problem.nodes),
        failovers=found.failovers,
        switches=found.switches,
        uncomputed_task_seconds=whole.idle_task_s,
        configurations=tuple(
            part(name, tally, found, promises.least(name)) for name in one.wanted.active if (tally := found.of.get(name)) is not None
        ),
        happenings=tuple(HappeningShown(each.at_s, each.event.subject, each.event.text, each.event.grave) for each in found.happenings),
        points=tuple(map(point, found.samples)),
    )


def judged(*, kept: bool, met: bool) -> Verdict:
    if not kept:
        return Verdict.BROKEN
    return Verdict.KEPT if met else Verdict.BELOW_TARGET


def part(name: ConfigurationName, tally: Tally, found: Played, promised: float) -> ConfigurationPlayed:
    return ConfigurationPlayed(
        name=name,
        seconds=tally.seconds,
        share=tally.seconds / found.whole.seconds,
        in_force_seconds=found.in_force_s.get(name, 0.0),
        completeness=tally.completeness,
        promised=promised,
        due_rows=tally.due,
        processed_rows=tally.processed,
        lost_rows=tally.lost,
        dropped_rows=tally.dropped,
        cores=tally.cores,
    )


def point(sample: Sample) -> Point:
    tally = sample.counted
    return Point(
        sample.at_s,
        sample.configuration,
        sample.active,
        sample.rows_per_s,
        tally.delivered / tally.seconds,
        tally.lost / tally.seconds,
        tally.cores,
    )


def is_beyond(problem: Problem, stretch: Stretch) -> bool:
    """No declared configuration covers it."""
    return not any(
        all(rate <= one.rows_per_s[name] * (1 + SLACK) for name, rate in stretch.rows_per_s.items()) for one in problem.configurations
    )


# ---- what was promised


@dataclass(frozen=True, slots=True)
class Promises:
    """Per failure that the plan is to survive: which part of its rows each configuration goes on with."""

    kept: tuple[Mapping[ConfigurationName, float], ...]

    @classmethod
    def of(cls, one: Cast) -> "Promises":
        model, failures = Model(one.problem), FailureModel(one.found.report.wanted.failures)
        best = model.rates[0].sum(axis=1)
        names = [configuration.name for configuration in one.problem.configurations]
        cases = scenarios(one.problem, failures, one.plan.placement).values()
        left = [model.processed(one.plan.active, alive).sum(axis=1) for alive in cases]
        return cls(tuple({name: float(row[c] / best[c]) if best[c] else 1.0 for c, name in enumerate(names)} for row in left))

    def least(self, name: ConfigurationName) -> float:
        return min(row[name] for row in self.kept)

    def overall(self, due: Mapping[ConfigurationName, float]) -> float:
        """For a trace in which so much was due in each."""
        total = sum(due.values())
        return min(sum(due[name] * row[name] for name in due) for row in self.kept) / total if total else 1.0
