"""The user's function raises, and an operator is late."""

import json
from pathlib import Path
from typing import Any

import pytest

from levee.cli.main import run as levee
from levee.control.names import ReplicaName
from levee.control.seen import Status
from levee.plans.ending import Exit
from levee.worlds.local.faults import Kind
from levee.worlds.local.run import Turn
from levee_spark.log.values import Kind as Sealed
from tests.faults.chain import LABELLED, SOURCE, TOTAL, Wish, expected, value
from tests.faults.plant import check_undisturbed, planted
from tests.faults.points import HELD
from tests.faults.streams import check_lines, delivered, sealed

RAISES_AT = 25
AT, AT_AND_AGAIN = f"_epoch = {RAISES_AT}", f"_epoch % {RAISES_AT} = 0"
MINE = """
from pyspark.sql import functions as f
from tests.faults import chain

def labelled(inputs):
    numbers = inputs["numbers"]
    bad = f.when(f.expr("{raises}"), f.raise_error(f.lit("no label for this number"))).otherwise(f.col("key"))
    return chain.labelled({{"numbers": numbers.withColumn("key", bad.cast("string"))}})
"""


def test_a_function_that_raises_fails_its_task_and_once_corrected_goes_on_without_a_loss(tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(MINE.format(raises=AT))
    with planted(tmp_path, Wish(nodes=1, replicas=1, labelled="mine:labelled")) as plant:
        replica = ReplicaName(f"{LABELLED}/0")
        turn = plant.until("the task fails", lambda turn: turn.seen.states()[replica].status is Status.FAILED)
        assert "no label for this number" in turn.seen.states()[replica].error
        turn = plant.until("the sink has what came before", lambda _: plant.delivered_epoch() == RAISES_AT - 1)
        assert turn.seen.states()[ReplicaName(f"{TOTAL}/0")].status is Status.RUNNING  # it waits
        mine.write_text(MINE.format(raises="false"))
        plant.inflict(Kind.KILL_REPLICA, replica)
        plant.is_whole()
    assert plant.delivered_epoch() > RAISES_AT
    check_undisturbed(tmp_path, plant.streams())


def test_a_branch_that_fails_does_not_stop_the_others(tmp_path: Path) -> None:
    """They read the same source, which seals on for as long as `backlog` permits."""
    (tmp_path / "mine.py").write_text(MINE.format(raises=AT))
    branch = '\n  - {name: branch, function: "mine:labelled", inputs: [{from: numbers, cost: 1us}]}'
    sink = f', {{name: of-branch, from: branch, spark: {{format: json, options: {{path: "{tmp_path / "branch"}"}}}}}}'
    with planted(tmp_path, Wish(nodes=1, replicas=1, more_operators=branch, more_sinks=sink)) as plant:
        plant.until("the branch fails", lambda turn: turn.seen.states()[ReplicaName("branch/0/0")].status is Status.FAILED)
        plant.until("the others go on", lambda _: plant.delivered_epoch() > 2 * RAISES_AT)
    assert max(delivered(tmp_path / "branch")) == RAISES_AT - 1
    check_undisturbed(tmp_path, plant.streams())


def test_a_correction_under_another_name_takes_over_where_the_function_fails(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE.format(raises=AT))
    with planted(tmp_path, Wish(nodes=1, replicas=2, labelled="mine:labelled")) as plant:
        turn = plant.until("both replicas fail", both_failed)
        assert all("no label for this number" in turn.seen.states()[ReplicaName(f"{LABELLED}/{one}")].error for one in range(2))
        plant.until("the source goes on", lambda _: plant.streams()[SOURCE][-1].epoch > RAISES_AT)
        ahead = plant.streams()[SOURCE][-1].epoch  # so that the correction would come too late for the task
    (tmp_path / "corrected.py").write_text("from tests.faults.chain import labelled as label\n")
    with planted(tmp_path, Wish(nodes=1, replicas=2, labelled="corrected:label")) as plant:
        plant.until("what has waited comes out", lambda _: plant.delivered_epoch() > ahead)
        assert plant.says("takes other code")
    check_undisturbed(tmp_path, plant.streams())


def both_failed(turn: Turn) -> bool:
    return all(turn.seen.states()[ReplicaName(f"{LABELLED}/{one}")].status is Status.FAILED for one in range(2))


def dead_epochs(place: Path, capsys: pytest.CaptureFixture[str], stream: str = "labelled") -> list[dict[str, Any]]:
    """After the run as well."""
    capsys.readouterr()
    assert levee(["tail", stream, "--dead", "--from", "1", "--directory", str(place / "run")]) == Exit.OK
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_a_source_that_is_late_is_skipped_and_what_was_lost_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    held = tmp_path / "held"
    wish = Wish(source_options=f', heldBy: "{held}"', source_policies="\n    late: skip\n    deadline: 8s", failure_timeout="30s")
    with planted(tmp_path, wish) as plant:
        before = set(sealed(plant.streams(), SOURCE, Sealed.SKIPPED))
        held.touch()
        plant.until("late epochs are skipped", lambda _: len(set(sealed(plant.streams(), SOURCE, Sealed.SKIPPED)) - before) >= 3)
        held.unlink()
        plant.is_whole()
        losses = plant.metrics("levee_epochs_skipped_total")
    streams = plant.streams()
    check_lines(streams)
    skipped = sealed(streams, SOURCE, Sealed.SKIPPED)
    assert {one["epoch"] for one in plant.says("skips")} >= set(skipped)
    assert 3 <= losses["levee_epochs_skipped_total"] <= len(plant.says("skips"))
    assert {(one["_task"], one["kind"]) for one in dead_epochs(tmp_path, capsys, "numbers")} == {(SOURCE, "skipped")}
    out = delivered(tmp_path / "out")
    assert out == expected(max(out), without=skipped)


def test_epochs_whose_function_raises_or_that_are_late_are_sealed_without_rows_where_that_is_wanted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mine.py").write_text(MINE.format(raises=AT_AND_AGAIN))
    policies = ", onError: skip, late: skip, deadline: 8s"  # a busy machine is late for the first epochs, those that raise among them
    with planted(tmp_path, Wish(nodes=1, replicas=1, labelled="mine:labelled", policies=policies, failure_timeout="20s")) as plant:
        plant.until("an epoch is sealed as failed", lambda _: sealed(plant.streams(), LABELLED, Sealed.FAILED) != [])
        held = plant.arm(f"{HELD}-{LABELLED.replace('/', '-')}-0")
        before = set(sealed(plant.streams(), LABELLED, Sealed.SKIPPED))
        plant.until("late epochs are skipped", lambda _: len(set(sealed(plant.streams(), LABELLED, Sealed.SKIPPED)) - before) >= 3)
        total = plant.streams()[TOTAL][-1].epoch
        plant.until("the others go on", lambda _: plant.streams()[TOTAL][-1].epoch >= total + 2)
        held.unlink()
        plant.is_whole()
        losses = plant.metrics("levee_failures_total", "levee_epochs_failed_total", "levee_epochs_skipped_total")
    streams = plant.streams()
    check_lines(streams)
    failed, skipped = sealed(streams, LABELLED, Sealed.FAILED), sealed(streams, LABELLED, Sealed.SKIPPED)
    assert failed and all(epoch % RAISES_AT == 0 for epoch in failed)
    [why, *_] = [one for one in plant.says("failed") if one["epoch"] == failed[0]]
    assert "no label for this number" in str(why["detail"])
    assert {one["epoch"] for one in plant.says("skips")} >= set(skipped)  # one that was told may have come at the last moment
    assert 1 <= losses["levee_epochs_failed_total"] <= min(len(failed), losses["levee_failures_total"])  # one that raised may be late, too
    [dead, *_] = [one for one in dead_epochs(tmp_path, capsys) if one["kind"] == "failed"]
    assert (dead["_epoch"], dead["_task"]) == (failed[0], LABELLED)
    assert f"epoch {failed[0]}: " in dead["error"] and "no label for this number" in dead["error"]
    assert f"""rows of 'numbers' in this epoch:\n  {{"key": "a", "value": {value(failed[0], 0)}}}""" in dead["error"]
    assert 3 <= losses["levee_epochs_skipped_total"] <= len(plant.says("skips"))
    out = delivered(tmp_path / "out")
    assert out == expected(max(out), without={*failed, *skipped})
