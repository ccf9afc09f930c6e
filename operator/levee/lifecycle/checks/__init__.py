"""What a lifecycle promises, checked before anybody lives by it.

Why: a state that cannot be left, or an effect that a crash forgets, is found here and not by a topology in production.
Called by: lifecycle.load.
"""

from levee.lifecycle.checks import rules, walks, words
from levee.lifecycle.checks.effects import EFFECTS
from levee.lifecycle.machine import Machine
from levee.topology.complaint import Complaint
from levee.topology.wording import tidied

STAGES = (words.CHECKS, rules.CHECKS, walks.CHECKS, EFFECTS)  # each takes for granted what those before it have checked


def check(machine: Machine) -> tuple[Complaint, ...]:
    """All mistakes of the first stage that finds any."""
    for stage in STAGES:
        if complaints := tuple(dict.fromkeys(tidied(complaint) for one in stage for complaint in one(machine))):
            return complaints
    return ()
