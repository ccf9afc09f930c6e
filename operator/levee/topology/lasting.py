"""What of a resource stays as it is while there are streams, or while they run, and why.

Why: the API server refuses such an edit at once, and the operator where an older definition has let it pass; both must say the same.
Called by: topology.crd_rules; serve's edits; the local world's `opening`, through `lasting` there.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from levee.topology.complaint import Complaint
from levee.topology.spec import Spec

REREAD = "put it back and set spec.suspend to true; when it is suspended, change it and set it to false"
ANEW = "put it back, or make a new topology"


@dataclass(frozen=True, slots=True)
class Lasting:
    path: str
    of: Callable[[Spec], Any]
    why: str
    while_it_runs: bool = False  # only; what rests starts all its workers anew

    @property
    def wrong(self) -> str:
        return f"{'can be changed only while suspend is true' if self.while_it_runs else 'cannot be changed'}: {self.why}"


STORE = Lasting("store", lambda spec: spec.store, "streams and checkpoints are kept there")
PERIOD = Lasting("epoch.period", lambda spec: spec.epoch.period, "epochs are numbered by it")
RETENTION = Lasting(
    "epoch.retention", lambda spec: spec.epoch.retention, "a worker that slept must not take for new what others may delete"
)
AT_REST = (
    Lasting("epoch.hold", lambda spec: spec.epoch.hold, "workers read it when they start", while_it_runs=True),
    Lasting("epoch.maxRows", lambda spec: spec.epoch.max_rows, "workers read it when they start", while_it_runs=True),
    Lasting(
        "epoch.backlog",
        lambda spec: spec.epoch.backlog,
        "sources and sinks that differ in it would wait for each other",
        while_it_runs=True,
    ),
)


def complaints(before: Spec, after: Spec, *, at_rest: bool, anew: str = ANEW) -> Iterator[Complaint]:
    """`anew`: what people do instead, where that is not a matter of suspending."""
    for one in (STORE, PERIOD, RETENTION, *(() if at_rest else AT_REST)):
        if one.of(before) != one.of(after):
            yield Complaint(f"spec.{one.path}", one.wrong, REREAD if one.while_it_runs else anew)
