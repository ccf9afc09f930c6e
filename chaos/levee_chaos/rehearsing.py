"""All faults of an experiment, aimed and checked before the first of them is done.

Why: an experiment that would be refused half-way has done harm for nothing. Who is not there yet may come: that is judged when its turn is.
Called by: controls, before an experiment.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chaoslib import substitute

from levee.topology.complaint import Complaint
from levee_chaos import actions, inflicting
from levee_chaos.aim import Passing
from levee_chaos.refusals import Refused

OURS = "levee_chaos.actions"


def rehearse(method: Sequence[Mapping[str, Any]], configuration: Mapping[str, Any], secrets: Mapping[str, Any]) -> None:
    """Refused, with everything that is wrong."""
    with inflicting.rehearsal():
        wrong = [complaint for one in method for complaint in wrong_with(one, configuration, secrets)]
    if wrong:
        raise Refused("levee-chaos: the experiment is refused, and nothing was done.", list(dict.fromkeys(wrong)))


def wrong_with(activity: Mapping[str, Any], configuration: Mapping[str, Any], secrets: Mapping[str, Any]) -> Iterator[Complaint]:
    provider = activity.get("provider", {})
    name = provider.get("func")
    if provider.get("module") != OURS or name not in actions.__all__:
        return
    if name == "undo_faults":
        inflicting.REHEARSAL.gone = ()
        return
    arguments = substitute(dict(provider.get("arguments") or {}), configuration, secrets)
    try:
        getattr(actions, name)(**arguments)
    except Refused as refused:
        if not refused.complaints:
            raise
        yield from (
            Complaint(f"{activity['name']}: {one.where}", one.wrong, one.fix) for one in refused.complaints if not isinstance(one, Passing)
        )
