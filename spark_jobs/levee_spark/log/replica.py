"""A replica of an operator's task: reads aligned inputs, computes, commits, publishes; any number of them may race.

Why: here the rules meet. One turn is: gather the inputs, know which record holds for the epoch (6), compute, hold (8), commit and read
back (3), see that it counts (4), see whose line it is (2), publish.
Called by: a worker, with a lane behind `Compute`, `Restore` and `Snapshot`; the simulation.
"""

from dataclasses import dataclass, field, replace

from levee_spark.log import attempt as attempts
from levee_spark.log import bounds, fork, lines, pin, publish, segments
from levee_spark.log.attempt import Attempt, FunctionRaised
from levee_spark.log.commit import Committed, Unreadable
from levee_spark.log.correct import Corrections
from levee_spark.log.ending import Ended, Ending, Refork, Why
from levee_spark.log.fork import Line
from levee_spark.log.inputs import BelowFloor, Inputs, Stuck
from levee_spark.log.lines import Divergence, Finding
from levee_spark.log.listen import Listener
from levee_spark.log.mend import Mender
from levee_spark.log.race import Race
from levee_spark.log.rank import Last
from levee_spark.log.requests import Compute, Raised, Report, Restore, Script, Wait
from levee_spark.log.values import EpochObject, Kind, Manifest
from levee_spark.log.wiring import TaskWiring, Wiring


