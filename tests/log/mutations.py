"""The rules, taken away one at a time.

Why: a rule whose absence no run notices is either not needed or not tested. Each mutation replaces one function of production code by
one that lacks the rule; production code knows nothing of this. The seeds are those that were found to notice, so that the check is quick.
Called by: test_mutations; `python -m tests.log.replay --mutation NAME`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

from levee_spark.log import clock, commit, damage, floor, fork, lines, pin, rebuild, registration, segments
from levee_spark.log.anchor import AnchorView
from levee_spark.log.attempt import Attempt
from levee_spark.log.change import Changes
from levee_spark.log.clock import StoreClock
from levee_spark.log.commit import Committed
from levee_spark.log.control import ControlView
from levee_spark.log.correct import Corrections
from levee_spark.log.ending import Ended, Ending, Why
from levee_spark.log.floor import FloorWatch, Sight
from levee_spark.log.ingest import Ingestor
from levee_spark.log.inputs import Inputs
from levee_spark.log.lines import Divergence, Finding
from levee_spark.log.pace import Pace
from levee_spark.log.publish import publish
from levee_spark.log.race import Race
from levee_spark.log.registration import Registrar
from levee_spark.log.replica import Replica
from levee_spark.log.requests import Ingest, PutIfAbsent, Wait
from levee_spark.log.trim import Trimmer
from levee_spark.log.values import EpochObject, Floor, Manifest
from tests.log.simulation import plant
from tests.log.simulation.scenario import Faults, Scenario


def as_drawn(scenario: Scenario) -> Scenario:
    return scenario


def breaking(scenario: Scenario) -> Scenario:
    """Lines break, their winners vanish, epochs are skipped and functions change, all at once."""
    faults = Faults(0.05, crash=0.004, nondeterminism=0.2, winners_vanish=True, decisions=("function",) * 4, until_ms=900)
    tasks = {task: replace(one, skips_late=not one.sink, checkpoint_every=3) for task, one in scenario.wiring.tasks.items()}
    replicas = {task: max(2, count) for task, count in scenario.replicas.items()}
    return replace(scenario, wiring=replace(scenario.wiring, tasks=tasks), faults=faults, replicas=replicas)


def sleepy(scenario: Scenario) -> Scenario:
    """Long sleeps and late writes against a floor that rises fast, yet slowly enough to trust what one knew of it."""
    faults = Faults(0.2, 0.8, 0.03, 900, 0.004, 0.2, winners_vanish=False, until_ms=2_000)
    tasks = {task: replace(one, checkpoint_every=2, keep=1) for task, one in scenario.wiring.tasks.items()}
    clock = replace(scenario.wiring.times, retention_ms=200)
    behaviours = {task: replace(one, segmented=True) for task, one in scenario.behaviours.items()}
    replicas = {task: max(2, count) for task, count in scenario.replicas.items()}
    wiring = replace(scenario.wiring, tasks=tasks, times=clock)
    return replace(scenario, wiring=wiring, faults=faults, replicas=replicas, behaviours=behaviours)


def lagging(scenario: Scenario) -> Scenario:
    """Functions change while one source lags and the other's floor follows its sink."""
    clock = replace(scenario.wiring.times, retention_ms=60, lead=40, backlog=40)
    tasks = {task: replace(one, checkpoint_every=2, keep=1) for task, one in scenario.wiring.tasks.items()}
    faults = Faults(pause=0.01, pause_ms=600, crash=0.004, decisions=("function",) * 5, until_ms=1_800)
    wiring = replace(scenario.wiring, tasks=tasks, times=clock)
    return replace(scenario, wiring=wiring, faults=faults)


def outages(scenario: Scenario) -> Scenario:
    """Nothing is slow and no answer is lost, but operators crash again and again, and anchors are set anew."""
    faults = Faults(crash=0.05, decisions=("anchor",) * 5, until_ms=1_800)
    tasks = {task: replace(one, skips_late=not (one.sink or one.is_source)) for task, one in scenario.wiring.tasks.items()}
    replicas = dict.fromkeys(scenario.replicas, 1)
    return replace(scenario, wiring=replace(scenario.wiring, tasks=tasks), faults=faults, replicas=replicas)


