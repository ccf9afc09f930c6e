"""One run of a topology on this machine: turn by turn, until it ends.

Why: the command line, the demo and tests run topologies in the same way; they differ in what they show and in the faults they ask for.
Called by: `opening`, which makes it; `levee run`, `make demo` and tests, which take its turns.
"""

import os
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from levee.control.account import Statement
from levee.control.actions import Decision, Reason
from levee.control.chronicle import Chronicle
from levee.control.events import Event, primary_of
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.control.steps import Switch
from levee.control.switching import Switching
from levee.topology.names import NodeName, TaskId
from levee.worlds.accounting import Accounting
from levee.worlds.local import cleaning, processes
from levee.worlds.local.drifting import Drifting
from levee.worlds.local.folder import Folder, moment, writing
from levee.worlds.local.readiness import Readiness
from levee.worlds.local.script import Inflicted, Script
from levee.worlds.local.table import NodeEntry, RunTable, SwitchEntry, TaskEntry, Told, WorkerEntry
from levee.worlds.local.world import LocalWorld
from levee.worlds.world import step

TURN_S = 0.5
EVENTS = 50  # that are remembered
SWITCHES = 20


@dataclass(frozen=True, slots=True)
class Turn:
    """What one turn of the loop has seen and decided."""

    now: Instant
    seen: Observation
    decision: Decision
    table: RunTable
    news: tuple[Told, ...]
    inflicted: tuple[Inflicted, ...]
    failing: tuple[TaskId, ...] = ()


