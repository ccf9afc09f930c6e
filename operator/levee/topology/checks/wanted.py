"""What is asked for must make sense together: target, strategy, times, and what is read.

Called by: topology.check.
"""

import math
from collections.abc import Iterator

from levee.topology.complaint import Complaint
from levee.topology.graph import Strategy
from levee.topology.spec import Resource
from levee.topology.streams import OnDivergence
from levee.topology.timing import deadline_s, failover_s, period_s
from levee.topology.units import shown_duration
from levee.topology.wanted import Standby, Target
from levee.topology.wording import listed

TARGET = "spec.faultTolerance.target"
NEEDS_TARGET = {Strategy.COMPLETENESS: "completeness: 0.7", Strategy.FIDELITY: "fidelity: 0.9"}
CONTRADICTS = {Strategy.COMPLETENESS: "fidelity", Strategy.FIDELITY: "completeness"}


def _given(target: Target) -> list[str]:
    return [name for name in ("completeness", "fidelity", "budget") if getattr(target, name) is not None]


def one_target(resource: Resource) -> Iterator[Complaint]:
    given = _given(resource.spec.fault_tolerance.target)
    if len(given) > 1:
        yield Complaint(TARGET, f"has {listed(given, 'and')}, but a plan has one target", "keep one of them")


def target_of_strategy(resource: Resource) -> Iterator[Complaint]:
    """What the strategy promises must be said, and in its own measure."""
    wanted = resource.spec.fault_tolerance
    strategy, given = wanted.strategy, _given(wanted.target)
    if not given and strategy in NEEDS_TARGET:
        wrong = f"is missing, but the strategy '{strategy}' needs to know how much to promise"
        yield Complaint(TARGET, wrong, f"add target: {{{NEEDS_TARGET[strategy]}}}")
    other = CONTRADICTS.get(strategy)
    if given == [other]:
        yield Complaint(TARGET, f"asks for {other}, but the strategy is '{strategy}'", f"use strategy: {other}, or a target of {strategy}")


def single(resource: Resource) -> Iterator[Complaint]:
    """Operators of which one replica of each task is active are known to plans for a completeness."""
    target = resource.spec.fault_tolerance.target
    if target.fidelity is None and target.budget is None:
        return
    for index, operator in enumerate(resource.spec.operators):
        if not operator.repeatable:
            wrong = f"replicas of '{operator.name}' differ, and a plan for a fidelity or a budget does not know that"
            yield Complaint(f"spec.operators[{index}].repeatable", wrong, "ask for a completeness, or compute it from the rows alone")


def takes_over(resource: Resource) -> Iterator[Complaint]:
    """Whoever takes over computes some epochs that are committed once more, and not the same."""
    for index, operator in enumerate(resource.spec.operators):
        if not operator.repeatable and operator.on_divergence is OnDivergence.FAIL:
            wrong = f"'{operator.name}' is not repeatable, so the first replica that takes over would diverge, and end its stream"
            yield Complaint(f"spec.operators[{index}].onDivergence", wrong, "write resync, which marks the break, or leave it out")


def standbys(resource: Resource) -> Iterator[Complaint]:
    if resource.spec.fault_tolerance.standby is Standby.REMOVED:
        wrong = "cannot be yet: replicas that are not active stay as idle workers, so that they take over at once"
        yield Complaint("spec.faultTolerance.standby", wrong, "write idle, or leave it out; replicas: 1 starts none besides")


def price_of_completeness(resource: Resource) -> Iterator[Complaint]:
    target = resource.spec.fault_tolerance.target
    if target.penalty is not None and target.completeness is None:
        wrong = "is the price of missing completeness, but completeness is not the target"
        yield Complaint(f"{TARGET}.penalty", wrong, "add completeness, or remove the penalty")


def room_for_reserve(resource: Resource) -> Iterator[Complaint]:
    """A plan reaches completeness / (1 - reserve), and there is no more than all."""
    target = resource.spec.fault_tolerance.target
    if target.reserve is None:
        return
    where = f"{TARGET}.reserve"
    if target.completeness is None:
        yield Complaint(
            where, "is set aside from completeness, but completeness is not the target", "add completeness, or remove the reserve"
        )
    elif target.penalty is not None:
        yield Complaint(where, "asks for more than completeness, and a penalty for less", "remove the reserve or the penalty")
    elif target.completeness + target.reserve > 1:
        most = math.floor(1e4 * (1 - target.completeness) + 1e-6) / 1e4
        yield Complaint(
            where, f"{target.reserve:g} leaves no plan that could reach completeness {target.completeness:g}", f"use {most:g} or less"
        )


