"""What workers say that they have spent, as they tell it at `/spent`.

Why: of all processes only the worker knows which are its own; and workers of an earlier version say nothing of it, which is no zero.
Called by: the command line, which asks workers of this machine and those of a cluster; serve.
"""

from collections.abc import Mapping
from typing import Any

from levee.planning.measured.spending import Computed, Look
from levee.topology.names import OperatorName
from levee.worlds.local.asking import number


def looks(answers: Mapping[str, Mapping[str, Any] | None]) -> dict[str, Look]:
    """Of those who have said it; an attempt is a process of its own."""
    found = {name: look_in(told) for name, told in answers.items() if told is not None}
    return {f"{name} {(answers[name] or {}).get('attempt')}": look for name, look in found.items() if look is not None}


def look_in(told: Mapping[str, Any]) -> Look | None:
    cpu_s = number(told.get("cpu_s"))
    if cpu_s is None:
        return None
    return Look(cpu_s, {str(one["replica"]): computed_in(one) for one in told.get("replicas", ())})


def computed_in(told: Mapping[str, Any]) -> Computed:
    read = {OperatorName(stream): float(rows) for stream, rows in (told.get("read") or {}).items()}
    return Computed(OperatorName(str(told["operator"])), number(told.get("busy_s")) or 0.0, read, number(told.get("emitted")) or 0.0)
