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

from levee_spark.log import clock, commit, floor, fork, lines, pin, segments
from levee_spark.log.anchor import AnchorView
from levee_spark.log.attempt import Attempt
from levee_spark.log.change import Changes
from levee_spark.log.clock import StoreClock
from levee_spark.log.commit import Committed
from levee_spark.log.control import ControlView
from levee_spark.log.floor import FloorWatch, Sight
from levee_spark.log.ingest import Ingestor
from levee_spark.log.inputs import Inputs
from levee_spark.log.lines import Divergence, Finding
from levee_spark.log.pace import Pace
from levee_spark.log.publish import publish
from levee_spark.log.race import Race
from levee_spark.log.replica import Replica
from levee_spark.log.requests import PutIfAbsent, Wait
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
    """Goes on from what it has read itself, whoever won."""
    kept: list[str | None] = []
    seal = self.seal

    def noting(epoch: int, earlier: Manifest | None) -> Any:
        answer = yield from seal(epoch, earlier)
        kept.append(answer.manifest.offsets)
        return answer

    found = yield from ADVANCE(self, before)
    previous = OWN_OFFSETS.get(id(self))
    OWN_OFFSETS[id(self)] = found.offsets if found.writer == self.incarnation else previous or found.offsets
    return replace(found, offsets=OWN_OFFSETS[id(self)])


ADVANCE = Ingestor.advance
OWN_OFFSETS: dict[int, str | None] = {}


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


def unrecorded(self: Changes, number: int) -> Any:
    return (yield from self.derive(self.view.records[number]))


def as_soon_as_read(self: ControlView, epoch: int) -> Any:  # noqa: ARG001
    return self.newest()


def overlooks_inputs(self: Replica, epoch: int, gathered: Any, position: int) -> Manifest:  # noqa: ARG001
    return BLANK(self, epoch, gathered, 1)


BLANK = Replica.blank


def does_not_wait(self: Changes, position: int) -> Any:
    yield from SETTLE(self, position)
    return True


SETTLE = Changes.settle


def stops_at_once(self: Changes, *_: Any) -> Any:
    return self.view.stop_number() is None
    yield


def runs_any_code(self: Replica, line: Any, epoch: int, position: int) -> Any:  # noqa: ARG001
    while not (yield from self.listener.changes.settle(position)):
        yield Wait(9)
    return self.listener.view.in_force(epoch).number


def hands_over_nothing(self: Replica, line: Any) -> Any:  # noqa: ARG001
    """The new code starts from whatever checkpoint there is."""
    self.function = ""
    return
    yield


def publishes_anything(self: Replica, line: Any) -> Any:
    yield from publish(self.wiring.layout, self.task.task, line, self.incarnation)


def forgets_mark(found: Any) -> Any:
    return replace(LINE_OF(found), rebased=False)


LINE_OF = fork.line_of


def forgets_counts(self: Divergence, epoch: int) -> None:  # noqa: ARG001
    self.tries = {}


def sweeps_uncommitted(layout: Any, task: Any, epoch: int, name: str) -> Any:
    found = yield from commit.seen(layout.epoch(task, epoch))
    return not isinstance(found, Committed) or name not in found.manifest.segments


MUTATIONS: tuple[Mutation, ...] = (
    Mutation(1, "digests that do not depend on the rows", plant, "multiset_digest", lambda *_: "digest"),
    Mutation(2, "any lineage is taken for one's own", lines, "compare", lambda *_: Finding.OWN),
    Mutation(2, "nobody adopts", Divergence, "adopts", lambda *_: False),
    Mutation(2, "a break is not marked", Attempt, "rebased", lambda self: self),
    Mutation(2, "the mark does not go with the checkpoint", fork, "line_of", forgets_mark, shape=breaking),
    Mutation(2, "divergences are forgotten while replaying", Divergence, "accepted", forgets_counts),
    Mutation(2, "who merely trails publishes", Replica, "publish_now", publishes_anything, shape=breaking),
    Mutation(2, "a source goes on from its own offsets", Ingestor, "advance", own_offsets),
    Mutation(3, "an error is taken for success", commit, "commit", believes_errors),
    Mutation(3, "exists already is taken for a lost race", commit, "commit", loses_on_exists),
    Mutation(4, "a win below the floor counts", Race, "must_count", scripted(None)),
    Mutation(4, "readers do not look at the floor", Inputs, "overtaken", scripted(False)),
    Mutation(4, "the exemption never ends", floor, "exempt", never_ends),
    Mutation(4, "the exemption looks for absence after the floor", FloorWatch, "saw_absent", forgets_order),
    Mutation(4, "the trimmer deletes before it raises the floor", Trimmer, "trim", deletes_first),
    Mutation(4, "the trimmer ignores pins", Trimmer, "oldest_pinned", limit_unchanged),
    Mutation(4, "a fork does not look at the floors again", fork, "inputs_are_kept", scripted(True)),
    Mutation(4, "a fork does not pin", pin, "place", scripted(10**9)),
    Mutation(4, "the floor is younger than retention", Trimmer, "old_enough", scripted(True)),
    Mutation(4, "a stream's own task keeps nothing", Trimmer, "keepers", lambda self: self.wiring.consumers(self.task.task)),
    Mutation(5, "segments are swept before their epoch is committed", segments, "lost", sweeps_uncommitted),
    Mutation(6, "changes of rows hold as soon as they are read", ControlView, "in_force", as_soon_as_read),
    Mutation(6, "manifests do not carry the position of their inputs", Replica, "blank", overlooks_inputs),
    Mutation(6, "E(n) is not recorded", Changes, "start", unrecorded),
    Mutation(6, "a source's floor passes an E(n) that is not recorded", Trimmer, "changes_are_recorded", scripted(True)),
    Mutation(6, "tasks do not wait until E(n) is known", Changes, "settle", does_not_wait),
    Mutation(6, "sources seal past the last epoch", Changes, "may_seal", scripted(True)),
    Mutation(6, "sources stop as soon as they read it", Changes, "may_seal", stops_at_once),
    Mutation(6, "any code computes any epoch", Replica, "know_shape", runs_any_code),
    Mutation(6, "the old code publishes nothing for the new", Replica, "hand_over", hands_over_nothing),
    Mutation(7, "epochs are sealed before they are due", Pace, "is_due", scripted(True)),
    Mutation(7, "a clock that may run ahead", StoreClock, "earliest", lambda self, now: self.latest(now) + 20),
    Mutation(7, "no lead and no backlog", Pace, "all_reached", scripted(True)),
    Mutation(7, "epochs before the anchor are skipped", AnchorView, "may_skip", lambda *_: True),
)
