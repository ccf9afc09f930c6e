"""What an operator that has just come does not know yet is no news.

Why: rates are known only when sources were watched for a while, and pods have yet to say how they are. Whoever told that would write the
status of every topology twice whenever an operator is started again.
Called by: life, before it tells anything.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from levee.control.actions import Decision, Reason
from levee.control.names import Instant
from levee.control.seen import Observation, Phase

HEARD_WITHIN_MS, RATES_WITHIN_MS = 5_000, 30_000


@dataclass(slots=True)
class Arrival:
    told: Decision | None = None  # what people were told last, by whomever
    since: Instant | None = None
    over: bool = False

    def may_act(self, seen: Observation, now: Instant) -> bool:
        """Who was not heard yet is not lost: others would be told to lead in his place."""
        return self.over or self.told is None or self.waited_ms(now) >= HEARD_WITHIN_MS or not has_unheard(seen)

    def knows(self, seen: Observation, decision: Decision, now: Instant) -> bool:
        """As much as who was here before; or it has something to do, or has waited long enough."""
        learns = (
            self.told is not None
            and self.told.reason in {Reason.SETTLED, Reason.INPUT_ABOVE_CONTRACT}
            and decision.reason is Reason.RATES_UNKNOWN
        )
        waits = learns and self.waited_ms(now) < RATES_WITHIN_MS
        self.over = self.over or bool(decision.actions) or (self.may_act(seen, now) and not waits)
        return self.over

    def waited_ms(self, now: Instant) -> int:
        if self.since is None:
            self.since = now
        return now - self.since


def has_unheard(seen: Observation) -> bool:
    return any(worker.phase is Phase.READY and not worker.states for worker in seen.workers)


def told_decision(written: Mapping[str, Any]) -> Decision | None:
    """Of a topology that ran."""
    for one in written.get("conditions") or ():
        if one["type"] == "Healthy" and one["reason"] in set(Reason):
            return Decision(Reason(one["reason"]), str(one["message"]))
    return None
