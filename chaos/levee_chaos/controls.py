"""What every experiment with our actions should have: it ends when one of them fails, can be followed, and leaves nothing behind.

Why: to Chaos Toolkit an action that fails is no deviation, its journal is written in the end, and rollbacks are for what went well.
The arguments are those of a control's provider: `directory`, `topology` and `namespace` say which topology; `lost_for_s`: abort when the
steady state is lost for longer than that; `every_s`: how often to look; `namespaces`: all that may be touched; `allow_last`: whether the
last copy of what runs the cluster may be; `only_operators`, `only_nodes`: who may be hit; `time_limit_s`: abort when it takes longer.
Called by: `chaos run`, at each step of an experiment that names this module as a control.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Timer
from typing import Any

from chaoslib.exceptions import InterruptExecution, InvalidActivity
from chaoslib.exit import exit_gracefully

from levee_chaos import inflicting, judging, limits, rehearsing, steady, streams, telling, terms
from levee_chaos.keeping import Keeping
from levee_chaos.refusals import Refused
from levee_chaos.safeguard import Looking, Loss, ending_after
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.world import Where

Document = dict[str, Any]
logger = logging.getLogger("chaostoolkit")


@dataclass(slots=True)
class Course:
    """Of the experiment that this process runs."""

    keeping: Keeping | None = None
    looking: Looking | None = None
    rolls_back: bool = False
    ends: Timer | None = None  # when its time is over


course = Course()


# ---- the experiment


def validate_control(control: Document) -> None:
    """By `chaos validate`, too."""
    try:
        terms.check_names(control["provider"].get("arguments") or {})
    except Refused as wrong:
        raise InvalidActivity(str(wrong)) from wrong


def before_experiment_control(
    context: Document,
    configuration: Document | None = None,
    secrets: Document | None = None,
    directory: str = "",
    topology: str = "",
    namespace: str = "",
    namespaces: Sequence[str] | str = (),
    allow_last: bool | str = False,
    only_operators: Sequence[str] | str = (),
    only_nodes: Sequence[str] | str = (),
    time_limit_s: float | str | None = None,
    lost_for_s: float | str | None = None,
    every_s: float | str | None = None,
    **_: Any,
) -> None:
    """Refuses what can be refused now, and remembers the streams as they are, for the probe no_epoch_lost_or_changed."""
    course.keeping, course.looking, course.rolls_back = None, None, False
    operators, nodes = telling.names_in(only_operators), telling.names_in(only_nodes)
    limits.limit(telling.names_in(namespaces), allow_last=telling.is_so(allow_last), operators=operators, nodes=nodes)
    try:
        terms.check_numbers(lost_for_s=lost_for_s, every_s=every_s, time_limit_s=time_limit_s)
        world = find(Where(topology, directory, namespace))
        rehearsing.rehearse(context.get("method", ()), configuration or {}, secrets or {})
        course.keeping = Keeping(world.folder)
        course.keeping.place.mkdir(parents=True, exist_ok=True)
        streams.remember(world, course.keeping.mark)
    except (Refused, OSError) as wrong:
        raise InterruptExecution(str(wrong)) from wrong
    tell("began", title=context["title"])
    course.ends = ending_after(steady.seconds(time_limit_s), lambda limit_s: give_up("TimeLimit", f"it took longer than {limit_s:g} s"))


def after_experiment_control(state: Document, **_: Any) -> None:
    """Whatever happened: nothing that this experiment has done outlives it."""
    if course.ends is not None:
        course.ends.cancel()
    if course.keeping is not None:
        try:
            for what in inflicting.undo_all(course.keeping):
                logger.warning("levee-chaos: undone at the end: %s", what)
        except Refused as left:
            state["status"] = "failed"
            logger.error("%s", left)
    judging.judge(state)
    tell("ended", status=state["status"], deviated=state["deviated"])


# ---- its activities


def before_activity_control(context: Document, **_: Any) -> None:
    tell("begins", activity=context["name"])


def after_activity_control(context: Document, state: Document | None = None, **_: Any) -> None:
    if state is None:
        return
    tell("ends", activity=context["name"], status=state["status"], output=state["output"], error=judging.error_of(state))
    if judging.has_failed(state) and context["type"] == "action" and not course.rolls_back:
        raise InterruptExecution(f"The experiment ends here: its action '{context['name']}' has failed. {judging.error_of(state)}")


def before_rollback_control(**_: Any) -> None:
    """From here on each rollback gets its turn, whatever becomes of the others."""
    course.rolls_back = True


# ---- its method


def before_method_control(
    context: Document,
    configuration: Document | None = None,
    secrets: Document | None = None,
    lost_for_s: float | None = None,
    every_s: float = 1.0,
    **_: Any,
) -> None:
    probes = steady.probes_in(context)
    if probes:
        course.looking = Looking(
            lambda: steady.wrong_in(probes, configuration or {}, secrets or {}), float(every_s), steady.seconds(lost_for_s), abort
        )


def after_method_control(**_: Any) -> None:
    if course.looking is not None:
        loss = course.looking.end()
        tell("looked", longestLossS=round(loss.longest_s, 1), why=loss.why)
        logger.info("levee-chaos: while the method ran the steady state was lost for at most %.1f s. %s", loss.longest_s, loss.why)


def abort(loss: Loss) -> None:
    give_up("SteadyStateLost", f"the steady state is lost for {loss.longest_s:.1f} s, longer than is allowed. {loss.why}")


def give_up(reason: str, why: str) -> None:
    """At once, and with rollbacks."""
    logger.error("levee-chaos: aborting: %s", why)
    tell("aborts", reason=reason, why=why)
    exit_gracefully()


def tell(event: str, **what: object) -> None:
    if course.keeping is not None:
        course.keeping.tell(event, what)
