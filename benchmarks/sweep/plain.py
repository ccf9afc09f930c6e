"""The topology of a life: numbers, labelled, summed up for each key; computed by plain Python, and what must come out of it.

Why: what is swept are writes, and those are the protocol's; without Spark a worker starts in milliseconds, and a life takes seconds. A
source that is a function of the epoch's number makes every life comparable, however long it is.
Called by: entries, in workers; verdict, which computes what must come out by loops that share nothing with it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeAlias

import pyarrow as pa

from levee_spark.lane import rows
from levee_spark.log.digest import short_hash
from levee_spark.log.requests import Answer, Compute, Computed, Done, Files, Request, Restore, Snapshot
from levee_spark.log.values import Kind
from levee_spark.store.driver import monotonic_ms
from levee_spark.worker.operating import bytes_of, table_of

KEYS = ("a", "b", "c")
State: TypeAlias = dict[str, list[int]]  # sum and count of each key
Rows: TypeAlias = list[dict[str, Any]]


def numbers(epoch: int, _options: Mapping[str, str], _task: int, _tasks: int) -> pa.Table:
    """The source's generator."""
    return pa.table({"key": list(KEYS), "value": pa.array([value(epoch, place) for place in range(len(KEYS))], pa.int64())})


def value(epoch: int, place: int) -> int:
    return (epoch * 7 + place * 13) % 101


def labelled(_state: State, given: Rows) -> Rows:
    """Stateless: doubled, and one row in some is dropped."""
    return [{"key": row["key"], "double": 2 * row["value"]} for row in given if row["value"] % 5 != 0]


def total(state: State, given: Rows) -> Rows:
    """Stateful: whatever is lost or doubled shows in every later row of its key."""
    for row in given:
        before = state.get(row["key"], [0, 0])
        state[row["key"]] = [before[0] + row["double"], before[1] + 1]
    return [{"key": key, "sum": state[key][0], "rows": state[key][1]} for key in sorted({row["key"] for row in given})]


FUNCTIONS: dict[str, tuple[Callable[[State, Rows], Rows], pa.Schema]] = {
    "benchmarks.sweep.plain:labelled": (labelled, pa.schema([("key", pa.string()), ("double", pa.int64())])),
    "benchmarks.sweep.plain:total": (total, pa.schema([("key", pa.string()), ("sum", pa.int64()), ("rows", pa.int64())])),
}


@dataclass(slots=True)
class Plain:
    """What a lane does for its replica, with the state in a dictionary."""

    function: Callable[[State, Rows], Rows]
    schema: pa.Schema
    state: State = field(default_factory=dict)

    @classmethod
    def of(cls, name: str) -> "Plain":
        return cls(*FUNCTIONS[name])

    def __call__(self, request: Request) -> Answer:
        began_ms = monotonic_ms()
        match request:
            case Compute():
                return self.compute(request, began_ms)
            case Restore(_, files):
                self.state = json.loads(bytes_of(files[0])) if files else {}
                return Done(began_ms, monotonic_ms())
            case Snapshot():
                return Files((("state", json.dumps(self.state).encode()),), began_ms, monotonic_ms())
            case _:
                raise TypeError(f"an operator cannot answer {request}")

    def compute(self, request: Compute, began_ms: int) -> Computed:
        epochs = [] if request.dropped else [one for one in request.inputs if one.manifest.kind is Kind.FINAL]
        given = [row for one in epochs for row in table_of(one).to_pylist()]
        payload = rows.encode(pa.Table.from_pylist(made := self.function(self.state, given), self.schema))
        digest = short_hash("plain", blake2b(payload, digest_size=16).hexdigest())
        return Computed(payload, len(made), digest, began_ms, monotonic_ms(), stateless=self.function is labelled)


def expected(epochs: int) -> dict[int, Rows]:
    """The rows of every epoch that has any."""
    sums, counts, found = dict.fromkeys(KEYS, 0), dict.fromkeys(KEYS, 0), {}
    for epoch in range(1, epochs + 1):
        kept = {key: 2 * value(epoch, place) for place, key in enumerate(KEYS) if value(epoch, place) % 5 != 0}
        for key, double in kept.items():
            sums[key], counts[key] = sums[key] + double, counts[key] + 1
        if kept:
            found[epoch] = [{"key": key, "sum": sums[key], "rows": counts[key]} for key in sorted(kept)]
    return found
