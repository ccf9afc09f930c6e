"""Decide what one topology needs next.

Why: every rule that may start or stop a replica is listed in RULES, so they are reviewed together.
Called by: worlds.loop, at every observation.
"""

from collections.abc import Callable
from typing import TypeAlias

from levee.control import findings, following, rules
from levee.control.actions import Decision, Reason
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.control.wanted import Wanted

Rule: TypeAlias = Callable[[Wanted, Observation, Instant], Decision | None]

RULES: tuple[Rule, ...] = (  # the first that speaks wins: end before repair, repair before economy, and then say how things are
    rules.finish_when_completed,
    rules.finish_when_stopped,
    rules.wait_for_nodes,
    rules.cancel_if_wanted,
    rules.open_the_log,
    rules.stop_when_all_have_ended,
    rules.let_survivors_lead,
    rules.start_what_is_planned,
    rules.replace_lost_workers,
    rules.leave_dead_nodes,
    rules.leave_cordoned_nodes,
    rules.end_what_hangs,
    rules.leave_refuges,
    rules.set_the_clock,
    following.follow_rates,
    findings.say_what_failed,
    findings.say_what_is_damaged,
    findings.say_what_was_given_up,
    findings.wait_until_ready,
    findings.wait_for_the_last_epoch,
    findings.say_what_is_missing,
    findings.wait_for_first_epochs,
    following.say_what_is_above,
    findings.say_who_joins,
    findings.miss_rates,
)


def decide(wanted: Wanted, seen: Observation, now: Instant) -> Decision:
    for rule in RULES:
        decision = rule(wanted, seen, now)
        if decision is not None and not (decision.needs_store and is_silent(seen)):
            return decision
    return Decision(Reason.SETTLED, "all replicas are where they should be")


def is_silent(seen: Observation) -> bool:
    """What would be written waits until the store serves again; what needs no store, such as a restart, does not wait behind it."""
    return seen.silent and seen.opened
