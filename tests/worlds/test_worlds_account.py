"""On this machine, with real processes and a real store: a switch is timed from rates to replicas that have caught up, and the account of
the service level outlives the run."""

from pathlib import Path

import pytest

from levee.cli.local.start import Ask, setup_of
from levee.control.steps import Step
from levee.worlds.local.opening import Setup, running
from levee.worlds.local.run import LocalRun
from levee.worlds.local.table import read_table
from tests.worlds.toy import WORKER, epoch_of, play, toy


def setup(place: Path) -> Setup:
    """At the calm rate one replica stands by; the window of the account is short, so that parts of it are soon over."""
    text = toy((place / "store").as_uri(), rest=", window: 60s").replace("cost: 1us", "cost: 10ms")
    file = place / "toy.yaml"
    file.write_text(text.replace("completeness: 1.0", "completeness: 0.6"))
    return setup_of(Ask(str(file), directory=str(place / "run"), command=WORKER))


def switched(run: LocalRun) -> bool:
    return run.switching.last is not None and run.switching.last.configuration == "peak"


def test_a_switch_is_over_when_who_was_switched_on_has_caught_up(tmp_path: Path) -> None:
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: turn.table.ready and epoch_of(turn) > 40)
        idle = {one.replica for one in run.before.states().values() if one.rank is None and one.task == "total/0"}
        assert run.world.configuration == "calm"
        (tmp_path / "run" / "rate").write_text("55")
        turns = play(run, lambda _: switched(run))
        switch = run.switching.last
        assert switch is not None
        assert switch.on == idle
        moments = [at for _, at in switch.steps]
        assert [step for step, _ in switch.steps] == list(Step)
        assert moments == sorted(moments)
        [told] = [one.text for turn in turns for one in turn.news if one.subject == "Switched"]
        assert told.startswith(f"configuration peak (record {switch.record}) in force after ")
        assert "; caught up after " in told
        [entry] = run.table().switches
        assert (entry.configuration, entry.record, entry.on) == ("peak", switch.record, tuple(idle))
        assert list(entry.after_s) == [step.value for step in Step]


def test_the_account_goes_on_with_the_next_run(tmp_path: Path) -> None:
    def accounted(seconds: float) -> float:
        with running(setup(tmp_path)) as run:
            play(run, lambda _: run.account is not None and run.account.sums.seconds > seconds and run.account.sums.in_time > 0)
            assert run.account is not None
            sums = run.account.sums
            assert sums.in_time > 0  # what is overdue at a moment depends on the machine
            assert (sums.late, sums.lost) == (0, 0)
            assert run.account.promised == pytest.approx(0.6)
            assert run.account.cost is not None and 0.5 < run.account.cost < 1
            return run.account.sums.seconds

    first = accounted(12)
    table = read_table(setup(tmp_path).folder)
    assert table is not None and table.account is not None
    assert first - 0.1 <= table.account.sums.seconds
    with running(setup(tmp_path)) as run:
        play(run, lambda turn: turn.seen.anchored)
        assert run.account is not None
        assert run.account.sums.seconds >= 4, "a part of the window that was over, at least"


def test_a_task_that_never_did_an_epoch_counts_as_owing_what_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOY_TROUBLE", "epoch 1")
    with running(setup(tmp_path)) as run:
        play(run, lambda _: run.account is not None and run.account.overdue > 0)
        assert run.account is not None
        assert run.account.achieved == 0.0
