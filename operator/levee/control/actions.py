"""What a controller may do, and why it does it.

Why: the choices are closed, so the type checker names every world that does not know a new one.
Called by: rules (make them), worlds (perform them), people (read the reasons).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypeAlias

from levee.control.names import ReplicaName, WorkerName
from levee.topology.names import ConfigurationName, NodeName, OperatorName
from levee_spark.log.values import ControlRecord


@dataclass(frozen=True, slots=True)
class WriteRecord:
    """Put a control record; who loses the race for its number observes anew."""

    record: ControlRecord
    configuration: ConfigurationName


@dataclass(frozen=True, slots=True)
class WriteAnchor:
    """The epoch after the heads of all sources is due now."""


@dataclass(frozen=True, slots=True)
class StartWorker:
    worker: WorkerName
    node: NodeName
    replicas: tuple[ReplicaName, ...]
    attempt: int
    failures: int = 0


@dataclass(frozen=True, slots=True)
class EndWorker:
    worker: WorkerName
    attempt: int


@dataclass(frozen=True, slots=True)
class Finish:
    """There is nothing left to do."""

    failed: bool


Action: TypeAlias = WriteRecord | WriteAnchor | StartWorker | EndWorker | Finish


class Reason(StrEnum):
    """The word that people read."""

    STOPPED = "Stopped"
    COMPLETED = "Completed"
    CANCELED = "Canceled"
    NO_NODE_LEFT = "NoNodeLeft"
    OPENING = "Opening"
    SURVIVORS_LEAD = "SurvivorsLead"
    REPLICAS_STARTING = "ReplicasStarting"
    WORKER_LOST = "WorkerLost"
    NODE_LOST = "NodeLost"
    NODE_CORDONED = "NodeCordoned"
    WORKER_HANGS = "WorkerHangs"
    HOME_AGAIN = "HomeAgain"
    ALL_READY = "AllReady"
    RATES_CHANGED = "RatesChanged"
    SWITCHED = "Switched"
    CATCHING_UP = "CatchingUp"
    WAITING = "Waiting"
    STOPPING = "Stopping"
    STORE_SILENT = "StoreSilent"
    TASK_FAILED = "TaskFailed"
    WORKER_GIVEN_UP = "WorkerGivenUp"
    STREAM_DAMAGED = "StreamDamaged"
    DEGRADED = "Degraded"
    FIRST_EPOCHS = "FirstEpochs"
    INPUT_ABOVE_CONTRACT = "InputAboveContract"
    RATES_UNKNOWN = "RatesUnknown"
    SETTLED = "Settled"


@dataclass(frozen=True, slots=True)
class Decision:
    reason: Reason
    text: str = ""
    actions: tuple[Action, ...] = ()
    above: Mapping[OperatorName, float] = field(default_factory=dict, compare=False)  # by source: what is offered beyond all configurations

    @property
    def needs_store(self) -> bool:
        return any(isinstance(one, WriteRecord | WriteAnchor) for one in self.actions)

    def waiting(self, what: str) -> "Decision":
        """As it is told where it could not be carried out: how things are, and not what was done."""
        return replace(self, text=f"{self.text}; this waits: {what}" if self.text else f"waits: {what}", actions=())
