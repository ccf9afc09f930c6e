"""A source's epoch that can no longer be read is read again from outside, between the offsets that it began and ended with.

Why: its rows may still be there, and they are the same if their digest is that of the header, which has a checksum of its own. Where not
even the header can be read, nothing says where the epoch ended: that is refused.
Called by: workers, beside each ingestor; it looks once per `failureTimeout`.
"""

from dataclasses import dataclass, field, replace

from levee.topology.names import TaskId
from levee_spark.log import ask, commit, damage, head
from levee_spark.log.commit import Unreadable
from levee_spark.log.rebuild import AGAIN
from levee_spark.log.requests import Computed, Found, Get, Ingest, Raised, Report, Script, Wait, Want
from levee_spark.log.values import EpochObject, Kind, Manifest
from levee_spark.log.wiring import Wiring


class CannotReread(Exception):
    """Why, for people."""


@dataclass(slots=True)
class Rereader:
    wiring: Wiring
    task: TaskId
    writer: str
    given_up: set[int] = field(default_factory=set)

    def run(self) -> Script[None]:
        while True:
            yield from self.look()
            yield Wait(self.wiring.times.failure_timeout_ms)

    def look(self) -> Script[None]:
        epoch = yield from damage.heard(self.wiring.layout, self.task)
        if epoch is None or epoch in self.given_up:
            return
        try:
            yield from self.rebuild(epoch)
        except CannotReread as cannot:
            self.given_up.add(epoch)
            yield Report("cannot rebuild", epoch, str(cannot))
        else:
            yield Report("rebuilt", epoch)

    def rebuild(self, epoch: int) -> Script[None]:
        stood = yield from self.header(epoch)
        payload = (yield from self.read_again(stood)) if stood.kind is Kind.FINAL else None
        again = replace(stood, writer=f"{stood.writer} {AGAIN}", segments=())
        yield from commit.commit(self.wiring.layout.rebuilt(self.task, epoch), EpochObject(again, payload))

    def header(self, epoch: int) -> Script[Manifest]:
        """It holds all but the rows."""
        key = self.wiring.layout.epoch(self.task, epoch)
        answer = yield from ask.persistently(Get(key, Want.MANIFEST))
        if not isinstance(answer, Found):
            raise CannotReread("its header cannot be read either, so nothing says where it ended: restore the object from a copy")
        return commit.manifest_of(key, answer)

    def read_again(self, stood: Manifest) -> Script[object]:
        before = (yield from self.before(stood.epoch)) if stood.epoch > 1 else None
        if stood.offsets is None:
            raise CannotReread("it does not say where it ended")
        answer = yield Ingest(stood.epoch, before.offsets if before else None, stood.offsets)
        if isinstance(answer, Raised):
            raise CannotReread(answer.error)
        assert isinstance(answer, Computed)
        if answer.digest != stood.digest:
            raise CannotReread(f"the source gives other rows now ({answer.rows} instead of {stood.rows}): restore the object from a copy")
        return answer.payload

    def before(self, epoch: int) -> Script[Manifest]:
        try:
            found = yield from head.manifest_at(self.wiring.layout, self.task, epoch - 1)
        except Unreadable:
            found = None
        if found is None:
            raise CannotReread("the epoch before it cannot be read either, so nothing says where it began")
        return found