def spoiling(scenario: Scenario) -> Scenario:
    """Bits flip, in epochs, segments and checkpoints; whatever was computed can be computed again."""
    faults = Faults(0.05, 0.1, 0.002, 200, 0.002, spoil=0.1, decisions=("ranks", "anchor"), until_ms=1_200)
    tasks = {task: replace(one, checkpoint_every=5, keep=12) for task, one in scenario.wiring.tasks.items()}
    clock = replace(scenario.wiring.times, retention_ms=600, pin_ms=1_500)
    replicas = {task: max(2, count) for task, count in scenario.replicas.items()}
    behaviours = {task: replace(one, raises=False) for task, one in scenario.behaviours.items()}
    wiring = replace(scenario.wiring, tasks=tasks, times=clock)
    return replace(scenario, wiring=wiring, faults=faults, replicas=replicas, behaviours=behaviours)


def stumbling(scenario: Scenario) -> Scenario:
    """Functions fail for ever at some rows, sometimes for one replica only, and are replaced by others, of which some fail, too."""
    chance = scenario.faults.nondeterminism
    faults = Faults(0.05, 0.1, 0.003, 400, 0.004, chance, chance > 0, ("function", "function", "stop", "function"), until_ms=1_200)
    tasks = {task: replace(one, skips_errors=one.skips_errors and scenario.seed % 3 == 0) for task, one in scenario.wiring.tasks.items()}
    flawed = frozenset({"v1", "v3"})
    behaviours = {task: replace(one, raises=True, flawed=flawed) for task, one in scenario.behaviours.items()}
    replicas = {task: max(scenario.seed % 4 and 2, count) for task, count in scenario.replicas.items()}
    wiring = replace(scenario.wiring, tasks=tasks)
    return replace(scenario, wiring=wiring, faults=faults, replicas=replicas, behaviours=behaviours, discards=scenario.seed % 2 == 0)


def stepping(scenario: Scenario) -> Scenario:
    """The store's clock is set by hours, forwards and backwards."""
    hours = 3_600_000 * (1 + scenario.seed % 3)
    steps = ((400, hours), (1_900, -2 * hours)) if scenario.seed % 2 else ((400, -hours), (1_900, 2 * hours))
    faults = Faults(0.05, 0.1, 0.003, 200, decisions=("ranks",), until_ms=1_200)
    return replace(scenario, faults=faults, steps=steps)


def importing(scenario: Scenario) -> Scenario:
    """Every stream is imported by somebody who sleeps and crashes, while the floor rises as fast as it may."""
    faults = Faults(0.1, 0.3, 0.01, 900, 0.004, until_ms=1_500)
    tasks = {task: replace(one, checkpoint_every=2, keep=1) for task, one in scenario.wiring.tasks.items()}
    clock = replace(scenario.wiring.times, retention_ms=100)
    wiring = replace(scenario.wiring, tasks=tasks, times=clock)
    return replace(scenario, wiring=wiring, faults=faults, imports=tuple(task for task, one in tasks.items() if not one.sink))


SHAPES = {one.__name__: one for one in (as_drawn, breaking, sleepy, lagging, outages, spoiling, stumbling, stepping, importing)}


@dataclass(frozen=True, slots=True)
class Mutation:
    rule: int
    name: str
    where: object
    what: str
    instead: Any
    seeds: tuple[int, ...] = ()  # that notice it
    crashes: bool = False  # a role stumbles before the oracle sees anything wrong
    shape: Callable[[Scenario], Scenario] = as_drawn  # where the misfortune that shows it is rare

    @contextmanager
    def applied(self) -> Iterator[None]:
        with patch.object(self.where, self.what, self.instead):
            yield


def scripted(value: Any) -> Callable[..., Any]:
    def script(*_: Any, **__: Any) -> Any:
        return value
        yield

    return script


