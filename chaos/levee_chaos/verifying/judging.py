"""What was measured under a fault, and whether that is what was promised: Passed, Failed, or Inconclusive.

Why: a fault that did not come, or a machine that was late before it came, has shown nothing: that is neither a promise kept nor one broken.
Called by: taking, telling, page.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from levee.fit.verdicts import Verdict
from levee.plans.ending import Exit
from levee_chaos.verifying.course import Course, Window
from levee_chaos.verifying.harm import Harm
from levee_chaos.verifying.promises import Promise
from levee_chaos.verifying.trials import Trial

ENDS = {Verdict.PASSED: Exit.OK, Verdict.FAILED: Exit.REFUSED, Verdict.INCONCLUSIVE: Exit.USAGE}


@dataclass(frozen=True, slots=True)
class Measured:
    """While the fault stood, and for as long before it."""

    completeness: float | None  # of the rows that were due, those that were processed in time
    fidelity: float | None
    before: float | None  # the same as what is judged, before the fault
    gap_ms: int  # the longest time without an epoch of the output
    recovery_s: float | None  # since the fault, or the end of one that lasts, until all planned replicas worked. None: they did not
    period_ms: int
    harm: Harm = field(default_factory=Harm)

    @property
    def gap_epochs(self) -> float:
        return self.gap_ms / self.period_ms


@dataclass(frozen=True, slots=True)
class Outcome:
    trial: Trial
    verdict: Verdict
    why: str = ""
    met: str = ""  # whom the fault met
    promise: Promise | None = None  # under what was met
    measured: Measured | None = None
    course: Course | None = None
    fault: Window | None = None


@dataclass(frozen=True, slots=True)
class Scale:
    """By what is judged."""

    fidelity: bool = False  # what the plan is for; else completeness
    tolerance: float = 0.02

    def of(self, promise: Promise) -> float:
        return promise.fidelity if self.fidelity else promise.completeness

    def reached(self, measured: Measured) -> float | None:
        return measured.fidelity if self.fidelity else measured.completeness

    @property
    def noun(self) -> str:
        return "of the input was reflected in output in time" if self.fidelity else "of the rows were processed in time"


def judged(promise: Promise, measured: Measured, scale: Scale) -> tuple[Verdict, str]:
    """The worst first."""
    if measured.harm.texts:
        more = len(measured.harm.texts) - 1
        return Verdict.FAILED, measured.harm.texts[0] + (f", and {more} more" if more else "")
    if measured.recovery_s is None:
        return Verdict.FAILED, "not every planned replica worked again"
    wanted, reached = scale.of(promise), scale.reached(measured)
    if reached is None:
        return Verdict.INCONCLUSIVE, "no row was due while the fault stood"
    if reached >= wanted - scale.tolerance:
        return Verdict.PASSED, ""
    if measured.before is None or measured.before < 1 - scale.tolerance:
        told = "nothing was due" if measured.before is None else f"only {measured.before:.1%} {scale.noun}"
        return Verdict.INCONCLUSIVE, f"{told} before the fault, so what the fault took cannot be told"
    return Verdict.FAILED, f"{reached:.1%} {scale.noun}, and {wanted:.1%} was promised"


def worst(outcomes: Sequence[Outcome]) -> Verdict:
    """Not to know is worse than to have passed; a failure is worse than not to know. Nothing tried: nothing is known."""
    found = {one.verdict for one in outcomes}
    order = (Verdict.FAILED, Verdict.INCONCLUSIVE, Verdict.PASSED)
    return next((one for one in order if one in found), Verdict.INCONCLUSIVE)
