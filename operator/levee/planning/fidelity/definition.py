"""Information loss, output fidelity and completeness, word for word from the definitions.

Why: the verifier needs numbers that owe nothing to the optimisers' evaluator: one task at a time, from its inputs.
Called by: fidelity.verify, and tests that compare with brute force.
"""

from functools import cache

from levee.planning.fidelity.plan import ActivePlan, Metric
from levee.planning.fidelity.problem import FidelityProblem


def objective(problem: FidelityProblem, plan: ActivePlan, metric: Metric) -> float:
    match metric:
        case Metric.OF:
            return output_fidelity(problem, plan)
        case Metric.IC:
            return internal_completeness(problem, plan)


def output_fidelity(problem: FidelityProblem, plan: ActivePlan) -> float:
    """Equations 1-4 of Su and Zhou when every task without an active replica has failed."""

    @cache
    def loss(number: int) -> float:
        task = problem.tasks[number]
        if task.id not in plan.replicated or is_blocked(problem, plan, number):
            return 1.0
        losses = [
            sum(rate * loss(producer) for producer, rate in stream.substreams) / sum(rate for _, rate in stream.substreams)
            for stream in task.streams
        ]
        if not losses:
            return 0.0
        if problem.operators[task.operator].correlated:
            left = 1.0
            for each in losses:
                left *= 1 - each
            return 1 - left
        rates = [sum(rate for _, rate in stream.substreams) for stream in task.streams]
        return sum(rate * each for rate, each in zip(rates, losses, strict=True)) / sum(rates)

    lost = sum(problem.tasks[number].rows_per_s * loss(number) for number in problem.sinks)
    return 1 - lost / sum(problem.tasks[number].rows_per_s for number in problem.sinks)


def internal_completeness(problem: FidelityProblem, plan: ActivePlan) -> float:
    """Rows that the operators' tasks still read as a share of those that they read without failures; joins count like unions."""

    @cache
    def emitted(number: int, *, failures: bool) -> float:
        task = problem.tasks[number]
        if failures and (task.id not in plan.replicated or is_blocked(problem, plan, number)):
            return 0.0
        if not task.streams:
            return task.rows_per_s
        return sum(stream.selectivity * read(stream.substreams, failures=failures) for stream in task.streams)

    def read(substreams: tuple[tuple[int, float], ...], *, failures: bool) -> float:
        """A substream shrinks as its producer's output does."""
        return sum(rate * emitted(producer, failures=failures) / emitted(producer, failures=False) for producer, rate in substreams)

    def processed(*, failures: bool) -> float:
        return sum(
            read(stream.substreams, failures=failures)
            for number, task in enumerate(problem.tasks)
            if not failures or (task.id in plan.replicated and not is_blocked(problem, plan, number))
            for stream in task.streams
        )

    return processed(failures=True) / processed(failures=False)


def is_blocked(problem: FidelityProblem, plan: ActivePlan, number: int) -> bool:
    """Does the task wait, directly or not, for one that has failed?"""
    return any(_stalls(problem, plan, producer) for stream in problem.tasks[number].streams for producer, _ in stream.substreams)


def _stalls(problem: FidelityProblem, plan: ActivePlan, number: int) -> bool:
    task = problem.tasks[number]
    return (task.waits and task.id not in plan.replicated) or is_blocked(problem, plan, number)
