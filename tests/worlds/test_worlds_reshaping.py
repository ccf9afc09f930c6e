"""A topology goes on with another graph, where all of it has stopped: real processes, real roles, numbers instead of Spark."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from levee.cli.local.start import setup_of
from levee.cli.local.streams import order_stop
from levee.control.actions import Reason
from levee.topology.names import TaskId
from levee.worlds.local.opening import CannotRun, Setup, running
from levee.worlds.local.run import LocalRun
from levee_spark.check import edits
from tests.worlds.toy import asked, delivered, epoch_of, play, toy

READS = "inputs: [{from: numbers, cost: 1us}]}"
MORE = """  - name: more
    spark: {format: replay, options: {generator: "tests.worlds.toy:numbers"}}
    configurations: [{name: calm, rate: 30, probability: 1}]
  operators:
"""


@pytest.fixture(autouse=True)
def _functions_are_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are numbers here, and there is no Spark to try them with."""
    monkeypatch.setattr(edits, "tried", lambda *_: ())


def of(place: Path, *changes: tuple[str, str]) -> Setup:
    ask = asked(place)
    text = toy((place / "store").as_uri())
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    Path(ask.file).write_text(text)
    return setup_of(ask)


def stopped(run: LocalRun, after: int) -> int:
    """It has come so far, and then to one last epoch, which this is."""
    play(run, lambda turn: epoch_of(turn) >= after)
    order_stop(run.folder, run.table())
    turns = play(run, lambda turn: turn.decision.reason is Reason.STOPPED)
    assert turns[-1].seen.stop_epoch is not None
    return turns[-1].seen.stop_epoch


def sums(place: Path, by_epoch: Callable[[int], int]) -> list[int]:
    """What must have been delivered, if `by_epoch` says how often the numbers of an epoch are summed up."""
    found, total = [], 0
    for epoch in range(1, len(delivered(place)) + 1):
        total += by_epoch(epoch) * 2 * sum(10 * epoch + n for n in range(3))
        found.append(total)
    return found


TWO_SOURCES = (("  operators:\n", MORE), (READS, "inputs: [{from: numbers, cost: 1us}, {from: more, cost: 1us}]}"))
TWO_DOUBLES = ((READS, "parallelism: 2, " + READS),)


def test_a_source_is_added_and_removed_and_added_again_and_each_time_all_change_at_one_epoch(tmp_path: Path) -> None:
    ends = [0]
    for graph in ((), TWO_SOURCES, (), TWO_SOURCES):
        with running(of(tmp_path, *graph)) as run:
            ends.append(stopped(run, ends[-1] + 20))
    _, first, second, third, _ = ends
    assert delivered(tmp_path) == sums(tmp_path, lambda epoch: 2 if first < epoch <= second or epoch > third else 1)


def test_what_holds_no_state_has_another_parallelism_and_whoever_reads_it_goes_on_with_its_own(tmp_path: Path) -> None:
    with running(of(tmp_path)) as run:
        first = stopped(run, 20)
    with running(of(tmp_path, *TWO_DOUBLES)) as run:
        second = stopped(run, first + 20)
    with running(of(tmp_path)) as run:
        stopped(run, second + 20)
    assert delivered(tmp_path) == sums(tmp_path, lambda epoch: 2 if first < epoch <= second else 1)  # a toy does not split what it reads


def test_another_graph_waits_until_all_stand_still(tmp_path: Path) -> None:
    with running(of(tmp_path)) as run:
        play(run, lambda turn: epoch_of(turn) > 10)
    with pytest.raises(CannotRun, match="do not stand at one epoch") as refused, running(of(tmp_path, *TWO_SOURCES)):
        pass
    assert "levee stop" in refused.value.complaints[0].fix
    with running(of(tmp_path)) as run:
        stopped(run, 20)
    with running(of(tmp_path, *TWO_SOURCES)) as run:
        play(run, lambda turn: epoch_of(turn) > 40)


def test_another_graph_waits_for_whoever_has_not_said_where_it_stands(tmp_path: Path) -> None:
    with running(of(tmp_path)) as run:
        last = stopped(run, 20)
        layout = run.world.book.wiring.layout
    (tmp_path / "store" / layout.checkpoint(TaskId("total/0"), last)).unlink()
    with pytest.raises(CannotRun, match=f"total/0 has not come to epoch {last}"), running(of(tmp_path, *TWO_SOURCES)):
        pass


def test_a_graph_that_was_never_begun_is_replaced_at_once(tmp_path: Path) -> None:
    setup = of(tmp_path)
    with running(replace(setup, environment={**setup.environment, "TOY_TROUBLE": "exit"})) as run:
        play(run, lambda turn: turn.seen.record is not None)
    with running(of(tmp_path, *TWO_SOURCES)) as run:
        play(run, lambda turn: epoch_of(turn) > 10)
    assert delivered(tmp_path) == sums(tmp_path, lambda _: 2)


def test_a_source_keeps_its_parallelism_and_a_name_its_kind(tmp_path: Path) -> None:
    with running(of(tmp_path)) as run:
        stopped(run, 20)
    resized = of(tmp_path, ("configurations: [{name: calm, rate: 30", "parallelism: 2\n    configurations: [{name: calm, rate: 30"))
    with pytest.raises(CannotRun, match="each task has read up to a place of its own") as refused, running(resized):
        pass
    assert [one.where for one in refused.value.complaints] == ["spec.sources, 'numbers'"]
    turned = of(tmp_path, ("name: out, from: total", "name: total2, from: out"), ("name: total,", "name: out,"))
    with pytest.raises(CannotRun, match="'out' was one of the sinks, and is one of the operators"), running(turned):
        pass
