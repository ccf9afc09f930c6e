"""How a topology begins, follows its rates, and ends."""

from dataclasses import replace

import pytest

from levee.control.actions import Finish, Reason, StartWorker, WriteAnchor, WriteRecord
from levee.control.decide import decide
from levee.control.names import Instant
from levee.control.outages import followed
from levee.control.rates import Window
from levee.control.seen import Observation, Outage, Phase, Status
from levee.topology.names import TaskId
from tests.control.stage import FULL, HEALTHY, HIGH, LOW, MARKET, NOW, PLACED, SHAPE, WANTED, record, running, seeing, with_worker, worker

BEFORE = Observation(nodes=HEALTHY.nodes)
IDLE_SOURCES = tuple((name, rank) for name, rank in FULL if not name.startswith("market"))


def written(seen: Observation) -> WriteRecord:
    [action] = [one for one in decide(WANTED, seen, NOW).actions if isinstance(one, WriteRecord)]
    return action


def test_the_log_begins_before_any_worker_does() -> None:
    assert decide(WANTED, BEFORE, NOW).reason is Reason.OPENING
    assert written(BEFORE).record.number == 1
    opened = replace(BEFORE, record=written(BEFORE).record, opened=True, configuration=LOW)
    actions = decide(WANTED, opened, NOW).actions
    assert [one.worker for one in actions if isinstance(one, StartWorker)] == [placed.worker for placed in PLACED]


def test_the_likeliest_configuration_is_the_first() -> None:
    assert written(BEFORE).configuration == LOW


def test_whoever_takes_over_writes_a_record_of_its_own_and_ends_a_stop() -> None:
    taken_over = written(replace(BEFORE, record=record(stopped=True))).record
    assert (taken_over.number, taken_over.shape_number) == (8, 8)
    assert not taken_over.shape.stopped


def test_taking_over_changes_no_rows_when_nothing_has_changed() -> None:
    assert written(replace(BEFORE, record=record())).record.shape_number == record().shape_number


def test_a_changed_function_holds_from_an_epoch_and_not_at_once() -> None:
    other = replace(WANTED, shape=replace(SHAPE, functions=(("vwap", "bargains:vwap_2"),)))  # type: ignore[arg-type]
    [action] = decide(other, replace(BEFORE, record=record()), NOW).actions
    assert isinstance(action, WriteRecord)
    assert action.record.shape_number == action.record.number


def test_no_source_is_active_before_the_anchor_is_written() -> None:
    assert written(BEFORE).record.live.ranks == IDLE_SOURCES


def waiting(*workers: Phase) -> Observation:
    seen = tuple(worker(placed, phase, ago_ms=1_000) for placed, phase in zip(PLACED, workers, strict=True))
    return seeing(workers=seen, anchored=False, record=record(IDLE_SOURCES))


def test_epochs_are_due_once_every_worker_is_ready() -> None:
    assert decide(WANTED, waiting(Phase.READY, Phase.READY, Phase.STARTING), NOW).reason is Reason.WAITING
    anchor, activation = decide(WANTED, waiting(Phase.READY, Phase.READY, Phase.READY), NOW).actions
    assert isinstance(anchor, WriteAnchor)
    assert isinstance(activation, WriteRecord)
    assert activation.record.live.ranks == FULL


def test_a_worker_that_died_meanwhile_is_not_waited_for_if_its_tasks_have_others() -> None:
    decision = decide(WANTED, waiting(Phase.READY, Phase.READY, Phase.PAUSED), NOW)
    assert decision.reason is Reason.ALL_READY


def test_a_task_without_anybody_is_waited_for() -> None:
    decision = decide(WANTED, waiting(Phase.READY, Phase.STARTING, Phase.PAUSED), NOW)
    assert decision.reason is Reason.WAITING
    seen = waiting(Phase.READY, Phase.STARTING, Phase.PAUSED)
    late = replace(seen, workers=tuple(replace(one, since=Instant(NOW - 70_000)) for one in seen.workers))
    assert "index/0" in decide(WANTED, late, NOW).text


def outage(ms: int) -> tuple[Outage, ...]:
    return (Outage(TaskId("market/0"), Instant(NOW - ms - 500), Instant(NOW - 500)),)


def test_after_an_outage_of_a_source_its_epochs_are_due_from_a_new_anchor() -> None:
    assert decide(WANTED, seeing(outages=outage(4_999)), NOW).actions == ()
    assert decide(WANTED, seeing(outages=outage(5_000)), NOW).actions == (WriteAnchor(),)


def test_an_outage_goes_on_until_somebody_can_work_again() -> None:
    source = TaskId("market/0")
    began = followed((), {source}, Instant(10))
    assert followed(began, {source}, Instant(20)) == (Outage(source, Instant(10)),)
    assert followed(began, set(), Instant(30)) == (Outage(source, Instant(10), Instant(30)),)


