"""What every experiment with our actions should have: it ends when one of them fails, can be followed, and leaves nothing behind.

Why: to Chaos Toolkit an action that fails is no deviation, its journal is written in the end, and rollbacks are for what went well.
The arguments are those of a control's provider: `directory` and `topology` say which run; `lost_for_s`: abort when the steady state is
lost for longer than that; `every_s`: how often to look.
Called by: `chaos run`, at each step of an experiment that names this module as a control.
"""

import json
import logging
from dataclasses import dataclass
from typing import Any

from chaoslib.activity import run_activity
from chaoslib.exceptions import ActivityFailed, InterruptExecution
from chaoslib.exit import exit_gracefully
from chaoslib.hypothesis import within_tolerance

from levee.worlds.local.folder import Folder
from levee_chaos import inflicting, streams
from levee_chaos.keeping import Keeping, append, utc_ms
from levee_chaos.refusals import Refused
from levee_chaos.safeguard import Looking, Loss
from levee_chaos.worlds.local_run import find

Document = dict[str, Any]
VERDICTS = {"no_epoch_lost_or_changed", "output_equals_golden"}  # read much, and lose nothing by being asked in the end
logger = logging.getLogger("chaostoolkit")


@dataclass(slots=True)
class Course:
    """Of the experiment that this process runs."""

    keeping: Keeping | None = None
    looking: Looking | None = None
    rolls_back: bool = False


course = Course()


# ---- the experiment


def before_experiment_control(context: Document, directory: str = "", topology: str = "", **_: Any) -> None:
    """Remembers the streams as they are, for the probe no_epoch_lost_or_changed."""
    course.keeping, course.looking, course.rolls_back = None, None, False
    try:
        run = find(directory, topology)
        course.keeping = Keeping(run.folder.path)
        streams.remember(run, course.keeping.mark)
    except (Refused, OSError) as wrong:
        raise InterruptExecution(str(wrong)) from wrong
    tell("began", title=context["title"])


def after_experiment_control(state: Document, **_: Any) -> None:
    """Whatever happened: nothing that this experiment has done outlives it."""
    if course.keeping is not None:
        for what in inflicting.undo_all(Folder(course.keeping.folder)):
            logger.warning("levee-chaos: undone at the end: %s", what)
    judge(state)
    tell("ended", status=state["status"], deviated=state["deviated"])


def judge(state: Document) -> None:
    """What Chaos Toolkit calls completed: an experiment that was never done, and one whose probes or rollbacks have failed."""
    before = state["steady_states"]["before"]
    never = before is not None and not before["steady_state_met"]
    probes = [run for run in state["run"] if has_failed(run) and run["activity"]["type"] == "probe"]
    state["deviated"] = state["deviated"] or bool(probes)
    if state["status"] == "completed" and (never or probes or any(map(has_failed, state["rollbacks"]))):
        state["status"] = "failed"


# ---- its activities


def before_activity_control(context: Document, **_: Any) -> None:
    tell("begins", activity=context["name"])


def after_activity_control(context: Document, state: Document | None = None, **_: Any) -> None:
    if state is None:
        return
    tell("ends", activity=context["name"], status=state["status"], output=state["output"], error=error_of(state))
    if has_failed(state) and context["type"] == "action" and not course.rolls_back:
        raise InterruptExecution(f"The experiment ends here: its action '{context['name']}' has failed. {error_of(state)}")


def before_rollback_control(**_: Any) -> None:
    """From here on each rollback gets its turn, whatever becomes of the others."""
    course.rolls_back = True


def has_failed(run: Document) -> bool:
    ours = str(run["activity"].get("provider", {}).get("module", "")).startswith("levee_chaos.")
    return ours and run["status"] == "failed"


def error_of(state: Document) -> str:
    return "".join(state.get("exception") or ()).strip()


# ---- its method


def before_method_control(
    context: Document,
    configuration: Document | None = None,
    secrets: Document | None = None,
    lost_for_s: float | None = None,
    every_s: float = 1.0,
    **_: Any,
) -> None:
    probes = [one for one in context.get("steady-state-hypothesis", {}).get("probes", []) if one["provider"].get("func") not in VERDICTS]
    if probes:
        course.looking = Looking(lambda: wrong_in(probes, configuration or {}, secrets or {}), float(every_s), seconds(lost_for_s), abort)


def after_method_control(**_: Any) -> None:
    if course.looking is not None:
        loss = course.looking.end()
        tell("looked", longestLossS=round(loss.longest_s, 1), why=loss.why)
        logger.info("levee-chaos: while the method ran the steady state was lost for at most %.1f s. %s", loss.longest_s, loss.why)


def seconds(told: float | str | None) -> float | None:
    return None if told is None or told == "" else float(told)


def wrong_in(probes: list[Document], configuration: Document, secrets: Document) -> str:
    """The first probe that does not hold, and why."""
    for probe in probes:
        try:
            found = run_activity(probe, configuration, secrets)
        except ActivityFailed as failed:
            return f"{probe['name']}: {failed}"
        if not within_tolerance(probe["tolerance"], found, configuration, secrets):
            return f"{probe['name']}: {found}"
    return ""


def abort(loss: Loss) -> None:
    """At once, and with rollbacks."""
    logger.error("levee-chaos: aborting: the steady state is lost for longer than is allowed. %s", loss.why)
    tell("aborts", lostForS=round(loss.longest_s, 1), why=loss.why)
    exit_gracefully()


# ---- its account


def tell(event: str, **what: object) -> None:
    """As it happens, one line each, on the disk: what was so far is known of an experiment that was killed, too."""
    if course.keeping is not None:
        line = {"atUtcMs": utc_ms(), "event": event, **{name: value for name, value in what.items() if value is not None and value != ""}}
        with course.keeping.held():  # the safeguard speaks from a thread of its own
            append(course.keeping.stream, json.dumps(line, default=str).encode() + b"\n")
