"""Strategies that are more than one call."""

import json
from pathlib import Path

import pytest

from levee.cli.main import run

PIPELINE = Path(__file__).parents[2] / "examples" / "pipeline.yaml"


def test_non_replicated_runs_one_replica_of_each_task_and_overloads_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    run(["plan", "-f", str(PIPELINE), "--strategy", "non-replicated"], None)
    shown = capsys.readouterr().out
    assert "pe1/0" in shown
    assert "at most 0 beyond one per task" in shown
    assert "160 %" not in shown.split("static replication")[0]


def single(place: Path) -> str:
    """Replicas of the second element would differ."""
    told = PIPELINE.read_text(encoding="utf-8").replace("  - name: pe2\n", "  - name: pe2\n    repeatable: false\n")
    assert "repeatable" in told
    file = place / "topology.yaml"
    file.write_text(told, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(("strategy", "most"), [("none", 1), ("static", 2), ("greedy", 2), ("non-replicated", 1), ("completeness", 2)])
def test_where_replicas_would_differ_one_is_active(strategy: str, most: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["plan", "-f", single(tmp_path), "--strategy", strategy, "--target", "0.3", "-o", "json"], None)
    for configuration in json.loads(capsys.readouterr().out)["configurations"]:
        active = [one["task"] for node in configuration["nodes"] for one in node["active"]]
        assert active.count("pe2/0") == 1
        assert 1 <= active.count("pe1/0") <= most


@pytest.mark.parametrize("words", [("ft-search",), ("fidelity", "--target", "fidelity=0.5"), ("static", "--target", "budget=1")])
def test_strategies_that_know_nothing_of_it_say_so(words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "-f", single(tmp_path), "--strategy", *words], None) == 2
    told = capsys.readouterr().err
    assert f"{words[0]} knows only operators that are repeatable, and pe2 is not." in told
    assert "use --strategy completeness, with a completeness as its target" in told
