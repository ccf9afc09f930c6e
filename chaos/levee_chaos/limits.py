"""What this process may touch: set once, before anything is done.

Why: a fault that meets somebody else's namespace cannot be taken back, so what is not named is refused.
Called by: controls (and whoever runs faults without Chaos Toolkit), which sets it; inflicting and the worlds, which ask.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from levee.experiments.orders import HERE
from levee.topology.complaint import Complaint
from levee.topology.wording import listed

FIX = "the argument `namespaces` of the control levee_chaos.controls"


@dataclass(frozen=True, slots=True)
class Limits:
    namespaces: tuple[str, ...] = ()  # none: on this machine all, on a cluster none
    allow_last: bool = False  # of the copies of what runs the cluster
    operators: tuple[str, ...] = ()  # or tasks, whose replicas may be hit; none: all
    nodes: tuple[str, ...] = ()  # on which something may be hit; none: all
    here: str = ""  # the node on which this process runs


@dataclass(slots=True)
class Holder:
    now: Limits = field(default_factory=Limits)


HOLDER = Holder()


def current() -> Limits:
    return HOLDER.now


def limit(namespaces: Sequence[str] = (), *, allow_last: bool = False, operators: Sequence[str] = (), nodes: Sequence[str] = ()) -> None:
    HOLDER.now = Limits(tuple(namespaces), allow_last, tuple(operators), tuple(nodes), os.environ.get(HERE, ""))


def complaints(topology: str, *, is_shared: bool) -> Iterator[Complaint]:
    """Whether a fault may meet it."""
    namespace, named = topology.partition("/")[0], current().namespaces
    if is_shared and not named:
        yield Complaint("namespaces", "none is named, and on a cluster at least one must be", f"name those that may be touched: {FIX}")
    elif named and namespace not in named:
        yield Complaint("namespaces", f"{topology} is in none of those that are named: {listed(named, 'and')}", f"add {namespace} to {FIX}")


def outside(replicas: Iterable[str], nodes: Iterable[str], *, whole_nodes: bool) -> Iterator[Complaint]:
    """Whom a fault would meet and must not; asked when it is known who that is: `role: primary` names nobody beforehand."""
    limits = current()
    for replica in replicas:
        task = replica.rpartition("/")[0]
        if limits.operators and not {task, task.rpartition("/")[0]} & set(limits.operators):
            wrong = f"{replica} would be hit, and only {listed(limits.operators, 'and')} may be"
            yield Complaint("whom", wrong, "aim at another one, or allow it (only_operators)")
    for node in nodes:
        if limits.nodes and node not in limits.nodes:
            wrong = f"something on {node} would be hit, and only on {listed(limits.nodes, 'and')} it may be"
            yield Complaint("whom", wrong, "aim at another one, or allow it (only_nodes)")
        if whole_nodes and node == limits.here:
            yield Complaint("whom", f"{node} would go, and this experiment runs there", "name the node, so that it runs elsewhere")


@contextmanager
def limited(namespaces: Sequence[str] = (), *, allow_last: bool = False) -> Iterator[None]:
    before = HOLDER.now
    limit(namespaces, allow_last=allow_last)
    try:
        yield
    finally:
        HOLDER.now = before