def own_offsets(self: Ingestor, before: Manifest | None) -> Any:
    """Goes on from what it would have read itself, whoever won."""
    found = yield from ADVANCE(self, before)
    if found.writer == self.incarnation:
        return found
    mine = yield Ingest(found.epoch, before.offsets if before else None)
    return replace(found, offsets=mine.offsets)


ADVANCE = Ingestor.advance


def believes_errors(key: str, mine: EpochObject) -> Any:
    """Takes every answer for success but "exists already"."""
    answer = yield PutIfAbsent(key, mine)
    if type(answer).__name__ in {"Done", "Unknown"}:
        return Committed(mine.manifest, answer.ended_ms)
    found = yield from commit.seen(key)
    return found if isinstance(found, Committed) else Committed(mine.manifest, answer.ended_ms)


def loses_on_exists(key: str, mine: EpochObject) -> Any:
    """Takes "exists already" for another's, without looking."""
    while True:
        answer = yield PutIfAbsent(key, mine)
        if commit.succeeded(answer):
            return Committed(mine.manifest, answer.ended_ms)
        if type(answer).__name__ == "Exists":
            return Committed(replace(mine.manifest, lineage="another's", writer="another"), answer.ended_ms)
        yield Wait(20)


def forgets_order(self: FloorWatch, epoch: int, answer: Any) -> None:
    """Seen absent after the floor was read, instead of before."""
    if self.known.epoch <= epoch:
        self.witness = Sight(epoch, answer.began_ms)


def never_ends(witness: Sight | None, epoch: int, now_ms: int, retention_ms: int) -> bool:  # noqa: ARG001
    return witness is not None and witness.epoch <= epoch


def deletes_first(self: Trimmer) -> Any:
    self.clock = yield from CLOCK(self)
    known = yield from LATEST(self)
    target = yield from self.target(known.epoch)
    if target > known.epoch:
        yield from self.delete_below(replace(known, epoch=target))
        yield from self.raise_floor(known, target)


def CLOCK(self: Trimmer) -> Any:  # noqa: N802

    return clock.ask_time(self.wiring.layout, self.incarnation, self.clock, 1)


def LATEST(self: Trimmer) -> Any:  # noqa: N802

    return floor.latest(self.wiring.layout, self.task.task, Floor(0, 0))


def limit_unchanged(_: Trimmer, limit: int) -> Any:
    return limit
    yield


def renews_late(self: Registrar, epoch: int, tasks: Any) -> Any:
    """Whatever has become of it meanwhile."""
    if not self.count:
        return (yield from self.begin(epoch, tasks))
    yield from self.ask_time()
    self.believe(epoch, (yield from self.write(epoch, self.lives_ms)))
    return True


def vouches_late(self: Registrar, found: Any, epoch: int) -> bool:
    return VOUCHES(self, replace(found, record=replace(found.record, before_ms=found.record.before_ms and 10**12)), epoch)


VOUCHES = Registrar.vouches


def nobody_imports(layout: Any, stream: Any, now: Any) -> Any:  # noqa: ARG001
    return None
    yield


def unrecorded(self: Changes, number: int) -> Any:
    return (yield from self.derive(self.view.records[number]))


def as_soon_as_read(self: ControlView, epoch: int) -> Any:  # noqa: ARG001
    return self.newest()


def overlooks_inputs(self: Replica, epoch: int, gathered: Any, position: int) -> Manifest:  # noqa: ARG001
    return BLANK(self, epoch, gathered, 1)


BLANK = Replica.blank


def does_not_wait(self: Replica, line: Any, epoch: int, position: int) -> Any:
    yield from self.listener.changes.settle(position)
    record = self.listener.view.in_force(epoch)
    wanted = record.shape.function(self.task.operator)
    if wanted != self.function:
        yield from self.hand_over(line)
        raise Ended(Ending(Why.OTHER_CODE, line.epoch, wanted))
    return record.number, record.number


