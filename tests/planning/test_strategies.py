"""Strategies that are more than one call."""

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
