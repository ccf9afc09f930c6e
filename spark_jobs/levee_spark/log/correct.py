"""Rule 6, a function that is stuck: its correction begins, for its task, where it fails.

Why: a function holds up to E(n), and one that fails at an epoch before that never gets there: the epoch is never committed, so a
record that names another function would never take effect. Whoever fails and knows of such a record publishes the state before the
failing epoch, and then says, put if absent, that the record holds for its task from there on. All replicas of the task look for that
while a change of their function is ahead of them, and only then. Two of them may be of two opinions for a moment, where the function
fails for one and not for the other: the epoch's own key decides, as between any two lines (rule 2).
Like E(n), what was agreed is never deleted: it is one object for a decision and a task at most, and old epochs may be computed again.
Called by: replicas.
"""

from dataclasses import dataclass, field

from levee_spark.log import ask
from levee_spark.log.control import ControlView
from levee_spark.log.requests import Script
from levee_spark.log.values import ControlRecord, Correction
from levee_spark.log.wiring import TaskWiring, Wiring


@dataclass(slots=True)
class Corrections:
    """What one replica knows of the records that hold for its task before their E(n)."""

    wiring: Wiring
    task: TaskWiring
    view: ControlView
    known: dict[int, int] = field(default_factory=dict)  # by record, the epoch from which it holds

    def look(self, epoch: int) -> Script[None]:
        """For the records whose function is not in force at an epoch; mostly there is none."""
        for number in self.ahead(epoch):
            if number not in self.known:
                found = yield from ask.read(self.key(number), Correction)
                if found is not None:
                    self.known[number] = found.epoch

    def ahead(self, epoch: int) -> list[int]:
        """The records that bring another function, and whose E(n) has not come, as far as one knows."""
        starts = self.view.starts
        return [n for n in range(self.view.base + 1, self.view.latest() + 1) if self.is_change(n) and starts.get(n, epoch + 1) > epoch]

    def is_change(self, number: int) -> bool:
        return self.function(number) != self.function(number - 1)

    def function(self, number: int) -> str:
        return self.view.records[number].shape.function(self.task.operator)

    def code_at(self, epoch: int, in_force: ControlRecord) -> int:
        """The record whose function computes an epoch: the newest that holds for this task."""
        return max((n for n, first in self.known.items() if first <= epoch and n > in_force.number), default=in_force.number)

    def began(self, number: int) -> int:
        """The record with which the state of a record's function began."""
        return self.view.records[number].shape.began(self.task.operator)

    def wanted(self) -> str:
        """By the newest record."""
        return self.function(self.view.latest())

    def begin(self, epoch: int) -> Script[int]:
        """From where the newest function holds for this task, now that it is said to hold from here."""
        number = self.view.latest()
        while not self.is_change(number):
            number -= 1
        mine = Correction(number, self.task.task, epoch)
        self.known[number] = (yield from ask.agree(self.key(number), mine, Correction)).epoch
        return self.known[number]

    def key(self, number: int) -> str:
        return self.wiring.layout.correction(number, self.task.task)