def stops_at_once(self: Changes, *_: Any) -> Any:
    return self.view.stop_number() is None
    yield


def runs_any_code(self: Replica, line: Any, epoch: int, position: int) -> Any:  # noqa: ARG001
    while not (yield from self.listener.changes.settle(position)):
        yield Wait(9)
    number = self.listener.view.in_force(epoch).number
    return number, number


def hands_over_nothing(self: Replica, line: Any) -> Any:  # noqa: ARG001
    """The new code starts from whatever checkpoint there is."""
    self.function = ""
    return
    yield


def keeps_state(self: Replica, line: Any, code: int) -> Any:  # noqa: ARG001
    return line
    yield


def corrects_first(self: Replica, line: Any) -> Any:
    """And publishes what it begins from afterwards."""
    yield from self.listen()
    if self.corrections.wanted() != self.function:
        yield from self.corrections.begin(line.epoch + 1)
    yield from CORRECT(self, line)


CORRECT = Replica.correct


def publishes_anything(self: Replica, line: Any) -> Any:
    yield from publish(self.wiring.layout, self.task.task, line, self.incarnation)


def forgets_mark(found: Any) -> Any:
    return replace(LINE_OF(found), rebased=False)


LINE_OF = fork.line_of


def forgets_counts(self: Divergence, epoch: int) -> None:  # noqa: ARG001
    self.tries = {}


def sweeps_uncommitted(layout: Any, task: Any, epoch: int) -> Any:
    return (yield from COMMITTED_NAMES(layout, task, epoch)) or ()


COMMITTED_NAMES = segments.committed_names


def says_nothing(wiring: Any, task: Any, epoch: int, finder: str) -> Any:  # noqa: ARG001
    return
    yield