def now_ms() -> Instant:
    return Instant(time.monotonic_ns() // 1_000_000)


def wall_ms() -> int:
    return round(1000 * datetime.now(UTC).timestamp())


def time_of_day(ago_ms: int = 0) -> str:
    return (datetime.now(UTC) - timedelta(milliseconds=ago_ms)).isoformat(timespec="milliseconds")


def entry_of(switch: Switch, now: Instant) -> SwitchEntry:
    after_s = {step.value: (at - switch.asked) / 1000 for step, at in switch.steps}
    at = time_of_day(now - switch.asked)
    return SwitchEntry(at, switch.configuration, switch.record, tuple(sorted(switch.on)), tuple(sorted(switch.off)), after_s)


@dataclass(slots=True)
class LocalRun:
    blank: RunTable  # with all that never changes
    folder: Folder
    world: LocalWorld
    script: Script
    accounting: Accounting
    before: Observation = field(default_factory=Observation)
    was: Decision | None = None
    chronicle: Chronicle = field(default_factory=Chronicle)
    told: deque[Told] = field(default_factory=lambda: deque(maxlen=EVENTS))
    news: list[Told] = field(default_factory=list)
    interrupted: bool = False
    why: str = "ended"  # where nothing was decided: the word that `levee status` says
    written: RunTable | None = None
    unwritten: str = ""  # why the newest is not
    last: Turn | None = None
    readiness: Readiness = field(init=False)
    switching: Switching = field(default_factory=Switching)
    account: Statement | None = None  # as of the last turn
    switches: deque[SwitchEntry] = field(default_factory=lambda: deque(maxlen=SWITCHES))
    drifting: Drifting = field(default_factory=Drifting)

    def __post_init__(self) -> None:
        self.readiness = Readiness(self.world.wanted, self.world.book.wiring.times.period_ms)

    def begin(self, nodes: tuple[NodeName, ...]) -> None:
        self.world.begin(nodes, now_ms())
        with writing():
            self.folder.write(self.table().document())

    def turns(self) -> Iterator[Turn]:
        """Until the end is decided, or somebody interrupts."""
        while self.goes_on():
            began_s = time.monotonic()
            yield self.turn()
            if self.goes_on():
                time.sleep(max(0.0, TURN_S - (time.monotonic() - began_s)))

    def goes_on(self) -> bool:
        return not self.interrupted and self.world.finished is None

    def turn(self) -> Turn:
        now = now_ms()
        self.world.revive(now)
        seen, decision = step(self.world, self.world.wanted, now)
        for event in self.chronicle.events(self.before, seen, self.was, decision):
            self.tell(event)
        self.follow_switch(seen, decision, now)
        self.account = self.accounting.look(self.world.wanted, seen, now, wall_ms())
        self.before, self.was = seen, decision
        for event in self.readiness.events(seen, self.chronicle.failing, now):
            self.tell(event)
        self.tell_of_store()
        for event in self.drifting.events(seen, self.world.spent, now):
            self.tell(event)
        for inflicted in self.script.follow(seen, self.table(), primary_of(seen), now):
            self.tell(Event(inflicted.fault.kind.value, inflicted.text, grave=True))
        table = self.table()
        self.write(table)
        news, self.news = tuple(self.news), []
        self.last = Turn(now, seen, decision, table, news, tuple(self.script.inflicted), self.readiness.failing)
        return self.last

    def follow_switch(self, seen: Observation, decision: Decision, now: Instant) -> None:
        self.switching.look(self.world.wanted, seen, now)
        self.switching.decided(seen, decision, now, now_ms())
        for event in self.switching.heard():
            self.tell(event)
        self.switching.taken()
        last = self.switching.last
        if last is not None and (not self.switches or self.switches[-1].record != last.record):
            self.switches.append(entry_of(last, now))

    @property
    def failed(self) -> bool:
        return self.world.finished is not None and self.world.finished.failed

    def tell(self, event: Event) -> None:
        told = Told(time_of_day(), event.subject, event.text, event.grave)
        self.told.append(told)
        self.news.append(told)

    def tell_of_store(self) -> None:
        if (silent := self.world.silence_to_tell()) is not None:
            self.tell(Event("store", f"does not serve: {silent}" if silent else "serves again", grave=bool(silent)))

    def standing(self) -> tuple[Reason, str]:
        """Without the store nothing moves, whatever was decided."""
        if self.world.silent:
            return Reason.STORE_SILENT, self.world.silent
        return (self.was.reason, self.was.text) if self.was else (Reason.OPENING, "")

    def table(self) -> RunTable:
        world, blank = self.world, self.blank
        reason, text = self.standing()
        return RunTable(
            blank.topology,
            blank.uid,
            blank.store,
            processes.identify(os.getpid()),
            world.configuration,
            world.record.number if world.record else blank.record,
            reason.value,
            text,
            tuple(TaskEntry(task, wired.inputs, wired.sink) for task, wired in world.book.wiring.tasks.items()),
            tuple(NodeEntry(one.node, one.alive, one.process if one.alive else None) for one in world.nodes.values()),
            tuple(
                WorkerEntry(
                    *(name, one.incarnation, one.order.node, one.order.replicas, one.order.attempt),
                    *(one.living(), one.directory, one.phase, one.states),
                )
                for name, one in world.workers.items()
            )
            or blank.workers,
            tuple(self.told),
            self.readiness.ready and not world.silent,
            joining=world.joining.behind,
            failing=frozenset(self.chronicle.failing),
            account=self.account,
            switches=tuple(self.switches),
            zones=world.wanted.zones,
        )

    def write(self, table: RunTable) -> None:
        """A full disk is no reason to end: what was written last stays, and each turn tries again."""
        if table == self.written:
            return
        try:
            self.folder.write(table.document())
        except OSError as error:
            self.tell_of_document(error.strerror or str(error))
        else:
            self.written = table
            self.tell_of_document("")

    def tell_of_document(self, wrong: str) -> None:
        """Once, and when it is over."""
        if bool(wrong) is not bool(self.unwritten):
            text = f"cannot write {self.folder.document}: {wrong}; it goes on, and until then levee status shows how it was before"
            self.tell(Event("run", text if wrong else f"writes {self.folder.document} again", grave=bool(wrong)))
        self.unwritten = wrong

    def ending(self) -> str:
        """How it ended, for `levee status`."""
        how = self.why
        if self.world.finished is not None and self.was is not None:
            how = f"failed ({self.was.reason}: {self.was.text})" if self.failed else self.was.reason.value.lower()
        return f"{how} at {moment(datetime.now(UTC))}"

    def end(self) -> None:
        """Whatever happened: nothing that this run has started outlives it."""
        last = self.table()
        self.script.release()
        cleaning.end_all(self.world.workers.values(), self.world.nodes.values())
        cleaning.clear_scratch(self.folder.incarnations())
        self.write(last.closed(self.ending()))
        self.world.book.driver.close()
