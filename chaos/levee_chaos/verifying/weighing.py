"""From what was seen of a trial to its outcome: what is promised under what was really met, what was measured, and the verdict.

Called by: taking.
"""

from dataclasses import dataclass

from levee.control.names import ReplicaName
from levee.fit.verdicts import Verdict
from levee.topology.names import TaskId
from levee_chaos.verifying.course import Course, Window
from levee_chaos.verifying.harm import harm
from levee_chaos.verifying.judging import Measured, Outcome, Scale, judged
from levee_chaos.verifying.promises import Promised
from levee_chaos.verifying.seeing import Lines
from levee_chaos.verifying.striking import Met
from levee_chaos.verifying.trials import Kind, Trial


@dataclass(frozen=True, slots=True)
class Seen:
    before: Lines
    course: Course
    met: Met
    began_ms: int
    ended_ms: int
    recovered_s: float | None

    @property
    def fault(self) -> Window:
        return Window(self.began_ms, self.ended_ms)


def outcome(trial: Trial, promised: Promised, seen: Seen, before_s: float, scale: Scale) -> Outcome:
    promise = promised.under(seen.met.dead, trial.at)
    measured = measured_of(promised, trial, seen, before_s, scale)
    verdict, why = judged(promise, measured, scale)
    if trial.kind is Kind.WORST and (survivors := survived(seen)):
        verdict, why = Verdict.INCONCLUSIVE, f"{survivors[0]} was to be dead, and has committed epochs meanwhile"
    return Outcome(trial, verdict, why, seen.met.what, promise, measured, seen.course, seen.fault)


def measured_of(promised: Promised, trial: Trial, seen: Seen, before_s: float, scale: Scale) -> Measured:
    found, fault = seen.course, seen.fault

    def worth(missed: frozenset[TaskId]) -> float:
        return promised.without(missed, trial.at).fidelity

    calm = Window(fault.since_ms - round(1_000 * before_s), fault.since_ms - max(found.allowed_ms.values(), default=0))
    hit = Window(
        fault.since_ms - found.period_ms, fault.until_ms
    )  # what was under way when it came is the first that it can have made late
    after = {task: {epoch: one.manifest for epoch, one in line.items()} for task, line in found.committed.items()}
    return Measured(
        found.completeness(hit),
        found.mean(hit, worth),
        found.mean(calm, worth) if scale.fidelity else found.completeness(calm),
        found.gap_ms(fault),
        seen.recovered_s,
        found.period_ms,
        harm(seen.before, after),
    )


def survived(seen: Seen) -> list[ReplicaName]:
    """Who was to be dead by then, and was not. A first while is theirs: what they had sent may still arrive."""
    late = Window(seen.met.done_ms + seen.course.period_ms, seen.ended_ms)
    writers = {one.manifest.writer for line in seen.course.committed.values() for one in line.values() if late.holds(one.at_ms)}
    return sorted(seen.met.dead & {ReplicaName(one.partition("@")[0]) for one in writers})
