"""The actions and probes of levee-chaos: what they are called, what they take, and how far they reach.

Why: an experiment is refused before anything happens, also where levee-chaos is not installed; `catalog.json` is written from its
functions by `make crds`.
Called by: checks, rendering; serve, which gives an experiment the rights that its steps need and no others.
"""

import json
import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache


class Reach(IntEnum):
    """What is needed to do it; each includes those before."""

    LOOKS = 0  # sees pods and their numbers
    PODS = 1  # deletes pods, and runs commands in them
    NODES = 2  # acts on nodes, networks and processes, by privileged pods


OF_PODS = {"crash_replica": {"", "pod", "jvm"}, "crash_worker": {"", "pod", "jvm"}, "undo_faults": {""}}  # and by what they do it
OF_NODES = frozenset({"crash_node", "crash_zone", "pause_node"})  # take whole nodes
WHOM = ("operator", "task", "replica", "worker", "node", "zone", "role")  # arguments that say who is hit
IN_A_JOB = "sysrq"  # the way to crash a node that needs nothing but a pod on it
ANYBODY = "any"  # a role that names nobody


@dataclass(frozen=True, slots=True)
class Argument:
    type: str  # in words
    required: bool


@dataclass(frozen=True, slots=True)
class Known:
    does: str
    arguments: Mapping[str, Argument]

    @property
    def whom(self) -> tuple[str, ...]:
        return tuple(name for name in WHOM if name in self.arguments)


@dataclass(frozen=True, slots=True)
class Catalog:
    actions: Mapping[str, Known]
    probes: Mapping[str, Known]


@cache
def catalog() -> Catalog:
    data = pkgutil.get_data(__package__, "catalog.json")
    assert data is not None
    told = json.loads(data)
    return Catalog(*({name: known(one) for name, one in told[part].items()} for part in ("actions", "probes")))


def known(told: Mapping[str, object]) -> Known:
    arguments = told["arguments"]
    assert isinstance(arguments, dict)
    return Known(str(told["does"]), {name: Argument(one["type"], one["required"]) for name, one in arguments.items()})


def reach_of(action: str | None, arguments: Mapping[str, object]) -> Reach:
    """Of whatever is new and of which nobody has said how far it goes, the farthest."""
    if action is None:
        return Reach.LOOKS
    return Reach.PODS if arguments.get("by", "") in OF_PODS.get(action, ()) else Reach.NODES
