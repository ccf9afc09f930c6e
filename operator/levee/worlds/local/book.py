"""The control log and the anchors, as the controller reads and writes them.

Why: a role asks a silent store until it answers; a controller must go on looking at its processes meanwhile, so here one unanswered
request ends the attempt, and the next turn tries again.
Called by: the local world; `levee stop`.
"""

from dataclasses import dataclass, field
from typing import TypeVar

from levee.topology.names import TaskId
from levee_spark.log import anchor, ask, clock, control, head, rest
from levee_spark.log.anchor import AnchorView
from levee_spark.log.control import ControlView
from levee_spark.log.requests import Answer, Request, Script, Unknown
from levee_spark.log.values import Anchor, ChangeEpoch, ControlRecord
from levee_spark.log.wiring import Wiring
from levee_spark.store.drive import respond, unexpected
from levee_spark.store.driver import StoreDriver

T = TypeVar("T")
LEAD_MS = 200  # the first epoch is due a little after its anchor, so that every ingestor has read it by then


class StoreSilent(Exception):
    """The store did not answer."""


@dataclass(slots=True)
class Book:
    wiring: Wiring
    driver: StoreDriver
    holder: str
    view: ControlView = field(init=False)
    asked_for: int | None = None  # the last epoch of a stop
    found: frozenset[TaskId] = frozenset()  # whose streams have it
    published_at: int | None = None  # all have published there

    def __post_init__(self) -> None:
        self.view = ControlView(self.wiring.layout)

    def newest(self) -> ControlRecord | None:
        self.carry_out(self.reading())
        return self.view.newest() if self.view.records else None

    def reading(self) -> Script[None]:
        if not self.view.records:
            yield from self.view.begin_at_the_end()
        yield from self.view.refresh()

    def write(self, record: ControlRecord) -> bool:
        return self.carry_out(control.write(self.wiring.layout, record))

    def ordered_the_stop(self) -> str:
        """Why the stop that is the last word was ordered, as its record says; empty where there is none."""
        number = self.view.stop_number() if self.view.records else None
        return self.view.records[number].reason if number is not None else ""

    def stop_epoch(self) -> int | None:
        """E(n) of the stop that is the last word, once a role has recorded it."""
        number = self.view.stop_number()
        change = self.carry_out(ask.read(self.wiring.layout.change(number), ChangeEpoch)) if number is not None else None
        return change.epoch if change else None

    def finished(self, stop_epoch: int | None) -> frozenset[TaskId]:
        """The tasks whose stream has that epoch; asked until it is there. Sinks have no stream: they say it themselves."""
        if stop_epoch != self.asked_for:
            self.asked_for, self.found = stop_epoch, frozenset()
        if stop_epoch is not None:
            streams = (task for task, wired in self.wiring.tasks.items() if not wired.sink and task not in self.found)
            layout = self.wiring.layout
            there = (task for task in streams if stop_epoch == 0 or self.carry_out(ask.is_there(layout.epoch(task, stop_epoch))))
            self.found |= frozenset(there)
        return self.found

    def unpublished(self, stop_epoch: int | None) -> frozenset[TaskId]:
        """The operators and sinks that have yet to publish where they stand then: nobody could go on from there with another graph."""
        if stop_epoch is None or self.published_at == stop_epoch:
            return frozenset()
        others = [task for task, wired in self.wiring.tasks.items() if not wired.is_source]
        left = self.carry_out(rest.lacking(self.wiring.layout, (), others, stop_epoch))
        self.published_at = stop_epoch if not left else None
        return frozenset(left)

    def write_anchor(self) -> Anchor:
        return self.carry_out(self.anchoring())

    def anchoring(self) -> Script[Anchor]:
        """The epoch after the heads of all sources is due now."""
        layout, times = self.wiring.layout, self.wiring.times
        last = 0
        for source in self.wiring.sources():
            found = yield from head.find(layout, source)
            last = max(last, found.epoch if found else 0)
        anchors = AnchorView(layout, times.period_ms)
        yield from anchors.refresh()
        now = yield from clock.ask_time(layout, self.holder, None, times.resolution_ms)
        return (yield from anchor.write(layout, Anchor(anchors.latest() + 1, last + 1, now.high_ms + LEAD_MS)))

    def try_to_write(self) -> None:
        """StoreSilent, with the reason, where that does not work."""
        self.carry_out(clock.ask_time(self.wiring.layout, self.holder, None, self.wiring.times.resolution_ms))

    def carry_out(self, script: Script[T]) -> T:
        waiter = self.driver.waiter()
        try:
            request = next(script)
            while True:
                request = script.send(answered(request, respond(request, self.driver, waiter, unexpected)))
        except StopIteration as end:
            value: T = end.value
            return value


def answered(request: Request, answer: Answer) -> Answer:
    if isinstance(answer, Unknown):
        raise StoreSilent(f"{type(request).__name__} {getattr(request, 'key', '')}: {answer.why}")
    return answer
