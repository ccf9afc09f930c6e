"""The chaos bench, as far as it needs no cluster: what is read off a stream and its output, the faults, and what the page says."""

import json
from collections.abc import Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.chaos import golden, measures, plain, report
from benchmarks.chaos.faults import FAULTS, keys
from benchmarks.chaos.runner import ChaosBench
from benchmarks.chaos.settings import FULL, OPTIONS, PERIOD_MS, QUICK, STRATEGY, WAYS
from benchmarks.chaos.take import WAYS as MODULES
from benchmarks.chaos.verdicts import verdicts
from benchmarks.cluster.namespace import Namespace
from benchmarks.cluster.trades import STRATEGIES, trades
from cluster.faults import FAULTS as VERBS
from levee.topology.load import load_bytes
from levee_spark.examples import market

FAULT_MS = 12_400.0


# ---- what is read off a stream


def test_epochs_are_late_that_come_a_period_later_than_those_before_the_fault_did() -> None:
    even = {epoch: 1000.0 * epoch + 120 for epoch in range(1, 13)}
    assert measures.late(even | {13: 1000.0 * 13 + 500}, FAULT_MS, PERIOD_MS, 5) == 0
    outage = {epoch: 18_000.0 + epoch for epoch in range(13, 18)}
    assert measures.late(even | outage | {18: 1000.0 * 18 + 200}, FAULT_MS, PERIOD_MS, 5) == 4, "the last of the outage came in time"
    assert measures.late({}, FAULT_MS, PERIOD_MS, 5) == 0


def test_rows_are_compared_epoch_by_epoch_whatever_their_order() -> None:
    wanted = {1: ["a", "b"], 2: ["c"], 3: ["d", "d"]}
    assert measures.compared({1: ["b", "a"], 2: ["c"], 3: ["d", "d"]}, wanted, [1, 2, 3]) == measures.Compared(3, 5, 0, 0, 0)
    assert measures.compared({1: ["a"], 3: ["d", "d", "d"]}, wanted, [1, 2, 3]) == measures.Compared(3, 5, 2, 1, 3)
    assert measures.compared({1: ["a"], 2: ["c"]}, wanted, [2]) == measures.Compared(1, 1, 0, 0, 0)


# ---- the undisturbed run


def averages(first: int, count: int) -> pa.Table:
    keys = list(range(first, first + count))
    return pa.table({"key": keys, "symbol": ["S1"] * count, "total_cents": keys, "total_volume": [1] * count})


def test_rows_of_the_undisturbed_run_are_known_by_epoch(tmp_path: Path) -> None:
    pq.write_table(averages(9, 3), tmp_path / "part-00000-000000000007.snappy.parquet")
    found = golden.Golden(tmp_path)
    assert found.epochs == 7
    assert found.rows(7)[0] == "000000000009 S1 9 1"
    assert [plain.key_of(row) for row in found.rows(7)] == ["000000000009", "000000000010", "000000000011"]
    assert found.rows(8) == []


def test_every_epoch_has_rows_so_that_every_epoch_has_a_file() -> None:
    trades_of = [market.rows(epoch, OPTIONS, 0, 1)["type"].to_pylist().count("trade") for epoch in range(1, 600)]
    assert min(trades_of) > 0


def test_the_topology_that_runs_undisturbed_is_valid_and_has_the_same_source(tmp_path: Path) -> None:
    told = golden.topology(tmp_path, 100)
    [loaded] = load_bytes(json.dumps(told).encode(), origin="bench")
    assert loaded.complaints == ()
    assert OPTIONS.items() <= told["spec"]["sources"][0]["spark"]["options"].items()


# ---- faults


@pytest.mark.parametrize("fault", [one for one in FAULTS if one.action], ids=lambda one: one.name)
def test_each_fault_is_an_action_that_levee_chaos_has_with_those_arguments(fault: Any) -> None:
    signature(fault.done_by()).bind(**fault.whom, **fault.how, topology="trades", namespace="bench")


def test_others_are_the_test_clusters_or_the_operators() -> None:
    rest = [one for one in FAULTS if not one.action]
    assert [one.name for one in rest if one.verbs is None] == ["operator"]
    assert {verb for one in rest for verb in one.verbs or ()} <= VERBS.keys()


