"""A sink: hands every epoch of its input, in order, to what lies outside.

Why: what is outside may not remember; so progress is published like any state, and an epoch delivered twice carries the same number.
Where delivering twice does no harm all deliverers deliver; where it does, the one of rank 0, and whoever becomes that goes on from what
was published.
Called by: a worker; the simulation.
"""

from dataclasses import dataclass, field, replace

from levee_spark.log import bounds, fork, pin, publish
from levee_spark.log.ending import Ended, Ending, Refork
from levee_spark.log.fork import Line
from levee_spark.log.inputs import BelowFloor, Inputs, Stuck
from levee_spark.log.listen import Listener
from levee_spark.log.requests import Deliver, Report, Script, Wait
from levee_spark.log.values import EpochObject
from levee_spark.log.wiring import TaskWiring, Wiring

LONG_PERIODS = 3  # without anything to deliver


@dataclass(slots=True)
class Sink:
    wiring: Wiring
    task: TaskWiring
    incarnation: str
    name: str = ""  # as control records name it
    alone: bool = False  # only one may deliver: what is outside cannot tell that it has an epoch already
    listener: Listener = field(init=False)
    inputs: Inputs = field(init=False)
    forks: int = 0
    listened_ms: int = 0
    stood_at: int = 0  # the last epoch of a stop that was published

    def __post_init__(self) -> None:
        self.listener = Listener(self.wiring, self.name)
        self.inputs = Inputs(self.wiring, self.task, self.incarnation)

    def run(self) -> Script[Ending]:
        while True:
            self.forks += 1
            holder = f"{self.incarnation}-{self.forks}"
            try:
                yield from self.wait_for_turn()
                line = yield from fork.fork(self.wiring, self.task.task, holder, self.inputs)
                self.listener.view.begin_at(line.shape)
                while True:
                    line = yield from self.advance(line)
            except (Refork, BelowFloor, Stuck) as detour:
                yield Report("begins again", detail=str(detour))
                yield from pin.release(self.wiring.layout, self.task.task, holder)
                yield Wait(self.wiring.times.poll_ms)
            except Ended as end:
                yield from pin.release(self.wiring.layout, self.task.task, holder)
                return end.ending

    def wait_for_turn(self) -> Script[None]:
        while self.alone:
            yield from self.listener.listen()
            if self.listener.rank() == 0:
                return
            yield Wait(self.wiring.times.period_ms)

    def stay(self, now_ms: int) -> Script[None]:
        """Looked up once a period: until the other has noticed, both may deliver, with the same numbers."""
        if self.alone and now_ms - self.listened_ms >= self.wiring.times.period_ms:
            self.listened_ms = now_ms
            yield from self.listener.listen()
            if self.listener.rank() != 0:
                raise Refork("another delivers", 0)

    def advance(self, line: Line) -> Script[Line]:
        epoch = line.epoch + 1
        gathered = yield from self.gather(line, epoch)
        position = max(line.position, *(one.manifest.position for one in gathered))
        shape = yield from self.know_shape(epoch, position)
        for index, one in enumerate(gathered):
            yield Deliver(index, one)
        line = replace(line, epoch=epoch, position=position, shape=shape)
        if publish.is_due(self.task, epoch) or bounds.closes(epoch, gathered):
            yield from publish.publish(self.wiring.layout, self.task.task, line, self.incarnation)
        if bounds.is_done(epoch, gathered):
            yield Report("ended", epoch)
        return line

    def gather(self, line: Line, epoch: int) -> Script[tuple[EpochObject, ...]]:
        began = now = yield self.inputs.wait(epoch, 0)
        yield from self.stay(now.ended_ms)
        while (gathered := (yield from self.inputs.gather(epoch))) is None:
            now = yield self.inputs.wait(epoch, self.wiring.times.poll_ms)
            yield from self.stay(now.ended_ms)
            if now.ended_ms - began.ended_ms >= LONG_PERIODS * self.wiring.times.period_ms:
                yield from self.look_why(line)
                began = now
        return gathered

    def look_why(self, line: Line) -> Script[None]:
        """Nothing has come for long. At the last epoch of a stop one says so: whoever goes on from there may be wired otherwise."""
        yield from self.listener.listen()
        self.listener.changes.leave_if_rewired(line.epoch)
        last = yield from self.listener.changes.last_epoch()
        if last is not None and line.epoch >= last > self.stood_at:
            yield from publish.publish(self.wiring.layout, self.task.task, line, self.incarnation)
            self.stood_at = last

    def know_shape(self, epoch: int, position: int) -> Script[int]:
        """The record in force, once E(n) is known for every one that the inputs carry."""
        yield from self.listener.view.through(self.listener.view.base)
        while not (yield from self.listener.changes.settle(position)):
            yield Wait(self.wiring.times.poll_ms)
        self.listener.changes.must_be_ours(epoch)
        return self.listener.view.in_force(epoch).number