def source_of_rows(resource: Resource) -> Iterator[Complaint]:
    for index, source in enumerate(resource.spec.sources):
        where = f"spec.sources[{index}]"
        if source.spark is not None and source.import_ is not None:
            yield Complaint(where, f"'{source.name}' has both spark and import", "keep one of them")
        if source.spark is None and source.import_ is None:
            yield Complaint(
                where,
                f"'{source.name}' does not say what it reads",
                "add spark: {format: kafka, options: {...}}, or import: {topology: ..., stream: ...}",
            )


def imports_itself(resource: Resource) -> Iterator[Complaint]:
    for index, source in enumerate(resource.spec.sources):
        imported, mine = source.import_, resource.metadata
        if imported is not None and (imported.namespace or mine.namespace, imported.topology) == (mine.namespace, mine.name):
            where = f"spec.sources[{index}].import.topology"
            yield Complaint(where, f"'{imported.topology}' is this topology itself", f"let the operators read '{imported.stream}' directly")


def leases(resource: Resource) -> Iterator[Complaint]:
    """A source that has failed must still find what it had yet to import."""
    timeout = resource.spec.fault_tolerance.failure_timeout
    for index, source in enumerate(resource.spec.sources):
        if source.import_ is not None and source.import_.lease <= timeout:
            lease = shown_duration(source.import_.lease)
            wrong = f"is {lease}, but a failed task is noticed only after failureTimeout, {shown_duration(timeout)}"
            yield Complaint(f"spec.sources[{index}].import.lease", wrong, f"write more than {shown_duration(timeout)}")


def deadlines(resource: Resource) -> Iterator[Complaint]:
    """Of DESIGN's rule the part per stream: replicas x hold + period < deadline < failureTimeout."""
    spec = resource.spec
    needed, timeout = failover_s(spec), spec.fault_tolerance.failure_timeout
    for where, stream in spec.placed_streams:
        if stream.deadline is None:
            continue
        deadline = shown_duration(stream.deadline)
        if stream.deadline <= needed:
            wrong = f"is {deadline}, but {_failover(resource)} take {shown_duration(needed)}"
            yield Complaint(f"{where}.deadline", wrong, f"write more than {shown_duration(needed)}, or lower hold or period")
        elif stream.deadline >= timeout:
            wrong = f"is {deadline}, but after failureTimeout, {shown_duration(timeout)}, the task already counts as failed"
            yield Complaint(f"{where}.deadline", wrong, f"write less than {shown_duration(timeout)}, or raise failureTimeout")


def failure_timeout(resource: Resource) -> Iterator[Complaint]:
    """The same rule where the deadline is derived: it must find room below the timeout."""
    spec = resource.spec
    derived, timeout = deadline_s(spec, None), spec.fault_tolerance.failure_timeout
    implicit = any(stream.deadline is None for stream in spec.streams)
    if implicit and derived >= timeout:
        why = f"the deadline, {shown_duration(derived)}: twice what {_failover(resource)} take"
        wrong = f"is {shown_duration(timeout)}, but must be more than {why}"
        yield Complaint("spec.faultTolerance.failureTimeout", wrong, f"write more than {shown_duration(derived)}, or lower hold or period")


def _failover(resource: Resource) -> str:
    spec = resource.spec
    replicas, hold = spec.fault_tolerance.replicas, shown_duration(spec.epoch.hold)
    return f"{replicas} replicas x {hold} hold + {shown_duration(period_s(spec))} period"


def retention(resource: Resource) -> Iterator[Complaint]:
    """A task that has failed must still find the epochs that it missed."""
    spec = resource.spec
    kept, timeout = spec.epoch.retention, spec.fault_tolerance.failure_timeout
    if kept <= timeout:
        wrong = f"is {shown_duration(kept)}, but a failed task is noticed only after failureTimeout, {shown_duration(timeout)}"
        yield Complaint("spec.epoch.retention", wrong, f"write more than {shown_duration(timeout)}")


def backlog(resource: Resource) -> Iterator[Complaint]:
    """A source that may not be one epoch ahead can never seal."""
    spec = resource.spec
    if spec.epoch.backlog < period_s(spec):
        wrong = f"is {shown_duration(spec.epoch.backlog)}, less than one epoch of {shown_duration(period_s(spec))}"
        yield Complaint("spec.epoch.backlog", wrong, "write at least the time of one epoch")
