"""What must hold whatever happens: checked at every change of the store, by one who sees everything.

Why: it shares no code with the roles but the digests, so it cannot make their mistakes. It remembers every epoch that ever counted, also
after it was trimmed.
Called by: the simulated store (`was_put`, `was_deleted`), the world (what was computed and delivered), `world.run` (at the end).
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from levee.topology.names import TaskId
from levee_spark.log.digest import lineage
from levee_spark.log.keys import numbered
from levee_spark.log.values import (
    GENESIS,
    Anchor,
    ChangeEpoch,
    CheckpointFile,
    ControlRecord,
    Correction,
    EpochObject,
    Floor,
    Kind,
    Manifest,
    Pin,
    PublishedCheckpoint,
    Record,
    Segment,
    Verdict,
)
from levee_spark.log.wiring import Wiring
from tests.log.simulation.plant import Outside, Rows, State, rows_of, step, taken_in
from tests.log.simulation.scenario import Scenario

READ_BY_MS = 100  # where nothing is slow, every sealer has read an anchor by then


class Violation(AssertionError):
    """An invariant is broken."""


@dataclass(slots=True)
class Stream:
    history: dict[int, EpochObject] = field(default_factory=dict)  # what counted, ever
    sealed_ms: dict[int, int] = field(default_factory=dict)
    head: int = 0
    floor: Floor = field(default_factory=lambda: Floor(0, 0))
    states: dict[int, State] = field(default_factory=dict)  # after each epoch; only `pending` means anything
    traces: dict[int, frozenset[str]] = field(default_factory=dict)  # the tokens that an execution so far can have
    steps: dict[int, set[tuple[str, str]]] = field(default_factory=dict)  # all that any replica ever computed
    verdicts: dict[int, Kind] = field(default_factory=dict)
    checkpoints: dict[int, PublishedCheckpoint] = field(default_factory=dict)
    pins: dict[str, tuple[int, int]] = field(default_factory=dict)  # holder: (epoch, until), of those that were in time
    rebuilt: dict[int, EpochObject] = field(default_factory=dict)
    revived: int = 0

    def counts(self, manifest: Manifest) -> bool:
        return any(
            one is not None and one.manifest == manifest for one in (self.history.get(manifest.epoch), self.rebuilt.get(manifest.epoch))
        )


@dataclass(slots=True)
class Oracle:
    scenario: Scenario
    wiring: Wiring
    now_ms: int = 0
    streams: dict[TaskId, Stream] = field(default_factory=dict)
    folders: dict[str, TaskId] = field(default_factory=dict)
    control: dict[int, ControlRecord] = field(default_factory=dict)
    changes: dict[int, int] = field(default_factory=dict)
    corrections: dict[TaskId, dict[int, int]] = field(default_factory=dict)
    failed: set[tuple[TaskId, int, str]] = field(default_factory=set)  # (task, epoch, function)
    anchors: list[tuple[Anchor, int]] = field(default_factory=list)
    files: dict[str, State] = field(default_factory=dict)  # of published checkpoints
    delivered: dict[TaskId, dict[int, tuple[str, ...]]] = field(default_factory=dict)
    imported: dict[TaskId, int] = field(default_factory=dict)  # how far each importer has come, by what it reads
    claims: dict[TaskId, dict[str, Callable[[], tuple[int, int]]]] = field(default_factory=dict)  # stream -> holder -> (epoch, until)

    def __post_init__(self) -> None:
        for task in self.wiring.tasks:
            self.streams[task] = Stream()
            for folder in ("epochs", "rebuilt", "segments", "floors", "checkpoints", "pins", "verdicts"):
                self.folders[f"{self.wiring.layout.stream(task)}/{folder}"] = task

    # ---- the store

    def was_put(self, key: str, record: Record, *, replaced: bool) -> None:
        task = self.folders.get(key.rpartition("/")[0])
        match record:
            case EpochObject() if task is not None:
                (self.rebuilt_put if "/rebuilt/" in key else self.epoch_put)(task, record, replaced=replaced)
            case Floor() if task is not None:
                self.floor_put(task, record)
            case PublishedCheckpoint() if task is not None:
                self.checkpoint_put(task, record)
            case CheckpointFile(payload) if isinstance(payload, State):
                self.files[key] = payload
            case Pin() if task is not None:
                self.pin_put(task, record)
            case Verdict() if task is not None:
                self.streams[task].verdicts[record.epoch] = record.kind
            case ControlRecord():
                self.must(record.number not in self.control, f"control record {record.number} has two meanings")
                self.control[record.number] = record
            case ChangeEpoch() | Correction():
                self.change_put(record)
            case Anchor():
                self.anchors.append((record, self.now_ms))
            case _:
                pass

    def was_deleted(self, key: str, record: Record) -> None:
        task = self.folders.get(key.rpartition("/")[0])
        if task is None:
            return
        stream = self.streams[task]
        match record:
            case EpochObject(manifest):
                self.may_delete(task, stream, manifest.epoch)
            case Segment():
                self.may_sweep(task, stream, key)
            case PublishedCheckpoint():
                stream.checkpoints.pop(record.epoch, None)
            case Pin():
                stream.pins.pop(record.holder, None)
            case _:
                pass

    def may_sweep(self, task: TaskId, stream: Stream, key: str) -> None:
        epoch = numbered(key)
        if epoch < stream.floor.epoch:
            return
        self.must(epoch in stream.history, f"{key} is deleted, though {task} {epoch} may still be committed with it")
        named = stream.rebuilt.get(epoch, stream.history[epoch]).manifest.segments
        self.must(key not in named, f"{key} is deleted, though {task} {epoch} was committed with it")

    def may_delete(self, task: TaskId, stream: Stream, epoch: int) -> None:
        self.must(epoch < stream.floor.epoch, f"{task} {epoch} is deleted above the floor {stream.floor.epoch}")
        for keeper in (*self.wiring.consumers(task), *(() if self.wiring.tasks[task].is_source else (task,))):
            kept = self.oldest_kept(keeper)
            if keeper != task:
                self.must(epoch <= kept, f"{task} {epoch} is deleted, though {keeper} keeps a checkpoint at {kept}")
            for holder, (pinned, until_ms) in self.streams[keeper].pins.items():
                self.must(epoch <= pinned or self.now_ms > until_ms, f"{task} {epoch} is deleted, though {holder} has pinned {pinned}")

        for holder, claim in self.claims.get(task, {}).items():
            held, until_ms = claim()
            self.must(epoch <= held or self.now_ms > until_ms, f"{task} {epoch} is deleted, though {holder} holds what follows {held}")

    def oldest_kept(self, task: TaskId) -> int:
        epochs, keep = sorted(self.streams[task].checkpoints), self.wiring.tasks[task].keep
        return epochs[-keep] if len(epochs) >= keep else 0

    def floor_put(self, task: TaskId, floor: Floor) -> None:
        stream = self.streams[task]
        if floor.number > stream.floor.number:
            self.must(floor.epoch >= stream.floor.epoch, f"the floor of {task} falls from {stream.floor.epoch} to {floor.epoch}")
            self.must(floor.epoch <= stream.head, f"the floor of {task} rises to {floor.epoch}, past its head {stream.head}")
            age_ms = self.now_ms - stream.sealed_ms.get(floor.epoch - 1, 0)
            young = floor.epoch > 1 and age_ms < self.wiring.times.retention_ms
            self.must(not young, f"the floor of {task} rises past an epoch that is {age_ms} ms old")
            stream.floor = floor

    def pin_put(self, task: TaskId, pin: Pin) -> None:
        """A pin protects if it was in time: no floor of the inputs had passed it."""
        floors = [self.streams[one].floor.epoch for one in (*self.wiring.tasks[task].inputs, task)]
        if all(floor <= pin.epoch + 1 for floor in floors):
            self.streams[task].pins[pin.holder] = (pin.epoch, self.now_ms + pin.limit_ms // 2)

    def checkpoint_put(self, task: TaskId, record: PublishedCheckpoint) -> None:
        """Whoever forks from it must be on the line that consumers read, or bear the mark."""
        stream, where = self.streams[task], f"the checkpoint of {task} at {record.epoch} by {record.writer}"
        stream.checkpoints[record.epoch] = record
        if self.wiring.tasks[task].sink:
            return
        self.must(record.epoch in stream.history, f"{where} is of an epoch that never counted")
        self.must(record.lineage == stream.history[record.epoch].manifest.lineage, f"{where} is of another line")
        traced = record.rebased or self.files[record.files[0]].token in self.trace(task, record.epoch)
        self.must(traced, f"{where} holds a state that no execution of this line leads to")

    # ---- epochs

    def epoch_put(self, task: TaskId, record: EpochObject, *, replaced: bool) -> None:
        stream, manifest = self.streams[task], record.manifest
        if manifest.epoch < stream.floor.epoch:
            stream.revived += 1  # whatever it is, nobody may take it for an epoch
            return
        where = f"{task} {manifest.epoch}"
        self.must(not replaced and manifest.epoch not in stream.history, f"{where} has two winners")
        self.must(manifest.epoch == stream.head + 1, f"{where} follows {stream.head}")
        before = stream.history.get(stream.head)
        chained = lineage(before.manifest.lineage if before else GENESIS, manifest.digest)
        self.must(manifest.lineage == chained, f"{where} does not continue the lineage of the epoch before")
        self.must(
            before is None or manifest.position >= before.manifest.position, f"{where} has read less of the control log than the one before"
        )
        if self.wiring.tasks[task].is_source:
            self.source_epoch(task, where, before.manifest if before else None, record)
        else:
            self.operator_epoch(task, where, record)
        stream.history[manifest.epoch], stream.sealed_ms[manifest.epoch] = record, self.now_ms
        stream.head = manifest.epoch

    def rebuilt_put(self, task: TaskId, record: EpochObject, *, replaced: bool) -> None:
        """It may be another's work, but it is the same epoch."""
        stream, manifest = self.streams[task], record.manifest
        if manifest.epoch < stream.floor.epoch:
            return
        self.must(not replaced, f"{task} {manifest.epoch} is rebuilt twice")
        self.must(manifest.epoch in stream.history, f"{task} {manifest.epoch} is rebuilt, and never was")
        was = stream.history[manifest.epoch]
        same = replace(was.manifest, writer=manifest.writer, segments=manifest.segments, inputs=manifest.inputs) == manifest
        self.must(same and rows_of(was) == rows_of(record), f"{task} {manifest.epoch} is rebuilt as {record}, it was {was}")
        stream.rebuilt[manifest.epoch] = record

    def source_epoch(self, task: TaskId, where: str, before: Manifest | None, record: EpochObject) -> None:
        manifest, begin = record.manifest, int(before.offsets or 0) if before else 0
        if manifest.kind is Kind.FINAL:
            end = int(manifest.offsets or 0)
            expected = Outside(task, self.scenario.spacing_ms).rows(begin, end)
            payload = record.payload
            self.must(isinstance(payload, tuple) and payload == expected, f"{where} loses or doubles rows: {payload} instead of {expected}")
        else:
            self.must(int(manifest.offsets or 0) == begin, f"{where} is skipped but moves on from {begin} to {manifest.offsets}")
        due = min((self.due_ms(anchor, manifest.epoch) for anchor, _ in self.anchors if anchor.epoch <= manifest.epoch), default=None)
        self.must(due is not None and self.now_ms + self.scenario.ahead_ms(self.now_ms) >= due, f"{where} is sealed before it is due")
        self.pace(task, where, manifest.epoch)

    def due_ms(self, anchor: Anchor, epoch: int) -> int:
        return anchor.time_ms + (epoch - anchor.epoch) * self.wiring.times.period_ms

    def pace(self, task: TaskId, where: str, epoch: int) -> None:
        epoch -= sum(
            record.shape_number == number > 1 for number, record in self.control.items()
        )  # one more for each E(n) that is waited for
        for other in self.wiring.sources():
            self.must(other == task or self.streams[other].head >= epoch - self.wiring.times.lead, f"{where} leads {other} by too much")
        for other in self.wiring.downstream(task):
            if not self.wiring.tasks[other].sink:
                self.must(self.streams[other].head >= epoch - self.wiring.times.backlog, f"{where} is too far ahead of {other}")

    def operator_epoch(self, task: TaskId, where: str, record: EpochObject) -> None:
        stream, manifest, epoch = self.streams[task], record.manifest, record.manifest.epoch
        inputs = []
        for one in self.wiring.tasks[task].inputs:
            self.must(epoch in self.streams[one].history, f"{where} precedes its input {one}")
            inputs.append(self.streams[one].history[epoch])
        self.must(manifest.position >= max(one.manifest.position for one in inputs), f"{where} overlooks a position of its inputs")
        if manifest.kind is Kind.FINAL:
            self.operator_rows(task, where, record, tuple(inputs))
        self.must(manifest.kind is not Kind.SKIPPED or self.wiring.tasks[task].skips_late, f"{where} is skipped, but nobody allowed it")
        if manifest.kind is Kind.SKIPPED and not (self.scenario.faults.pause or self.scenario.faults.error):
            settled = [anchor.epoch for anchor, since_ms in self.anchors if self.now_ms - since_ms > READ_BY_MS]
            self.must(epoch >= settled[-1], f"{where} is skipped, though the anchor is at {settled[-1]}")
        assert stream.head == epoch - 1

    def operator_rows(self, task: TaskId, where: str, record: EpochObject, inputs: tuple[EpochObject, ...]) -> None:
        payload, epoch, stream = record.payload, record.manifest.epoch, self.streams[task]
        assert isinstance(payload, Rows)
        behaviour = self.scenario.behaviours[task]
        if not record.manifest.rebased:
            self.must(
                payload.before.token in self.trace(task, epoch - 1), f"{where} is stitched: no execution of what lies before leads to it"
            )
            pending = self.pending(task, epoch - 1)
        else:
            pending = payload.before.pending
        expected, _ = step(task, behaviour, epoch, pending, taken_in(behaviour, inputs))
        self.must(payload.rows == expected, f"{where} loses or doubles rows: {payload.rows} instead of {expected}")
        stream.traces[epoch] = frozenset([payload.after.token])
        stream.states[epoch] = payload.after

    def trace(self, task: TaskId, epoch: int) -> frozenset[str]:
        """The tokens that any execution can have after what is committed: where an epoch was sealed, whatever was computed for it."""
        stream = self.streams[task]
        if epoch == 0:
            return frozenset([State().token])
        if epoch not in stream.traces:
            befores = self.trace(task, epoch - 1)
            stream.traces[epoch] = frozenset(after for before, after in stream.steps.get(epoch, ()) if before in befores)
        known = stream.traces[epoch]
        if epoch in stream.history and stream.history[epoch].manifest.kind is not Kind.FINAL:
            del stream.traces[epoch]  # more may still be computed
        return known

    def pending(self, task: TaskId, epoch: int) -> tuple[str, ...]:
        """The rows that wait in the state after an epoch, by its meaning."""
        stream = self.streams[task]
        if epoch == 0:
            return ()
        if epoch not in stream.states:
            behaviour = self.scenario.behaviours[task]
            inputs = tuple(self.streams[one].history[epoch] for one in self.wiring.tasks[task].inputs)
            kind = stream.history[epoch].manifest.kind
            dropped = kind is Kind.FAILED or (kind is Kind.SKIPPED and stream.verdicts.get(epoch) is Kind.FAILED)
            _, after = step(task, behaviour, epoch, self.pending(task, epoch - 1), () if dropped else taken_in(behaviour, inputs))
            stream.states[epoch] = State("", after)
        return stream.states[epoch].pending

    def believes_to_have_won(self, task: TaskId, epoch: int, writer: str) -> None:
        counted = self.streams[task].history.get(epoch)
        self.must(counted is not None and counted.manifest.writer == writer, f"{writer} counts {task} {epoch} as won, which never counted")

    # ---- lanes and sinks

    def was_computed(self, task: TaskId, epoch: int, inputs: tuple[EpochObject, ...], made: Rows) -> None:
        self.was_read(task, epoch, inputs)
        self.streams[task].steps.setdefault(epoch, set()).add((made.before.token, made.after.token))

    def was_read(self, task: TaskId, epoch: int, inputs: tuple[EpochObject, ...]) -> None:
        for source, one in zip(self.wiring.tasks[task].inputs, inputs, strict=True):
            self.must(self.streams[source].counts(one.manifest), f"{task} reads {source} {epoch}, which never counted")

    def was_delivered(self, task: TaskId, index: int, one: EpochObject) -> None:
        source, epoch = self.wiring.tasks[task].inputs[index], one.manifest.epoch
        self.must(self.streams[source].counts(one.manifest), f"{task} is given {source} {epoch}, which never counted")
        told = self.delivered.setdefault(task, {})
        self.must(epoch == 1 or epoch - 1 in told, f"{task} is given {epoch}, but not the epoch before")
        told[epoch] = rows_of(one)

    # ---- whoever imports

    def was_imported(self, task: TaskId, epochs: tuple[tuple[EpochObject, ...], ...]) -> None:
        for [one] in epochs:
            self.must(self.streams[task].counts(one.manifest), f"{task} {one.manifest.epoch} is imported, and never counted")
            after = self.imported.get(task, 0)
            self.must(one.manifest.epoch == after + 1, f"{task} {one.manifest.epoch} is imported after {after}")
            self.imported[task] = one.manifest.epoch

    def was_lost(self, task: TaskId, first: int, oldest: int, holder: str) -> None:
        """An importer may lose what it has not held."""
        held, until_ms = self.claims[task][holder]()
        self.must(first <= held or self.now_ms > until_ms, f"{holder} is told that {task} {first} is lost, and holds what follows {held}")
        self.must(oldest <= self.streams[task].floor.epoch, f"{holder} is told that {task} {first} is lost, which is not")
        self.imported[task] = oldest - 1

    # ---- control

    def change_put(self, change: ChangeEpoch | Correction) -> None:
        if isinstance(change, Correction):
            self.correction_put(change)
            return
        derived = self.change_epoch(change.number)
        self.must(derived == change.epoch, f"E({change.number}) is recorded as {change.epoch}, it is {derived}")
        self.changes[change.number] = change.epoch

    def correction_put(self, made: Correction) -> None:
        """Another function than the record's has failed there, and what leads to it is kept."""
        wanted = self.control[made.number].shape.function(self.wiring.tasks[made.task].operator)
        failed = {function for task, epoch, function in self.failed if (task, epoch) == (made.task, made.epoch)}
        self.must(bool(failed - {wanted}), f"record {made.number} corrects {made.task} at {made.epoch}, where nothing has failed")
        kept = max(self.streams[made.task].checkpoints, default=0)
        self.must(kept >= made.epoch - 1, f"record {made.number} corrects {made.task} at {made.epoch}, its last checkpoint is at {kept}")
        self.corrections.setdefault(made.task, {})[made.number] = made.epoch

    def change_epoch(self, number: int) -> int | None:
        firsts = []
        for source in self.wiring.sources():
            bearing = [e for e, one in self.streams[source].history.items() if one.manifest.position >= number]
            if not bearing:
                return None
            firsts.append(min(bearing))
        return max(self.control[number].from_epoch, *firsts)

    def starts(self) -> dict[int, int]:
        """E(n) of all records that change rows, as far as the sources have said."""
        found = {1: 0}
        for number, record in self.control.items():
            start = self.change_epoch(number) if record.shape_number == number and number > 1 else None
            if start is not None:
                found[number] = start
        return found

    def at_the_end(self) -> None:
        """What can be said only when all is over: everybody changed at E(n)."""
        starts = self.starts()
        for task, stream in self.streams.items():
            for epoch, one in stream.history.items():
                number = max(n for n, start in starts.items() if start <= epoch)
                shape = self.control[number].shape
                self.must(
                    not shape.stopped or epoch <= self.stop_began(number, starts),
                    f"{task} {epoch} is after the last epoch of stop {number}",
                )
                if isinstance(one.payload, Rows):
                    self.check_beginning(task, epoch, one.payload, one.manifest, number)
                    wanted = self.functions_at(task, epoch, number)
                    self.must(one.payload.function in wanted, f"{task} {epoch} was computed by {one.payload.function}, not by {wanted}")

    def check_beginning(self, task: TaskId, epoch: int, made: Rows, manifest: Manifest, number: int) -> None:
        """Where an edit discards the state, it is empty, and the break is marked."""
        operator = self.wiring.tasks[task].operator
        if not self.corrections.get(task) and self.starts().get(number) == epoch and self.control[number].shape.began(operator) == number:
            self.must(made.before == State() and manifest.rebased, f"{task} {epoch} goes on with a state that record {number} discards")

    def functions_at(self, task: TaskId, epoch: int, number: int) -> set[str]:
        """The one in force, or one that began early; where it fails for some replicas only, either may win."""
        early = [n for n, first in self.corrections.get(task, {}).items() if n > number and first <= epoch]
        return {self.control[n].shape.function(self.wiring.tasks[task].operator) for n in (number, *early)}

    def stop_began(self, number: int, starts: dict[int, int]) -> int:
        while number - 1 in self.control and self.control[number - 1].shape.stopped:
            number -= 1
        return starts.get(number, 0)

    def must(self, holds: bool, wrong: str) -> None:
        if not holds:
            raise Violation(f"seed {self.scenario.seed}, at {self.now_ms} ms: {wrong}")