def test_an_outage_that_begins_again_before_it_was_answered_is_the_same() -> None:
    source = TaskId("market/0")
    ended = (Outage(source, Instant(10), Instant(30)),)
    assert followed(ended, {source}, Instant(40)) == (Outage(source, Instant(10)),)


def test_the_configuration_follows_the_rates() -> None:
    action = written(seeing(rates={MARKET: 150.0}))
    assert action.configuration == HIGH
    assert "vwap/0/1" not in dict(action.record.live.ranks)
    assert "out/0/1" in dict(action.record.live.ranks)


def test_a_missing_rate_keeps_the_configuration() -> None:
    decision = decide(WANTED, seeing(rates=None), NOW)
    assert decision.reason is Reason.RATES_UNKNOWN
    assert decision.actions == ()


def test_a_rate_is_the_average_of_its_window() -> None:
    window = Window(average_over_ms=1_000)
    for second in range(11):
        window.add(Instant(1_000 * second), 90.0 if second == 2 else 10.0)
        assert window.average() == (50.0 if second in {2, 3} else 10.0)


def test_one_jerk_is_no_rate() -> None:
    window = Window()
    for turn in range(10):
        window.add(Instant(500 * turn), 100.0)
    window.add(Instant(5_000), 200.0)
    assert window.average() == pytest.approx(1_200 / 11)


IN_HIGH = tuple((name, rank) for name, rank in FULL if name in WANTED.active[HIGH])


def in_high() -> Observation:
    return seeing(configuration=HIGH, rates={MARKET: 200.0}, record=record(IN_HIGH))


def test_a_standby_takes_over_when_no_planned_replica_is_left() -> None:
    lost = with_worker(0, worker(PLACED[0], Phase.ENDED), in_high())
    assert dict(written(lost).record.live.ranks)["vwap/0/1"] == 0


def test_a_standby_steps_back_once_the_planned_replica_has_caught_up() -> None:
    both = (*IN_HIGH, ("vwap/0/1", 1))
    behind = tuple(running(name, epoch=50) for name in PLACED[0].replicas)
    seen = replace(in_high(), record=record(both))
    catching_up = with_worker(0, replace(HEALTHY.workers[0], states=behind), seen)
    assert decide(WANTED, catching_up, NOW).actions == ()
    assert "vwap/0/1" not in dict(written(seen).record.live.ranks)
    late = tuple(running(name, lag_epochs=50) for name in PLACED[0].replicas)  # as all are, for want of cores
    assert "vwap/0/1" not in dict(written(with_worker(0, replace(HEALTHY.workers[0], states=late), seen)).record.live.ranks)


def stopping(epochs: tuple[int, int, int], stop_epoch: int | None = 120) -> Observation:
    workers = tuple(
        replace(one, states=tuple(running(name, epoch=epoch, status=Status.STOPPED) for name in one.replicas))
        for one, epoch in zip(HEALTHY.workers, epochs, strict=True)
    )
    return seeing(workers=workers, record=record(stopped=True), stop_epoch=stop_epoch)


def test_a_stop_is_done_when_every_task_has_reached_the_last_epoch() -> None:
    assert decide(WANTED, stopping((120, 120, 120)), NOW).actions == (Finish(failed=False),)


def test_a_stop_waits_for_the_slowest_task_but_not_for_its_slowest_replica() -> None:
    decision = decide(WANTED, stopping((119, 120, 118)), NOW)
    assert decision.reason is Reason.STOPPING
    assert "out/0" in decision.text
    assert "index/0" not in decision.text


def test_a_stop_whose_record_hides_the_anchor_goes_on_without_another_record() -> None:
    """As on a cluster: whoever takes over knows of the anchor by the record in force."""
    for seen in (stopping((119, 120, 118)), stopping((120, 120, 120), stop_epoch=None)):
        assert decide(WANTED, replace(seen, anchored=False), NOW).actions == ()


def test_a_stop_before_the_sources_have_begun_has_them_begin_for_the_epoch_that_is_the_last() -> None:
    seen = replace(stopping((0, 0, 0), stop_epoch=None), record=record(IDLE_SOURCES, stopped=True), anchored=False)
    anchor, written = decide(WANTED, seen, NOW).actions
    assert isinstance(anchor, WriteAnchor)
    assert isinstance(written, WriteRecord)
    assert written.record.shape.stopped, "the order stands"
    assert dict(written.record.live.ranks).keys() > dict(record(IDLE_SOURCES).live.ranks).keys()


def test_a_stop_waits_until_its_epoch_is_known() -> None:
    assert decide(WANTED, stopping((120, 120, 120), stop_epoch=None), NOW).reason is Reason.STOPPING


def test_while_a_topology_stops_its_configuration_stays() -> None:
    assert decide(WANTED, replace(stopping((1, 1, 1)), rates={MARKET: 150.0}), NOW).reason is Reason.STOPPING
