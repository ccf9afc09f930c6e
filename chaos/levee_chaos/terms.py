"""The arguments of the control, as an experiment says them: a safeguard that is misspelt would be none.

Called by: controls.
"""

from collections.abc import Mapping
from typing import Any

from levee.plans.ending import use_instead
from levee.topology.complaint import Complaint
from levee_chaos.refusals import NOTHING, Refused
from levee_chaos.telling import at_least

NUMBERS = {"lost_for_s": 0.0, "every_s": 0.05, "time_limit_s": 0.0}  # and the least of each
NAMES = ("directory", "topology", "namespace", "namespaces", "allow_last", "only_operators", "only_nodes", *NUMBERS)


def check_names(arguments: Mapping[str, Any]) -> None:
    wrong = [
        Complaint(f"controls: {name}", "is no argument of the control", use_instead(name, NAMES)) for name in arguments if name not in NAMES
    ]
    if wrong:
        raise Refused("levee-chaos: the control levee_chaos.controls is not understood.", wrong)


def check_numbers(**told: float | str | None) -> None:
    """As they are when variables stand for what they mean."""
    wrong: list[Complaint] = []
    for name, value in told.items():
        if value is not None and value != "":
            try:
                at_least(name, value, NUMBERS[name])  # type: ignore[arg-type]  # a text that is a number will do
            except Refused as refused:
                wrong += [Complaint(f"controls: {one.where}", one.wrong, one.fix) for one in refused.complaints]
    if wrong:
        raise Refused(NOTHING, wrong)
