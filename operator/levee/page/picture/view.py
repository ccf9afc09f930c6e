"""What the controller holds of one topology: all that its picture is made of.

Called by: cli.local.paged and serve.paged, which make it; `picture`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from levee.control.seen import Observation
from levee.control.wanted import Wanted
from levee.page.picture.graph import Graph
from levee.worlds.local.table import RunTable


@dataclass(frozen=True, slots=True)
class Promised:
    """The guarantee, by the planner's own measure."""

    wanted: float
    now: float  # with the replicas that could take over now
    holds: bool


@dataclass(frozen=True, slots=True)
class View:
    table: RunTable  # tasks, events, and how it stands in words
    seen: Observation
    graph: Graph
    state: str  # of its life
    conditions: tuple[Mapping[str, Any], ...] = ()  # as in a resource's status
    wanted: Wanted | None = None  # None: who looks from outside does not know it
    promised: Promised | None = None


@dataclass(frozen=True, slots=True)
class Brief:
    """A topology in a list of many."""

    name: str
    state: str
    ready: bool = False
    met: bool | None = None  # None: it is not known
    configuration: str | None = None
    active: int | None = None
    desired: int | None = None
    lag_epochs: int | None = None
