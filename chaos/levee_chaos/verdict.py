"""What an experiment has shown: one word, why, and numbers; from Chaos Toolkit's journal and from what was told meanwhile.

Why: Chaos Toolkit knows completed and deviated. Whoever asks whether a topology survives must be told the difference between one that did
not, and a fault that never happened. The rules stand in one tuple; the first that speaks wins.
Called by: job.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from levee.experiments.rendering import RECOVERED
from levee.experiments.status import Phase
from levee_chaos.findings import Document, Seen, before_of, faults, figures, module_of, name_of, raised, steps, survived, unmet, why

TEXT_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Verdict:
    phase: Phase
    reason: str
    message: str
    undone: bool = True
    figures: Document = field(default_factory=dict)
    steps: Sequence[Document] = ()

    def document(self) -> dict[str, Any]:
        told = {"phase": self.phase.value, "reason": self.reason, "message": self.message[:TEXT_MAX], "undone": self.undone}
        return told | {"figures": dict(self.figures), "steps": list(self.steps)}


Rule: TypeAlias = Callable[[Seen], tuple[Phase, str, str] | None]


def verdict(seen: Seen) -> Verdict:
    for rule in RULES:  # the first that speaks wins
        if found := rule(seen):
            return Verdict(*found, seen.undone, figures(seen), steps(seen))
    return Verdict(Phase.PASSED, "Survived", survived(seen), seen.undone, figures(seen), steps(seen))


# ---- rules


def died(seen: Seen) -> tuple[Phase, str, str] | None:
    if seen.journal is not None:
        return None
    if seen.stopped:
        return Phase.ABORTED, "Stopped", "it was stopped"
    return Phase.INCONCLUSIVE, "Died", f"it ended without a journal: {seen.last_words}"


def aborted(seen: Seen) -> tuple[Phase, str, str] | None:
    """By what it has told itself: to Chaos Toolkit all of these are interruptions."""
    for one in seen.told:
        if one["event"] == "aborts":
            return Phase.ABORTED, str(one.get("reason", "SteadyStateLost")), str(one.get("why", ""))
    return (Phase.ABORTED, "Stopped", "it was stopped, and has undone what it had done") if seen.stopped else None


def never_began(seen: Seen) -> tuple[Phase, str, str] | None:
    before = before_of(seen)
    if before is None and not seen.runs and (seen.journal or {}).get("status") == "interrupted":
        return Phase.REFUSED, "CannotBegin", seen.last_words
    if before is not None and not before["steady_state_met"]:
        return Phase.INCONCLUSIVE, "NotSteadyBefore", f"nothing was done: {unmet(before)}"
    return None


def moment_never_came(seen: Seen) -> tuple[Phase, str, str] | None:
    if seen.failed is None or module_of(seen.failed) != "levee_chaos.triggers":
        return None
    return Phase.INCONCLUSIVE, "NeverFired", f"{name_of(seen.failed)}: {why(seen.failed)}"


def not_done(seen: Seen) -> tuple[Phase, str, str] | None:
    """A fault that was not done proves nothing; if it was the first, nothing has happened at all."""
    if seen.failed is None or seen.failed["activity"]["type"] != "action":
        return None
    was_refused = "refusals.Refused" in raised(seen.failed)
    text = f"{name_of(seen.failed)}: {why(seen.failed)}"
    if was_refused and not faults(seen):
        return Phase.REFUSED, "StepRefused", text
    return Phase.INCONCLUSIVE, "StepRefused" if was_refused else "StepFailed", text


def streams_differ(seen: Seen) -> tuple[Phase, str, str] | None:
    if not seen.lost and not seen.changed:
        return None
    reason = "EpochsLost" if seen.lost else "EpochsChanged"
    return Phase.FAILED, reason, f"{seen.lost} epochs are lost, {seen.changed} are not what they were"


def not_recovered(seen: Seen) -> tuple[Phase, str, str] | None:
    if seen.failed is None:
        return None
    reason = "NotRecovered" if name_of(seen.failed) == RECOVERED else "StepFailed"
    return Phase.FAILED, reason, f"{name_of(seen.failed)}: {why(seen.failed)}"


def not_steady_after(seen: Seen) -> tuple[Phase, str, str] | None:
    after = ((seen.journal or {}).get("steady_states") or {}).get("after")
    return (Phase.FAILED, "NotSteadyAfter", unmet(after)) if after is not None and not after["steady_state_met"] else None


def not_undone(seen: Seen) -> tuple[Phase, str, str] | None:
    wrong = next((one for one in (seen.journal or {}).get("rollbacks") or () if one.get("status") == "failed"), None)
    return (Phase.FAILED, "NotUndone", why(wrong)) if wrong is not None and not seen.undone else None


def not_completed(seen: Seen) -> tuple[Phase, str, str] | None:
    """What else Chaos Toolkit is not content with."""
    journal = seen.journal or {}
    if journal.get("status") == "completed" and not journal.get("deviated"):
        return None
    return Phase.INCONCLUSIVE, "Interrupted", seen.last_words or f"Chaos Toolkit calls it {journal.get('status')}"


RULES: tuple[Rule, ...] = (
    *(died, aborted, never_began, moment_never_came, not_done, streams_differ),
    *(not_recovered, not_steady_after, not_undone, not_completed),
)
