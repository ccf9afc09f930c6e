"""Costs that are measured to be others than were declared, the plan for them, and whether a switch to it pays.

Why: rows go on as they did, since what is tried is the switch; whether it pays is said by what says so on a cluster.
Called by: `living`.
"""

from dataclasses import dataclass, field, replace
from random import Random

from levee.control.adaptation import Homes, Value, switching, weighed
from levee.control.wanted import Wanted
from levee.planning.completeness import baselines
from levee.planning.completeness.model import Model, cost_cores, node_loads, scenarios
from levee.planning.problem import Plan, Problem
from levee.topology.graph import FailureModel
from levee.topology.names import ConfigurationName
from levee.worlds.simulated.casting import wanted_of
from tests.worlds.simulated.scenario import Scenario

DWELL_MS, CATCH_UP_S = 5_000, 2.0
PAYS_WITHIN_S = 600.0


@dataclass
class Drift:
    at_ms: int
    problem: Problem  # as it is measured
    plan: Plan  # for it
    wanted: Wanted = field(init=False)
    dwell_ms: int = DWELL_MS

    def __post_init__(self) -> None:
        self.wanted = wanted_of(self.problem, self.plan)

    def pays(self, now: Wanted, configuration: ConfigurationName) -> bool:
        """A promise that is broken is mended whatever that takes; else it must cost less."""
        switch = switching(homes(now, configuration), homes(self.wanted, configuration), CATCH_UP_S)
        return weighed(self.value(now), self.value(self.wanted), switch, PAYS_WITHIN_S, for_guarantee=False).is_worth_it

    def value(self, wanted: Wanted) -> Value:
        """Nothing is asked for but that no node has more than it can carry."""
        problem, model = self.problem, Model(self.problem)
        active = tuple(tuple(numbers(wanted, one.name, task.id) for task in problem.tasks) for one in problem.configurations)
        plan = Plan(active, problem.placement)
        loads = node_loads(model, plan.active, plan.placement).max(axis=0)
        fits = all(load <= node.capacity_cores for load, node in zip(loads, problem.nodes, strict=True))
        alive = scenarios(problem, FailureModel.PESSIMISTIC, plan.placement)["pessimistic"]
        guarantee = float(model.processed(plan.active, alive).sum() / model.rates[0].sum())
        return Value(guarantee, cost_cores(model, plan.active), fits)


def numbers(wanted: Wanted, name: ConfigurationName, task: str) -> frozenset[int]:
    return frozenset(int(one.rpartition("/")[2]) for one in wanted.active[name] if one.rpartition("/")[0] == task)


def homes(wanted: Wanted, configuration: ConfigurationName) -> Homes:
    nodes = {replica: placed.node for placed in wanted.workers for replica in placed.replicas}
    return Homes(wanted.active[configuration], nodes, wanted.loads)


def drawn(random: Random, scenario: Scenario) -> Drift | None:
    """In half of the lives."""
    there = scenario.problem
    if random.random() < 0.5:
        return None
    factor, plan = random.choice((0.3, 0.6, 1.3)), random.choice((baselines.greedy, baselines.none))
    tasks = tuple(replace(task, inputs=tuple(replace(edge, cost_s=factor * edge.cost_s) for edge in task.inputs)) for task in there.tasks)
    problem = replace(there, tasks=tasks)
    return Drift(random.randint(0, 30_000), problem, plan(problem))