MUTATIONS: tuple[Mutation, ...] = (
    Mutation(1, "digests that do not depend on the rows", plant, "multiset_digest", lambda *_: "digest", seeds=(12, 24)),
    Mutation(2, "any lineage is taken for one's own", lines, "compare", lambda *_: Finding.OWN, seeds=(1, 20)),
    Mutation(2, "nobody adopts", Divergence, "adopts", lambda *_: False, seeds=(1, 54)),
    Mutation(2, "a break is not marked", Attempt, "rebased", lambda self: self, seeds=(53, 54)),
    Mutation(2, "the mark does not go with the checkpoint", fork, "line_of", forgets_mark, shape=breaking, seeds=(5, 46)),
    Mutation(2, "divergences are forgotten while replaying", Divergence, "accepted", forgets_counts, seeds=(1, 110)),
    Mutation(2, "who merely trails publishes", Replica, "publish_now", publishes_anything, shape=breaking, seeds=(1, 2)),
    Mutation(2, "a source goes on from its own offsets", Ingestor, "advance", own_offsets, seeds=(7, 9)),
    Mutation(
        2, "whatever is computed is taken for what stood there", rebuild.Proof, "fits", lambda *_: True, shape=spoiling, seeds=(80, 916)
    ),
    Mutation(2, "nobody rebuilds", rebuild, "rebuild", scripted(None), shape=spoiling, seeds=(0, 2)),
    Mutation(2, "nobody says what must be rebuilt", damage, "request", says_nothing, shape=spoiling, seeds=(0, 2)),
    Mutation(3, "an error is taken for success", commit, "commit", believes_errors, seeds=(1, 2)),
    Mutation(3, "exists already is taken for a lost race", commit, "commit", loses_on_exists, seeds=(2, 3)),
    Mutation(4, "a win below the floor counts", Race, "must_count", scripted(None), seeds=(27, 32)),
    Mutation(4, "readers do not look at the floor", Inputs, "overtaken", scripted(False), seeds=(104, 174)),
    Mutation(4, "the exemption never ends", floor, "exempt", never_ends, seeds=(13, 22)),
    Mutation(4, "the exemption looks for absence after the floor", FloorWatch, "saw_absent", forgets_order, shape=sleepy, seeds=(2, 4)),
    Mutation(4, "the trimmer deletes before it raises the floor", Trimmer, "trim", deletes_first, seeds=(0, 1)),
    Mutation(4, "the trimmer ignores pins", Trimmer, "oldest_pinned", limit_unchanged, seeds=(1, 15)),
    Mutation(
        4, "a fork does not look at the floors again", fork, "inputs_are_kept", scripted(True), shape=sleepy, seeds=(6235,), crashes=True
    ),
    Mutation(4, "a fork does not pin", pin, "place", scripted(10**9), seeds=(455,)),
    Mutation(4, "the floor is younger than retention", Trimmer, "old_enough", scripted(True), seeds=(6, 8)),
    Mutation(4, "a stream's own task keeps nothing", Trimmer, "keepers", lambda self: self.wiring.consumers(self.task.task), seeds=(3, 12)),
    Mutation(4, "the trimmer ignores those who import", registration, "oldest", nobody_imports, shape=importing, seeds=(3, 4)),
    Mutation(4, "an importer does not look at the floors", Registrar, "floors_permit", scripted(True), shape=importing, seeds=(1, 3)),
    Mutation(4, "whoever has slept goes on with its registration", Registrar, "keep", renews_late, shape=importing, seeds=(4, 18)),
    Mutation(4, "a registration that came too late vouches, too", Registrar, "vouches", vouches_late, shape=importing, seeds=(3, 5)),
    Mutation(4, "any registration vouches for the others", Registrar, "is_held", scripted(True), shape=importing, seeds=(3, 5)),
    Mutation(
        5,
        "segments are swept before their epoch is committed",
        segments,
        "committed_names",
        sweeps_uncommitted,
        shape=sleepy,
        seeds=(8, 11),
        crashes=True,
    ),
    Mutation(6, "changes of rows hold as soon as they are read", ControlView, "in_force", as_soon_as_read, seeds=(23, 38)),
    Mutation(6, "manifests do not carry the position of their inputs", Replica, "blank", overlooks_inputs, seeds=(0, 2)),
    Mutation(6, "E(n) is not recorded", Changes, "start", unrecorded, seeds=(49, 78)),
    Mutation(6, "tasks do not wait until E(n) is known", Replica, "know_shape", does_not_wait, shape=lagging, seeds=(16, 118)),
    Mutation(6, "sources seal past the last epoch", Changes, "may_seal", scripted(True), seeds=(8, 12)),
    Mutation(6, "sources stop as soon as they read it", Changes, "may_seal", stops_at_once, seeds=(8, 23)),
    Mutation(6, "any code computes any epoch", Replica, "know_shape", runs_any_code, seeds=(22, 23)),
    Mutation(6, "the old code publishes nothing for the new", Replica, "hand_over", hands_over_nothing, seeds=(2, 23)),
    Mutation(6, "a function that is stuck waits for E(n)", Replica, "correct", scripted(None), shape=stumbling, seeds=(18, 21)),
    Mutation(6, "only who failed hears of the correction", Corrections, "look", scripted(None), shape=stumbling, seeds=(18, 21)),
    Mutation(6, "a state that is discarded is kept", Replica, "renew", keeps_state, shape=stumbling, seeds=(0, 52)),
    Mutation(6, "a correction is known before there is a beginning", Replica, "correct", corrects_first, shape=stumbling, seeds=(3, 9)),
    Mutation(7, "epochs are sealed before they are due", Pace, "is_due", scripted(True), seeds=(1, 3)),
    Mutation(7, "a clock that may run ahead", StoreClock, "earliest", lambda self, now: self.latest(now) + 20, seeds=(9, 30)),
    Mutation(7, "nobody anchors anew when the clock was set", Pace, "anchor_anew", scripted(None), shape=stepping, seeds=(25, 27)),
    Mutation(7, "no lead and no backlog", Pace, "all_reached", scripted(True), seeds=(0, 1)),
    Mutation(7, "epochs before the anchor are skipped", AnchorView, "may_skip", lambda *_: True, shape=outages, seeds=(2, 3)),
)
