"""One replica's part in rebuilding corrupt epochs of its task: hear of it, go back, replay, put what it has computed.

Why: it is rare and may wait a moment, so it costs one request per `failureTimeout`; and it takes a replica away from the head, so those
who are not first do it, and the first only if nobody else has.
Called by: replicas.
"""

from contextlib import suppress
from dataclasses import dataclass, field

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import anew, ask, commit, damage, fork, pin, rebuild
from levee_spark.log.attempt import Attempt
from levee_spark.log.commit import Committed, Unreadable
from levee_spark.log.ending import Refork
from levee_spark.log.fork import Line
from levee_spark.log.inputs import Inputs
from levee_spark.log.requests import Report, Script
from levee_spark.log.values import ControlRecord
from levee_spark.log.wiring import Wiring

NO_BEGINNING = "no checkpoint from before it can be used, and its function keeps state, or has yet to show that it keeps none"
NO_INPUTS = "its function keeps no state, but its inputs, or the epoch before it, are no longer there"
OTHER_CODE = "another function, or another graph, was in force"
OTHER_ROWS = "what is computed for it now is not what stood there, or nothing says any more what that was"
FIRST_WAITS = 3  # times that the first hears of it before it goes back itself


@dataclass(slots=True)
class Mender:
    wiring: Wiring
    task: TaskId
    wanted: int | None = None
    heard: int = 0  # how often of this one
    heard_ms: int = 0
    going_back: bool = False
    given_up: set[int] = field(default_factory=set)
    stateless: bool = False  # the function, as far as one has seen

    def listen(self, behind: int, rank: int, now_ms: int) -> Script[None]:
        """`behind`: the last epoch that one has computed; whatever comes after it one will come by."""
        if now_ms - self.heard_ms < self.wiring.times.failure_timeout_ms:
            return
        self.heard_ms = now_ms
        epoch = yield from damage.heard(self.wiring.layout, self.task)
        if epoch is None or epoch in self.given_up:
            self.wanted = None
            return
        self.heard = self.heard + 1 if epoch == self.wanted else 1
        self.wanted = epoch
        if epoch <= behind and (rank > 0 or self.heard > FIRST_WAITS):
            self.going_back = True
            raise Refork("rebuilds", epoch)

    def go_back(self, holder: str, inputs: Inputs, function: str, operator: OperatorName) -> Script[Line | None]:
        """Fork from before what is wanted; None where that is not asked for, no longer possible, or another code's work."""
        if not self.going_back or self.wanted is None:
            return None
        self.going_back = False
        line = yield from self.fork_before(self.wanted, holder, inputs)
        if line is None and self.stateless:
            line = yield from anew.begin_before(self.wiring, self.task, holder, inputs, self.wanted)
        if line is None:
            yield from self.give_up(self.wanted, NO_INPUTS if self.stateless else NO_BEGINNING)
            return None
        record = yield from ask.read(self.wiring.layout.control(line.shape), ControlRecord)
        if record is not None and record.shape.function(operator) == function and self.wiring.computes(record.shape):
            return line
        yield from pin.release(self.wiring.layout, self.task, holder)
        yield from self.give_up(self.wanted, OTHER_CODE)
        return None

    def fork_before(self, epoch: int, holder: str, inputs: Inputs) -> Script[Line | None]:
        """A checkpoint may be corrupt, too: then from an older one, as long as that is kept."""
        corrupt: set[int] = set()
        known = -1
        line = None
        while line is None and known < len(corrupt):
            known = len(corrupt)
            line = yield from fork.fork_before(self.wiring, self.task, holder, inputs, epoch, corrupt)
        return line

    def mend(self, line: Line, attempt: Attempt) -> Script[None]:
        """One comes by what is wanted, with what one has computed oneself."""
        if self.wanted != line.epoch + 1:
            return
        if (yield from rebuild.rebuild(self.wiring.layout, self.task, line, attempt)) is None:
            yield from self.give_up(line.epoch + 1, OTHER_ROWS)
        else:
            yield Report("rebuilt", line.epoch + 1)
        self.wanted = None

    def read_or_rebuild(self, line: Line, attempt: Attempt) -> Script[Committed | None]:
        """Of an epoch that cannot be read and that one has just computed; None while nobody can say what stood there.

        Whoever comes by what is wanted puts nothing in the place of what is gone: only under the second key, and only the same.
        """
        epoch = line.epoch + 1
        with suppress(Unreadable):
            found = yield from commit.seen(self.wiring.layout.epoch(self.task, epoch))
            if isinstance(found, Committed) or self.wanted != epoch:
                return found if isinstance(found, Committed) else None
        made = yield from rebuild.rebuild(self.wiring.layout, self.task, line, attempt)
        if made is None and self.wanted == epoch:
            self.wanted = None
            yield from self.give_up(epoch, OTHER_ROWS)
            raise Refork("cannot rebuild", epoch)
        return made

    def give_up(self, epoch: int, why: str) -> Script[None]:
        self.given_up.add(epoch)
        yield Report("cannot rebuild", epoch, why)
