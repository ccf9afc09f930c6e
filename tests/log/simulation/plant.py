"""What stands behind the roles: rows that come from outside, functions over them, and their state.

Why: rows are identities, so that the oracle can follow each of them through the whole graph; the state carries a token that depends on
everything it was ever computed from, so that two executions never agree by accident.
Called by: the simulated world, to answer Compute, Ingest, Restore and Snapshot.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from levee.topology.names import TaskId
from levee_spark.log.digest import multiset_digest, short_hash
from levee_spark.log.values import EpochObject, Kind

POISON = 37  # every such row makes the function of an operator that may fail raise
ROWS_PER_EPOCH = 4


@dataclass(frozen=True, slots=True)
class State:
    token: str = "empty"  # noqa: S105  (no password)
    pending: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """The payload of an operator's epoch, with what only the oracle looks at."""

    rows: tuple[str, ...]
    before: State
    after: State
    function: str


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Of one task's function."""

    window: int = 1  # rows wait in the state and come out every so many epochs
    branch: tuple[int, int] = (0, 1)  # of parallel tasks: (which, of how many)
    segmented: bool = False
    raises: bool = False
    flawed: frozenset[str] = frozenset()  # the versions that raise at poisoned rows; none named: all do, where any raises


class Raising(Exception):
    pass


def rows_of(epoch: EpochObject) -> tuple[str, ...]:
    if epoch.manifest.kind is not Kind.FINAL:
        return ()
    payload = epoch.payload
    if isinstance(payload, Rows):
        return payload.rows
    assert isinstance(payload, tuple)
    parts = [part if isinstance(part, tuple) else (part,) for part in payload]  # of an epoch that was read with its segments
    return tuple(row for part in parts for row in part)


def number_of(row: str) -> int:
    return int(row.split(".", maxsplit=1)[0].lstrip("abcdefghijklmnopqrstuvwxyz"))


def taken_in(behaviour: Behaviour, inputs: tuple[EpochObject, ...]) -> tuple[str, ...]:
    which, of = behaviour.branch
    return tuple(row for one in inputs for row in rows_of(one) if number_of(row) % of == which)


def step(
    task: TaskId, behaviour: Behaviour, epoch: int, pending: tuple[str, ...], rows: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What comes out, and what stays: the meaning of every function here, free of tokens."""
    held = pending + rows
    if epoch % behaviour.window:
        return (), held
    return tuple(f"{row}.{task}" for row in held), ()


def is_poisoned(behaviour: Behaviour, function: str, rows: tuple[str, ...]) -> bool:
    raises = behaviour.raises if not behaviour.flawed else function in behaviour.flawed
    return raises and any(number_of(row) % POISON == 1 for row in rows)


@dataclass(slots=True)
class Lane:
    """One replica's function and state."""

    task: TaskId
    behaviour: Behaviour
    function: str
    random: Random
    nondeterminism: Callable[[], float]
    state: State = field(default_factory=State)
    epoch: int = 0

    def compute(self, epoch: int, inputs: tuple[EpochObject, ...], *, dropped: bool) -> tuple[Rows, str]:
        assert epoch == self.epoch + 1, f"{self.task}: computes {epoch} from the state after {self.epoch}"
        rows = () if dropped else taken_in(self.behaviour, inputs)
        chance = self.nondeterminism()
        if not dropped and (is_poisoned(self.behaviour, self.function, rows) or (self.behaviour.raises and self.random.random() < chance)):
            raise Raising
        before = self.state
        out, pending = step(self.task, self.behaviour, epoch, before.pending, rows)
        salt = str(self.random.random()) if self.random.random() < chance else ""
        after = State(short_hash(before.token, str(epoch), self.function, *rows, salt), pending)
        self.state, self.epoch = after, epoch
        made = Rows(out, before, after, self.function)
        return made, multiset_digest([row.encode() for row in (*out, after.token)])

    def restore(self, epoch: int, files: tuple[object, ...]) -> None:
        self.epoch, self.state = epoch, State()
        if files:
            assert isinstance(files[0], State)
            self.state = files[0]


@dataclass(frozen=True, slots=True)
class Outside:
    """An endless source: row k comes into being at k x spacing."""

    name: str
    spacing_ms: int

    def read(self, begin: int, now_ms: int) -> tuple[tuple[str, ...], int]:
        end = max(begin, min(now_ms // self.spacing_ms, begin + ROWS_PER_EPOCH))
        return self.rows(begin, end), end

    def rows(self, begin: int, end: int) -> tuple[str, ...]:
        return tuple(f"{self.name}{number}" for number in range(begin, end))
