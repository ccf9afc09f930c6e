"""What people read of a topology: conditions, numbers, and the words for what is going on.

Why: pure, so that each sentence that kubectl shows is a test; and only what has changed is written, since every write wakes everybody.
Called by: life, after every turn.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from levee.control.account import Statement
from levee.control.actions import Decision, Reason
from levee.control.names import Instant
from levee.control.rules import ALL_DONE
from levee.control.seen import Observation
from levee.control.standing import CAUGHT_UP_EPOCHS, lag, unready, usable
from levee.control.wanted import Wanted
from levee.lifecycle.position import Failing, Position
from levee.serve import shares
from levee.serve.promises import Promise
from levee.worlds.plans import Worth

WELL = {
    *(Reason.SETTLED, Reason.RATES_UNKNOWN, Reason.ALL_READY, Reason.FIRST_EPOCHS, Reason.RATES_CHANGED, Reason.WAITING, Reason.OPENING),
    Reason.CATCHING_UP,
}
LIVING = {"dispatching", "running", "updating", "reshaping", "reverting", "completing"}
AT_REST = {"suspended", "failed", "canceled", "completed"}
TO_BE_PLANNED = {"submitted", "parsing", "mapping", "optimizing"}
MESSAGE_MAX = 4_000
READABLE = ("observedGeneration", "conditions", "plan", "configuration", "replicas", "lagEpochs", "account")  # nobody acts by it
GOES_ON = "; it goes on as its last good resource said"
START = Instant(0)


@dataclass(frozen=True, slots=True)
class Scene:
    """All that a status is made of."""

    generation: int
    position: Position
    worth: Worth | None
    trouble: tuple[str, str]  # why the resource or its plan was refused
    wanted: Wanted | None = None
    seen: Observation | None = None
    decision: Decision | None = None
    now: Instant = START
    silent: str = ""  # why the store does not answer
    bounded: bool = False  # its sources come to an end
    promise: Promise | None = None
    planned_before: "Said | None" = None  # as the operator before has told it
    hindered: str = ""  # why what is to be done cannot be
    caveat: str = ""  # what no plan can mend
    account: Statement | None = None
    descriptor: "Said | None" = None  # whether it runs as it was planned for; None: it is not known, or nobody wants to know


@dataclass(frozen=True, slots=True)
class Said:
    kind: str
    status: str
    reason: str
    message: str


def fields(scene: Scene) -> dict[str, Any]:
    """Without the stamps of the conditions, which tell when one of them changed."""
    told: dict[str, Any] = {"observedGeneration": scene.generation, "conditions": [vars_of(one) for one in conditions(scene)]}
    if scene.worth is not None:
        worth = scene.worth
        shown = {name: short(getattr(worth, name)) for name in ("guarantee", "cost", "gap")}
        told["plan"] = shown | {"optimiser": worth.optimiser}
    if scene.wanted is not None and scene.seen is not None:
        told |= numbers(scene, scene.wanted, scene.seen)
    if scene.account is not None and scene.account.achieved is not None:
        told["account"] = shares.told(scene.account)
    if scene.position.state in AT_REST:
        told |= {"replicas": {"active": 0, "desired": 0}, "lagEpochs": 0}
    return told


def short(value: float | None) -> float | None:
    """People read it in a column. Never more than there is."""
    return None if value is None else math.floor(value * 10_000) / 10_000


def numbers(scene: Scene, wanted: Wanted, seen: Observation) -> dict[str, Any]:
    active = set(wanted.active[seen.configuration]) if seen.configuration is not None else set()
    working = sum(one not in seen.joining and usable(wanted, seen, scene.now, one) for one in active)
    return {
        "configuration": seen.configuration,
        "replicas": {"active": working, "desired": len(active)},
        "lagEpochs": lag(wanted, seen),
    }


def conditions(scene: Scene) -> tuple[Said, ...]:
    known = (scene.descriptor,) if scene.descriptor is not None else ()
    found = ready(scene), planned(scene), healthy(scene), met(scene), *known
    return (*found, complete(scene)) if scene.bounded else found


def complete(scene: Scene) -> Said:
    """As a Job has it, for who waits: only a topology whose sources end can be."""
    if scene.position.state == "completed":
        return Said("Complete", "True", "AllComputed", ALL_DONE)
    return Said(
        "Complete", "False", str(scene.position.state).capitalize(), "its sources have not come to their ends, or not all is computed"
    )


def ready(scene: Scene) -> Said:
    state = str(scene.position.state)
    if scene.position.failing is not None and not (waits(scene) and scene.seen is not None):
        return Said("Ready", "False", failing(scene.position.failing), scene.position.failing.why)
    if state == "completed":
        return Said("Ready", "False", "Completed", f"{ALL_DONE}; its replicas are gone")
    reason, words = scene.trouble
    if words and state not in LIVING:
        return Said("Ready", "False", reason, words)
    if state not in LIVING or scene.wanted is None or scene.seen is None:
        return Said("Ready", "False", state.capitalize(), f"it is {state}")
    missing = unready(scene.wanted, scene.seen, scene.now)
    if not missing:
        return Said("Ready", "True", "AllReady", "every planned replica works and has done an epoch")
    why = starting(scene.seen) or waiting(scene.seen) or (scene.decision.text if scene.decision is not None else "")
    shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
    return Said("Ready", "False", "ReplicasNotReady", f"{shown} cannot work yet" + (f": {why}" if why else ""))


def waits(scene: Scene) -> bool:
    """With an edit, or with what is to be mended, while what is in force goes on."""
    goes_on = scene.position.state in LIVING - {"dispatching"}
    return goes_on and scene.position.failing is not None and not scene.position.failing.counted


def failing(what: Failing) -> str:
    if what.until is None:
        return "Failed"
    return "Retrying" if what.counted else "Waiting"


def waiting(seen: Observation) -> str:
    return "; ".join(sorted({f"{one.task} waits: {one.waits}" for one in seen.states().values() if one.waits})[:3])


def starting(seen: Observation) -> str:
    """What keeps pods from starting; most often all for the same reason."""
    told = sorted({worker.ending for worker in seen.workers if worker.ending and not worker.works})
    return "; ".join(told[:3])


def planned(scene: Scene) -> Said:
    reason, words = scene.trouble
    if words:
        goes_on = scene.worth is not None and scene.position.state in LIVING
        return Said("Planned", "False", reason, words + GOES_ON if goes_on else words)
    if scene.position.failing is not None and waits(scene) and scene.position.state in {"updating", "reverting"}:
        return Said("Planned", "Unknown", "Waiting", scene.position.failing.why)
    if scene.worth is None:
        rests = None if scene.position.state in TO_BE_PLANNED else scene.planned_before
        later = "it is planned anew when it is resumed" if scene.position.state == "suspended" else "it has not been planned yet"
        return rests or Said("Planned", "Unknown", "NotYet", later)
    worth = scene.worth
    gap = (
        "proven to be the best"
        if worth.gap == 0
        else f"at most {max(worth.gap, 0.001):.1%} from the best"
        if worth.gap is not None
        else "the best found"
    )
    value = "no guarantee" if worth.guarantee is None else f"a guarantee of {worth.guarantee:.3f}"
    return Said("Planned", "True", "PlanFound", f"{value} by {worth.optimiser}, {gap}{'; ' + scene.caveat if scene.caveat else ''}")


def told_trouble(written: Mapping[str, Any]) -> tuple[str, str]:
    """Why the resource was refused, as the operator before has told it: a new one reads it no second time."""
    for one in written.get("conditions") or ():
        if one["type"] == "Planned" and one["status"] == "False":
            return str(one["reason"]), str(one["message"]).removesuffix(GOES_ON)
    return "", ""


def told_plan(written: Mapping[str, Any]) -> Said | None:
    """Who takes over a topology that rests does not read its plan before it is resumed."""
    for one in written.get("conditions") or ():
        if one["type"] == "Planned" and one["status"] == "True":
            return Said("Planned", "True", str(one["reason"]), str(one["message"]))
    return None


def healthy(scene: Scene) -> Said:
    decision = scene.decision
    if scene.seen is None or decision is None:
        return Said("Healthy", "Unknown", "NotRunning", "it does not run")
    if scene.silent:
        return Said("Healthy", "False", Reason.STORE_SILENT.value, f"the store does not answer: {scene.silent}")
    if scene.hindered:
        return Said("Healthy", "False", "CannotAct", f"{decision.text}; {scene.hindered}")
    if scene.position.failing is not None and waits(scene) and scene.position.state in {"running", "completing"}:
        return Said("Healthy", "False", "CannotAct", scene.position.failing.why)
    if decision.reason in WELL:
        return Said("Healthy", "True", decision.reason.value, decision.text or "all is well")
    return Said("Healthy", "False", decision.reason.value, decision.text)


def met(scene: Scene) -> Said:
    """What is guaranteed with those that could take over now, and what was asked for."""
    promise, state = scene.promise, str(scene.position.state)
    if state in AT_REST:
        return Said("GuaranteeMet", "Unknown", state.capitalize(), f"nothing of it runs: it is {state}")
    if promise is None or scene.seen is None or scene.seen.configuration is None or not scene.seen.anchored:
        return Said("GuaranteeMet", "Unknown", "NotRunning", "it does not run yet")
    told = f"guarantees {math.floor(promise.now * 100 + 1e-9) / 100:.2f} now, wanted {promise.wanted:g}"
    missing = promise.missing
    if not missing:
        return Said("GuaranteeMet", str(promise.holds), "AllActive", f"{told}: all active replicas have caught up")
    shown = ", ".join(missing[:5]) + (f" and {len(missing) - 5} more" if len(missing) > 5 else "")
    reason = "EnoughActive" if promise.holds else "ReplicasMissing"
    return Said("GuaranteeMet", str(promise.holds), reason, f"{told}: {shown} cannot take over now")


def vars_of(said: Said) -> dict[str, Any]:
    return {"type": said.kind, "status": said.status, "reason": said.reason, "message": said.message[:MESSAGE_MAX]}


def stamped(told: dict[str, Any], before: Mapping[str, Any], generation: int, now: str) -> dict[str, Any]:
    """With when each condition changed last: its status, not its words."""
    known = {one["type"]: one for one in before.get("conditions") or ()}
    conditions = []
    for one in told["conditions"]:
        same = known.get(one["type"], {}).get("status") == one["status"]
        since = known[one["type"]]["lastTransitionTime"] if same else now
        conditions.append(one | {"lastTransitionTime": since, "observedGeneration": generation})
    numbers = steadied(before.get("lagEpochs"), told.get("lagEpochs")) | shares.steadied(before.get("account"), told.get("account"))
    return told | {"conditions": conditions} | numbers


def steadied(before: int | None, now: int | None) -> dict[str, int | None]:
    """A lag that moves a little is no news: of thousands of topologies each would be written all the time."""
    if now is None:
        return {}
    return {"lagEpochs": before if before is not None and abs(now - before) <= max(CAUGHT_UP_EPOCHS, before // 2) else now}


def changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """A null in what is told takes away what is there; where nothing is there, it says nothing."""
    return {name: value for name, value in now.items() if bare(before.get(name)) != bare(value)}


def overwritten(told: Mapping[str, Any], found: Mapping[str, Any]) -> list[str]:
    """What others have made of it; the lifecycle's own fields are not for here, since they are read."""
    return [name for name in READABLE if name in told and bare(told[name]) != bare(found.get(name))]


def bare(value: Any) -> Any:
    return {key: bare(one) for key, one in value.items() if one is not None} if isinstance(value, Mapping) else value