@dataclass(slots=True)
class Replica:
    wiring: Wiring
    task: TaskWiring
    name: str  # as control records name it
    incarnation: str  # never used twice
    function: str
    listener: Listener = field(init=False)
    corrections: Corrections = field(init=False)
    inputs: Inputs = field(init=False)
    race: Race = field(init=False)
    divergence: Divergence = field(default_factory=Divergence)
    dropped: set[int] = field(default_factory=set)  # epochs whose rows the line has not taken
    publish_soon: bool = False
    forks: int = 0
    pinned: bool = False
    listened_ms: int = 0
    mender: Mender = field(init=False)

    def __post_init__(self) -> None:
        self.listener = Listener(self.wiring, self.name)
        self.corrections = Corrections(self.wiring, self.task, self.listener.view)
        self.inputs = Inputs(self.wiring, self.task, self.incarnation)
        self.race = Race(self.wiring, self.task.task, self.incarnation)
        self.mender = Mender(self.wiring, self.task.task)

    def run(self) -> Script[Ending]:
        yield from self.begin_view()
        while True:
            try:
                yield from self.listener.wait_until_active()
                line = yield from self.fork()
                while True:
                    line = yield from self.advance(line)
            except (Refork, BelowFloor, Stuck, Unreadable) as detour:
                yield Report("forks again", detail=str(detour))
                yield from self.unpin()
                yield Wait(self.wiring.times.poll_ms)
            except Ended as end:
                yield from self.unpin()
                return end.ending

    def begin_view(self) -> Script[None]:
        """The record that the newest checkpoint names is where one will begin: what lies before it need not be read."""
        found = yield from fork.newest(self.wiring, self.task.task, None, set())
        if found is not None:
            self.listener.view.begin_at(found.shape)

    def fork(self) -> Script[Line]:
        self.forks += 1
        line = yield from self.mender.go_back(self.pin_name(), self.inputs, self.function, self.task.operator)
        if line is None:
            line = yield from fork.fork(self.wiring, self.task.task, self.pin_name(), self.inputs)
        self.pinned = self.race.behind = True
        self.listener.view.begin_at(line.shape)
        yield from self.listen()
        yield from self.corrections.look(line.epoch + 1)
        self.divergence.forked()
        return line

    def pin_name(self) -> str:
        return f"{self.incarnation}-{self.forks}"

    def unpin(self) -> Script[None]:
        if self.pinned:
            self.pinned, self.inputs.pinned_until_ms = False, -1
            yield from pin.release(self.wiring.layout, self.task.task, self.pin_name())

    def listen(self) -> Script[None]:
        before = self.listener.others()
        if (yield from self.listener.listen()):
            self.race.last = Last.NONE  # the new ranks say who is first, whoever won before
            self.publish_soon = self.publish_soon or self.listener.others() > before  # whoever is to become active must not fork far behind

    def advance(self, line: Line) -> Script[Line]:
        epoch = line.epoch + 1
        gathered = yield from self.gather(line, epoch)
        position = max(line.position, *(one.manifest.position for one in gathered))
        shape, code = yield from self.know_shape(line, epoch, position)
        line = yield from self.renew(line, code)
        blank = self.blank(epoch, gathered, position)
        attempt = yield from self.compute(blank, line, gathered)
        self.mender.stateless = attempt.stateless
        line, attempt, committed = yield from self.contend(line, attempt)
        yield from self.race.must_count(committed)
        yield from self.mender.mend(line, attempt)
        line = yield from self.judge(line, attempt, gathered, committed.manifest)
        line = replace(line, position=position, shape=shape, code=code)
        yield from self.publish(line, committed.manifest)
        if bounds.is_done(epoch, gathered):
            yield from self.end(line, gathered)
        return line

    def end(self, line: Line, gathered: tuple[EpochObject, ...]) -> Script[None]:
        """Every row has been computed, and every window has come out; empty epochs follow until all tasks are as far."""
        if bounds.closes(line.epoch, gathered):
            yield from self.publish_now(line)
        yield Report("ended", line.epoch)

    def gather(self, line: Line, epoch: int) -> Script[tuple[EpochObject, ...]]:
        now = yield self.inputs.wait(epoch, 0)
        yield from self.attend(line, now.ended_ms)  # also while all inputs are there at once
        while (gathered := (yield from self.inputs.gather(epoch))) is None:
            yield from self.attend(line, now.ended_ms)
            yield from self.end_if_stopped(line)
            now = yield self.inputs.wait(epoch, self.wiring.times.poll_ms)
        return gathered

    def attend(self, line: Line, now_ms: int) -> Script[None]:
        """Once a period: decisions are rare, and every look is a request."""
        if now_ms - self.listened_ms < self.wiring.times.period_ms:
            return
        self.listened_ms = now_ms
        yield from self.listen()
        self.listener.changes.leave_if_rewired(line.epoch)
        rank = self.listener.rank()
        if rank is None:
            raise Refork("no longer active", line.epoch)
        yield from self.corrections.look(line.epoch + 1)
        yield from self.mender.listen(line.epoch, rank, now_ms)
        yield from self.take_over_if_published(line)

    def take_over_if_published(self, line: Line) -> Script[None]:
        """Whether the winner lives or not: what it has published is the state that the stream goes on from."""
        if self.divergence.trailing and self.divergence.takes_over((yield from publish.latest(self.wiring.layout, self.task.task))):
            raise Refork("takes over what the winner published", line.epoch)

    def end_if_stopped(self, line: Line) -> Script[None]:
        """For a stop, E(n) is the last epoch; the state after it is published, so that a resume begins there."""
        last = yield from self.listener.changes.last_epoch()
        if last is not None and line.epoch >= last:
            yield from self.hand_over(line)
            raise Ended(Ending(Why.STOPPED, line.epoch))

    def know_shape(self, line: Line, epoch: int, position: int) -> Script[tuple[int, int]]:
        """Wait until E(n) is known for every record that the inputs carry; go on only with the code that it names."""
        while not (yield from self.listener.changes.settle(position)):
            yield Wait(self.wiring.times.poll_ms)
        self.listener.changes.must_be_ours(epoch)
        record = self.listener.view.in_force(epoch)
        code = self.corrections.code_at(epoch, record)
        wanted = self.corrections.function(code)
        if wanted != self.function:  # The new code starts from what the old code publishes here, and from nothing else.
            yield from self.hand_over(line)
            raise Ended(Ending(Why.OTHER_CODE, line.epoch, wanted))
        return record.number, code

    def renew(self, line: Line, code: int) -> Script[Line]:
        """An edit may say that the state is discarded: from there on it is another one, and people can see where."""
        if self.corrections.began(code) == self.corrections.began(line.code):
            return line
        yield Report("begins anew", line.epoch + 1)
        yield Restore(line.epoch, ())
        return replace(line, rebased=True)

    def hand_over(self, line: Line) -> Script[None]:
        """Publish for new code, or a resume. Who merely trails leaves that to the winner, and where it is gone adopts, with the mark."""
        while self.divergence.trailing and not (yield from publish.is_published(self.wiring.layout, self.task.task, line.epoch)):
            answer = yield Wait(self.wiring.times.poll_ms)
            if self.divergence.adopts(answer.ended_ms, self.wiring.times.failure_timeout_ms):
                line = yield from self.adopt(line)
        yield from self.publish_now(line)

    def blank(self, epoch: int, gathered: tuple[EpochObject, ...], position: int) -> Manifest:
        inputs = tuple((task, one.manifest.epoch) for task, one in zip(self.task.inputs, gathered, strict=True))
        time_ms = max(one.manifest.time_ms for one in gathered)
        ended = bounds.of_task(epoch, gathered)
        return Manifest(epoch, Kind.FINAL, 0, "", "", position, self.incarnation, time_ms, inputs=inputs, ended=ended)

    def compute(self, blank: Manifest, line: Line, gathered: tuple[EpochObject, ...]) -> Script[Attempt]:
        try:
            return (yield from attempts.compute(self.wiring.layout, self.task, blank, line, gathered, dropped=blank.epoch in self.dropped))
        except FunctionRaised as raised:
            yield from self.correct(line)
            raise Ended(Ending(Why.FAILED, blank.epoch, str(raised))) from raised

    def correct(self, line: Line) -> Script[None]:
        """The function fails after this line. Where another is wanted already, that takes over here: this one never gets to E(n)."""
        yield from self.listen()
        if self.corrections.wanted() == self.function:
            return
        if self.divergence.trailing:
            line = yield from self.adopt_unless_won(line)
        yield from self.publish_now(line)  # first: once others know of the correction, they can go on from here
        if (yield from self.corrections.begin(line.epoch + 1)) > line.epoch + 1:
            raise Refork("its correction begins later", line.epoch)
        raise Ended(Ending(Why.OTHER_CODE, line.epoch, self.corrections.wanted()))

    def adopt_unless_won(self, line: Line) -> Script[Line]:
        if (yield from self.wait_for_winner(line.epoch + 1)) is not None:
            raise Refork("the winner lives", line.epoch)
        return (yield from self.adopt(line))

    def contend(self, line: Line, attempt: Attempt) -> Script[tuple[Line, Attempt, Committed]]:
        """What stands at the epoch's key in the end; the line and the attempt are marked where one had to adopt."""
        if self.mender.wanted != line.epoch + 1:  # else it is not one's own to put: it stood there once
            try:
                return (yield from self.find_or_put(line, attempt))
            except Unreadable as corrupt:
                yield Report("corrupt", line.epoch + 1, corrupt.why, self.task.task)
        while (found := (yield from self.mender.read_or_rebuild(line, attempt))) is None:
            now = yield Wait(self.wiring.times.poll_ms)
            yield from self.attend(line, now.ended_ms)
        return line, attempt, found

    def find_or_put(self, line: Line, attempt: Attempt) -> Script[tuple[Line, Attempt, Committed]]:
        epoch = line.epoch + 1
        found = yield from self.race.approach(epoch, self.listener.rank() or 0)
        if found is None and self.divergence.trailing:
            found = yield from self.wait_for_winner(epoch)
            if found is None:
                line, attempt = (yield from self.adopt(line)), attempt.rebased()
        if not self.race.behind:
            yield from self.unpin()
        if found is None:
            yield from segments.write(attempt.segments)
            found = yield from self.race.put(attempt.epoch)
        return line, attempt, found

    def wait_for_winner(self, epoch: int) -> Script[Committed | None]:
        """None once nothing final has come for `failureTimeout`."""
        while True:
            answer = yield Wait(self.wiring.times.poll_ms)
            found = yield from self.race.look(epoch)
            if found is not None or self.divergence.adopts(answer.ended_ms, self.wiring.times.failure_timeout_ms):
                return found

    def adopt(self, line: Line) -> Script[Line]:
        yield Report("adopts", line.epoch + 1)
        self.divergence.forked()
        return replace(line, rebased=True)

    def judge(self, line: Line, attempt: Attempt, gathered: tuple[EpochObject, ...], committed: Manifest) -> Script[Line]:
        """Rule 2: whose line it is, and what one's state must do to be on it."""
        epoch = committed.epoch
        if lines.compare(line, attempt.epoch.manifest, committed) is Finding.OTHER and not self.divergence.trailing:
            yield from self.diverged(attempt.epoch.manifest, committed)
        taken = yield from attempts.rows_were_taken(self.wiring.layout, self.task, attempt, committed)
        if attempt.took_rows and not taken:
            self.dropped.add(epoch)
            raise Refork("the line has dropped these rows", epoch)
        if not attempt.took_rows and taken and not self.divergence.trailing:
            yield from self.diverged(attempt.epoch.manifest, committed)
        if not attempt.in_state:
            yield from self.take_without_rows(line, gathered)
        yield from self.race.remember(committed)
        if self.divergence.trailing:
            self.divergence.followed(committed)
        else:
            self.divergence.accepted(epoch)
        return replace(line, epoch=epoch, lineage=committed.lineage, rebased=line.rebased and committed.kind is not Kind.FINAL)

    def take_without_rows(self, line: Line, gathered: tuple[EpochObject, ...]) -> Script[None]:
        """Where not even that can be computed, the state cannot follow the stream."""
        answer = yield Compute(line.epoch + 1, gathered, dropped=True)
        if isinstance(answer, Raised):
            yield from self.correct(line)
            raise Ended(Ending(Why.FAILED, line.epoch + 1, answer.error))

    def diverged(self, mine: Manifest, committed: Manifest) -> Script[None]:
        yield Report("diverged", mine.epoch, lines.difference(mine, committed))
        if not self.task.may_adopt:
            raise Ended(Ending(Why.DIVERGED, mine.epoch, lines.told(mine, committed)))
        self.divergence.diverged(mine.epoch)
        if not self.divergence.trailing:
            raise Refork("diverged", mine.epoch)

    def publish(self, line: Line, committed: Manifest) -> Script[None]:
        """By whoever committed it, or by whoever comes by, if nobody has; never by a replica that merely follows."""
        due = publish.is_due(self.task, line.epoch) or (self.publish_soon and committed.writer == self.incarnation)
        if due:
            self.publish_soon = False
            yield from self.publish_now(line)

    def publish_now(self, line: Line) -> Script[None]:
        if not self.divergence.trailing:
            yield from publish.publish(self.wiring.layout, self.task.task, line, self.incarnation)
