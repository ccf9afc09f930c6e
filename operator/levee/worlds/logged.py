"""A world whose topology has a control log in a store: what it knows of that, and what it does while the store is silent.

Why: processes on this machine and pods are started in different ways, and the log is read and followed in the same.
Called by: the local and the Kubernetes world, which are this and a place to run.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

from levee.control import joining, outages
from levee.control.actions import Action, EndWorker, Finish, Reason, StartWorker
from levee.control.joining import Joining
from levee.control.names import Instant
from levee.control.seen import NodeSeen, Observation, Outage, WorkerSeen
from levee.control.standing import uncovered
from levee.control.wanted import Wanted
from levee.topology.names import ConfigurationName, TaskId
from levee.worlds.local.book import Book, StoreSilent
from levee.worlds.measuring import Measuring
from levee_spark.log.values import ControlRecord

STORE = "the store does not answer"


class Waits(Exception):
    """An action cannot be begun now; for what it waits."""


@dataclass(frozen=True, slots=True)
class LogSeen:
    """What one controller knows from its own acts and another from the log."""

    opened: bool
    anchored: bool
    configuration: ConfigurationName | None


@dataclass(slots=True)
class LoggedWorld(ABC):
    wanted: Wanted
    book: Book
    leads: Callable[[], bool] = field(default=lambda: True, kw_only=True)  # whether this controller is the one that acts
    measuring: Measuring = field(default_factory=Measuring, kw_only=True)
    record: ControlRecord | None = field(default=None, kw_only=True)
    stop_epoch: int | None = field(default=None, kw_only=True)
    finished_tasks: frozenset[TaskId] = field(default=frozenset(), kw_only=True)
    unpublished: frozenset[TaskId] = field(default=frozenset(), kw_only=True)
    completed: bool = field(default=False, kw_only=True)
    outages: tuple[Outage, ...] = field(default=(), kw_only=True)
    joining: Joining = field(default=Joining(), kw_only=True)
    finished: Finish | None = field(default=None, kw_only=True)
    silent: str = field(default="", kw_only=True)  # why the store does not answer
    unwritten: bool = field(default=False, kw_only=True)  # it has not taken something: that it can be read says nothing

    @abstractmethod
    def has_begun(self) -> bool:
        """Whether an order to stop is of any concern."""

    @abstractmethod
    def perform_now(self, action: Action, now: Instant) -> None:
        """StoreSilent, where that is asked in vain."""

    def read_log(self) -> None:
        try:
            self.record = self.book.newest()
            self.completed = self.book.ordered_the_stop().startswith(Reason.COMPLETED)
            self.stop_epoch = self.book.stop_epoch() if self.has_begun() else None
            self.finished_tasks = self.book.finished(self.stop_epoch)
            self.unpublished = self.book.unpublished(self.stop_epoch)
            if self.unwritten:
                self.book.try_to_write()
            self.silent, self.unwritten = "", False
        except StoreSilent as silent:
            self.silent = str(silent)

    def seeing(self, nodes: tuple[NodeSeen, ...], workers: tuple[WorkerSeen, ...], how: LogSeen) -> Observation:
        """Without what can only be told from earlier ones."""
        return Observation(
            nodes,
            workers,
            self.record,
            how.opened,
            how.anchored,
            how.configuration,
            None,
            self.stop_epoch,
            self.outages,
            self.finished_tasks,
            self.completed,
            self.unpublished,
        )

    def with_history(self, seen: Observation, now: Instant) -> Observation:
        measured = self.measuring.measured(self.wanted.sources, seen, now)
        self.joining = joining.followed(self.joining, self.wanted, seen, now)
        lasting = self.followed_outages(seen, now)
        return seen.with_history(measured, lasting, silent=bool(self.silent), joining=self.joining.behind)

    def followed_outages(self, seen: Observation, now: Instant) -> tuple[Outage, ...]:
        """Before the first anchor nothing has failed yet."""
        if seen.anchored:
            self.outages = outages.followed(self.outages, set(uncovered(self.wanted, seen, now, self.wanted.replicas)), now)
        return self.outages

    def perform(self, action: Action, now: Instant) -> str:
        """What follows a request that the store did not answer is left to the next turn; processes are started and ended without it."""
        if not self.leads():
            return ""
        if self.silent and not isinstance(action, StartWorker | EndWorker):
            return STORE
        try:
            self.perform_now(action, now)
        except StoreSilent as silent:
            self.silent, self.unwritten = str(silent), True
            return STORE
        except Waits as waits:
            return str(waits)
        return ""