def test_each_way_is_measured_as_often_and_a_plain_pod_meets_what_it_can() -> None:
    assert WAYS.keys() == MODULES.keys()
    assert set(STRATEGY.values()) == STRATEGIES.keys()
    assert len(keys(FULL, "active")) == len(keys(FULL, "checkpoint")) == FULL.times * len(FAULTS)
    assert [name for name, _ in keys(QUICK, "plain")] == ["pod", "jvm", "node"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_topology_is_valid_with_this_period(strategy: str) -> None:
    told = trades(strategy, "shop", "s3://levee/x", ["node1", "node2", "node3"], OPTIONS)
    [loaded] = load_bytes(json.dumps(told).encode(), origin="bench")
    assert loaded.complaints == ()


# ---- Spark alone


@pytest.fixture
def alone(tmp_path: Path) -> plain.Life:
    log = tmp_path / "out" / "_spark_metadata"
    log.mkdir(parents=True)
    for batch, begin in enumerate((1, 4, 7)):
        pq.write_table(averages(begin, 3), tmp_path / "out" / f"part-{batch}.parquet")
    pq.write_table(averages(7, 3), tmp_path / "out" / "part-torn.parquet")
    lines = [json.dumps({"path": f"file:///data/out/part-{batch}.parquet", "action": "add"}) for batch in range(3)]
    (log / "0").write_text("v1\n" + lines[0])
    (log / "1.compact").write_text("v1\n" + "\n".join(lines[:2]))
    (log / "2").write_text("v1\n" + lines[2])
    (tmp_path / "golden").mkdir()
    for epoch, begin in ((1, 1), (2, 6), (3, 11)):
        pq.write_table(averages(begin, 5), tmp_path / "golden" / f"part-00000-{epoch:012}.snappy.parquet")
    return plain.Life(Namespace(None, "bench"), tmp_path, golden.Golden(tmp_path / "golden"))  # type: ignore[arg-type]  # nobody is asked


def test_the_output_of_spark_alone_is_what_its_own_log_says_and_is_compared_as_far_as_it_has_come(alone: plain.Life) -> None:
    assert sorted(path.name for path in alone.committed()) == ["part-0.parquet", "part-1.parquet", "part-2.parquet"]
    assert sorted(alone.stamps()) == [0, 1, 2]
    assert alone.compared() == measures.Compared(1, 9, 0, 0, 0)


def test_a_plain_pod_has_the_program_and_the_folder_that_all_nodes_see() -> None:
    made = plain.deployment("bench-1")
    pod = made["spec"]["template"]["spec"]
    mounted = {one["name"]: one["mountPath"] for one in pod["containers"][0]["volumeMounts"]}
    assert {one["name"] for one in pod["volumes"]} == mounted.keys()
    assert f"{mounted['job']}/plain_job.py" in pod["containers"][0]["command"]
    assert "def main" in plain.config_map()["data"]["plain_job.py"]


# ---- rows and the page


def row(gap_ms: float, **more: Any) -> dict[str, Any]:
    output = {"epochs": 30, "rows": 300, "lost": 0, "duplicated": 0, "differing": 0}
    usual = {"undisturbed_ms": [1000.0] * 3, "late": 2, "output": output, "changed": [], "cores_used": 0.1, "busy": False, "whole_s": 9.0}
    return {"gap_ms": gap_ms, "longest_ms": gap_ms, **usual, **more}


def test_the_page_says_what_was_wanted_and_what_is_reached(tmp_path: Path) -> None:
    ways = {
        "active": {"pod": [row(700.0), row(2200.0)], "jvm": [row(600.0)]},
        "checkpoint": {"pod": [row(8000.0, changed=["aggregator/0: epoch 7 is lost"])]},
        "plain": {"pod": [row(29_000.0, late=None)]},
    }
    report.write(FULL, ways, [{"part": "active", "key": ["node", 1], "why": "a | b"}], tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text()
    assert "| final epochs lost or changed | 0 | 1, of 1,200 rows in 4 runs | **missed** |" in text
    assert (
        "| failover to an active replica: pod | at most two epochs and a hold: 2100 ms | 2200 ms in the slowest of 2 | **missed** |" in text
    )
    assert "20.0 times (1450 ms, 29000 ms; beyond an undisturbed epoch's 1000 ms: 450 ms, 28000 ms) | reached |" in text
    assert "| pod | 1450 (2200) | 8000 (8000) | 29000 (29000) |" in text
    assert "| active | node, 1 | a / b |" in text
    assert "Not measured yet: active replica: container, pause" in text


def test_a_page_without_measurements_says_so(tmp_path: Path) -> None:
    nothing: dict[str, dict[str, list[dict[str, Any]]]] = {way: {} for way in WAYS}
    report.write(FULL, nothing, [], tmp_path / "page.md")
    assert "nothing was measured" in (tmp_path / "page.md").read_text()
    assert "| rows of the output lost | 0 | - | not measured |" in verdicts(nothing)


def test_what_is_known_is_not_measured_again_and_a_life_that_ended_early_is_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lives: list[list[str]] = []

    def life(_: ChaosBench, part: str, left: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
        lives.append(list(left))
        for key in list(left):
            if len(lives) == 1 and key == '["jvm", 1]':
                yield key, {"why": f"{part} has fallen over"}
                return
            yield key, row(700.0)

    monkeypatch.setattr(ChaosBench, "life", life)
    bench = ChaosBench(tmp_path, tmp_path / "work", 0.0, tmp_path / "failed", golden.Golden(tmp_path))
    wanted = [("pod", 1), ("jvm", 1), ("node", 1)]
    bench.measure("active", wanted)
    assert lives == [['["pod", 1]', '["jvm", 1]', '["node", 1]'], ['["node", 1]']]
    assert {fault: len(rows) for fault, rows in bench.of_faults("active", wanted).items()} == {"pod": 1, "node": 1}
    assert [one["why"] for one in bench.unfinished("active", wanted)] == ["active has fallen over"]
    bench.measure("active", wanted)
    assert lives[2:] == [['["jvm", 1]']]
