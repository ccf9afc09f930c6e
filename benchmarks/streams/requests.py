"""How often a running topology asks its store, by kind, in steady state; beside what `levee plan` says.

Called by: __main__ (keys), take.
"""

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.streams.rows import Key, Row
from benchmarks.streams.scrape import samples
from benchmarks.streams.settings import Mode
from levee.cli.local.start import Ask, setup_of
from levee.control.seen import Phase, Status
from levee.planning.requests import TRIM_SHARE, Requests, per_epoch
from levee.topology.load import load_bytes
from levee.topology.names import TaskId
from levee.worlds.local.opening import running
from levee.worlds.local.rows import rows_of, summary_of
from levee.worlds.local.run import LocalRun, Turn

WITHIN_S = 500
STEADY_EPOCHS = 30
TURNS = 2  # of the trimmers, while it is watched

TOPOLOGY = """
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: asks}}
spec:
  store: {{uri: "{store}"}}
  epoch: {{period: {period_ms}ms, retention: {retention_s}s}}  # so that trimmers take turns while it is watched
  sources:
  - name: numbers
    spark: {{format: replay, options: {{generator: "benchmarks.streams.functions:rows", ratePerS: "400", periodMs: "{period_ms}"}}}}
    configurations: [{{rate: 400}}]
  operators:
  - {{name: first, function: "benchmarks.streams.functions:window_10", inputs: [{{from: numbers, cost: 1us}}]}}
  - {{name: second, function: "benchmarks.streams.functions:window_10", inputs: [{{from: first, cost: 1us}}]}}
  sinks: [{{name: out, from: second, spark: {{format: json, options: {{path: "{out}"}}}}}}]
  faultTolerance: {{strategy: {strategy}}}
  placement: {{nodes: [{{name: node-1}}, {{name: node-2}}, {{name: node-3}}]}}
"""


def keys(mode: Mode) -> Iterator[Key]:
    for strategy in ("none", "static"):
        for period_ms in (500, 1000):
            yield strategy, period_ms, TURNS * mode.watched_s


def take(work: Path, strategy: str, period_ms: int, watched_s: float) -> Row:
    file = work / "topology.yaml"
    file.write_text(text_of(work, strategy, period_ms, watched_s))
    setup = setup_of(Ask(str(file), directory=str(work / "run"), anyway=True))
    with running(setup) as run:
        before, from_turn, turn = None, None, None
        began_s = from_s = time.monotonic()
        for turn in run.turns():
            assert time.monotonic() - began_s < WITHIN_S, turn.decision
            if before is None and settled(turn):
                before, from_turn, from_s = counts(run), turn, time.monotonic()
            if from_turn is not None and time.monotonic() - from_s >= watched_s:
                break
        assert before is not None and from_turn is not None and turn is not None
        return {"strategy": strategy, "watched_s": watched_s, **found(run, before, from_turn, turn, time.monotonic() - from_s)}


def text_of(work: Path, strategy: str, period_ms: int, watched_s: float) -> str:
    retention_s = round(TRIM_SHARE * watched_s / TURNS)
    store = (work / "store").as_uri()
    return TOPOLOGY.format(store=store, out=work / "out", strategy=strategy, period_ms=period_ms, retention_s=retention_s)


def said(row: Row) -> Requests:
    """What `levee plan` says of this topology, an epoch."""
    [loaded] = load_bytes(text_of(Path("/"), row["strategy"], row["period_ms"], row["watched_s"]).encode(), origin="bench")
    assert loaded.topology is not None
    racing = {"none": 1.0, "static": 2.0}[row["strategy"]]
    return per_epoch(loaded.topology, {TaskId("first/0"): racing, TaskId("second/0"): racing}, replicas=2)


def settled(turn: Turn) -> bool:
    return epoch_of(turn) >= STEADY_EPOCHS and all(worker.phase is Phase.READY for worker in turn.seen.workers)


def epoch_of(turn: Turn) -> int:
    return summary_of(turn.table, rows_of(turn.table, turn.seen)).epoch


def counts(run: LocalRun) -> Counter[tuple[str, ...]]:
    total: Counter[tuple[str, ...]] = Counter()
    for worker in run.world.workers.values():
        total += samples(worker.directory, "levee_store_requests_total", "kind", "outcome")
    return total


def found(run: LocalRun, before: Counter[tuple[str, ...]], first: Turn, last: Turn, lasted_s: float) -> Row:
    asked = counts(run) - before
    states = last.seen.states().values()
    wiring = run.world.book.wiring
    return {
        "lasted_s": lasted_s,
        "epochs": epoch_of(last) - epoch_of(first),
        "period_ms": wiring.times.period_ms,
        "tasks": len(wiring.tasks),
        "replicas": len(states),
        "active": sum(one.status is Status.RUNNING for one in states),
        "requests": {" ".join(kind): count for kind, count in sorted(asked.items())},
    }
