"""A topology that needs no Spark.

Called by: the tests of the local world; run by the toy worker, which stands in for Spark's.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from levee.cli.local.start import Ask, setup_of
from levee.worlds.local.faults import Fault
from levee.worlds.local.opening import Setup
from levee.worlds.local.rows import rows_of, summary_of
from levee.worlds.local.run import LocalRun, Turn

WORKER = (sys.executable, "-m", "tests.worlds.toy_worker")
TURNS_MAX = 400


NODES = "[{name: node-1}, {name: node-2}, {name: node-3}]"
IN_ZONES = "[{name: node-1, zone: zone-1}, {name: node-2, zone: zone-2}, {name: node-3, zone: zone-3}]"


def toy(store: str, *, rest: str = "", failure_timeout: str = "1s", nodes: str = NODES) -> str:
    return f"""
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: toy, namespace: tests}}
spec:
  store: {{uri: "{store}?durable=false"}}
  epoch: {{period: 50ms, hold: 30ms}}
  sources:
  - name: numbers
    spark: {{format: replay, options: {{generator: "tests.worlds.toy:numbers"}}}}
    configurations: [{{name: calm, rate: 30, probability: 0.8}}, {{name: peak, rate: 60, probability: 0.2}}]
  operators:
  - {{name: double, function: "tests.worlds.toy:double", inputs: [{{from: numbers, cost: 1us}}]}}
  - {{name: total, function: "tests.worlds.toy:total", inputs: [{{from: double, cost: 1us}}]}}
  sinks: [{{name: out, from: total, spark: {{format: json, options: {{path: /nowhere}}}}}}]
  faultTolerance: {{target: {{completeness: 1.0}}, checkpoint: {{every: 5}}, failureTimeout: {failure_timeout}{rest}}}
  placement:
    nodes: {nodes}
"""


def numbers() -> None:
    """Named by the topology, and never called: the toy worker has its own."""


double = total = numbers


def asked(place: Path, *faults: Fault, rest: str = "", failure_timeout: str = "1s", nodes: str = NODES) -> Ask:
    """A run in `place`, with everything that belongs to it."""
    file = place / "toy.yaml"
    file.write_text(toy((place / "store").as_uri(), rest=rest, failure_timeout=failure_timeout, nodes=nodes))
    return Ask(str(file), directory=str(place / "run"), faults=faults, command=WORKER)


def setup(place: Path, *faults: Fault, rest: str = "") -> Setup:
    return setup_of(asked(place, *faults, rest=rest))


def play(run: LocalRun, until: Callable[[Turn], bool]) -> Sequence[Turn]:
    """Turn by turn, until something holds or the run ends; a run that never gets there fails instead of hanging."""
    turns: list[Turn] = []
    for turn in run.turns():
        turns.append(turn)
        if until(turn):
            break
        assert len(turns) < TURNS_MAX, f"after {TURNS_MAX} turns: {turn.decision}"
    return turns


def epoch_of(turn: Turn) -> int:
    return summary_of(turn.table, rows_of(turn.table, turn.seen)).epoch


def delivered(place: Path) -> list[int]:
    """What the sink has, in order; the epochs must be dense."""
    files = sorted((place / "run" / "out").glob("0*.json"))
    assert [int(file.stem) for file in files] == list(range(1, len(files) + 1))
    return [int(file.read_text().strip("[]")) for file in files]


def expected(epochs: int) -> list[int]:
    """Three numbers an epoch, doubled and summed up."""
    total, found = 0, []
    for epoch in range(1, epochs + 1):
        total += 2 * sum(10 * epoch + n for n in range(3))
        found.append(total)
    return found
