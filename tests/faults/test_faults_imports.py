"""Two topologies on this machine, with real Spark: one imports a stream of the other, row by row, though its ingestor is killed."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from levee.cli.local.start import Ask, setup_of
from levee.control.actions import Reason
from levee.worlds.local.faults import Fault, Kind
from levee.worlds.local.opening import running
from levee.worlds.local.run import LocalRun, Turn

EPOCHS, ROWS, TURNS_MAX = 40, 3, 2_000
MINE = """
import pyarrow as pa

def rows(epoch, options, task, tasks):
    return pa.table({"n": pa.array([3 * epoch + each for each in range(3)], pa.int64())})

def same(inputs):
    [frame] = inputs.values()
    return frame.select("n")
"""
TOPOLOGY = """
apiVersion: levee.dev/v1alpha1
kind: FaultTolerantTopology
metadata: {{name: {name}, namespace: tests}}
spec:
  store: {{uri: "{place}/store?durable=false"}}
  epoch: {{period: {period}ms, hold: 100ms}}
  sources: [{{name: numbers, {source}, configurations: [{{rate: 10}}]}}]
  operators: [{{name: passed, function: "mine:same", inputs: [{{from: numbers, cost: 1us}}]}}]
  sinks: [{{name: out, from: passed, spark: {{format: json, options: {{path: "{out}"}}}}}}]
  faultTolerance: {{strategy: {strategy}, replicas: {replicas}, failureTimeout: 6s}}
  placement: {{nodes: [{nodes}]}}
"""


def topology(place: Path, name: str, source: str, period: int, *, replicas: int) -> Path:
    (place / "mine.py").write_text(MINE)
    file, nodes = place / f"{name}.yaml", ", ".join(f"{{name: node-{number}}}" for number in range(replicas))
    strategy = "static" if replicas > 1 else "none"
    told = {"name": name, "place": place.as_uri(), "source": source, "period": period, "out": place / name, "strategy": strategy}
    file.write_text(TOPOLOGY.format(**told, replicas=replicas, nodes=nodes))
    return file


def delivered(place: Path, name: str) -> Counter[int]:
    files = (place / name).glob("part-*")
    return Counter(json.loads(line)["n"] for file in files for line in file.read_text().splitlines())


def turns(run: LocalRun) -> Iterator[Turn]:
    for count, turn in enumerate(run.turns()):
        assert count < TURNS_MAX, turn.decision
        yield turn


@pytest.fixture
def exporter(tmp_path: Path) -> list[str]:
    replay = f'spark: {{format: replay, options: {{generator: "mine:rows", epochs: "{EPOCHS}"}}}}'
    file = topology(tmp_path, "exporter", replay, 250, replicas=1)
    levee = "from levee.cli.main import main; main()"
    return [sys.executable, "-c", levee, "run", "-f", str(file), "--directory", str(tmp_path / "first"), "--plain"]


def test_what_one_topology_computes_comes_into_the_other_once_though_its_ingestor_is_killed(tmp_path: Path, exporter: list[str]) -> None:
    file = topology(tmp_path, "importer", "import: {topology: exporter, stream: passed}", 400, replicas=2)
    killed = Fault(Kind.KILL_REPLICA, "numbers/0", at_epoch=5)
    process: subprocess.Popen[bytes] | None = None
    told: list[str] = []
    try:
        with running(setup_of(Ask(str(file), directory=str(tmp_path / "second"), faults=(killed,)))) as run:
            for turn in turns(run):
                told += [one.text for one in turn.news]
                if process is None and "waits: there is no topology tests/exporter in this store yet" in told:
                    assert not turn.seen.anchored, "no epoch is due yet"
                    process = subprocess.Popen(exporter, stdout=subprocess.DEVNULL)
        assert process is not None
        assert process.wait(60) == 0
    finally:
        if process is not None and process.poll() is None:
            process.terminate()
            process.wait()
    expected = Counter(range(3, 3 * EPOCHS + ROWS))
    assert turn.decision.reason is Reason.COMPLETED
    assert len(turn.inflicted) == 1
    assert delivered(tmp_path, "exporter") == expected
    assert delivered(tmp_path, "importer") == expected
