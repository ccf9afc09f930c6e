"""What may be done about an experiment.

Called by: decide, which says what; turning, which does it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from levee.experiments.status import Phase
from levee.worlds.kubernetes.experiments import Purpose


@dataclass(frozen=True, slots=True)
class Hold:
    """Deleted, it stays until it is undone."""


@dataclass(frozen=True, slots=True)
class LetGo:
    why: str = ""  # what may still stand


@dataclass(frozen=True, slots=True)
class Say:
    phase: Phase
    reason: str
    message: str
    more: Mapping[str, Any] = field(default_factory=dict)  # of the status


@dataclass(frozen=True, slots=True)
class Start:
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class Stop:
    purpose: Purpose


@dataclass(frozen=True, slots=True)
class Report:
    """What the Job's pod has said is kept beside the experiment."""


@dataclass(frozen=True, slots=True)
class Delete:
    """Its time to live is over."""


Action: TypeAlias = Hold | LetGo | Say | Start | Stop | Report | Delete
