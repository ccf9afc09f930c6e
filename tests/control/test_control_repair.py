"""What the controller does about what is lost."""

from dataclasses import replace

import pytest

from levee.control import placing
from levee.control.actions import EndWorker, Finish, Reason, StartWorker, WriteRecord
from levee.control.decide import decide
from levee.control.names import Instant, ReplicaName, WorkerName
from levee.control.seen import Observation, Outage, Phase, ReplicaSeen, Status, WorkerSeen
from levee.topology.names import TaskId
from tests.control.stage import (
    FULL,
    HEALTHY,
    MARKET,
    NODES,
    NOW,
    PLACED,
    RECORD,
    WANTED,
    record,
    running,
    seeing,
    with_dead_node,
    with_worker,
    worker,
)


def ranks_after(seen: Observation) -> dict[str, int]:
    [action] = decide(WANTED, seen, NOW).actions
    assert isinstance(action, WriteRecord)
    return dict(action.record.live.ranks)


def started(seen: Observation) -> tuple[StartWorker, ...]:
    actions = decide(WANTED, seen, NOW).actions
    return tuple(one for one in actions if isinstance(one, StartWorker))


def led_by_survivors(seen: Observation) -> Observation:
    """After the record that a loss calls for first."""
    [action] = decide(WANTED, seen, NOW).actions
    assert isinstance(action, WriteRecord)
    return replace(seen, record=action.record)


def test_a_healthy_topology_is_left_alone() -> None:
    assert decide(WANTED, HEALTHY, NOW).reason is Reason.SETTLED
    assert decide(WANTED, HEALTHY, NOW).actions == ()


def test_when_a_worker_dies_those_who_are_left_lead_at_once() -> None:
    ranks = ranks_after(with_worker(0, worker(PLACED[0], Phase.ENDED)))
    assert [ranks[name] for name in ("market/0/1", "vwap/0/1", "out/0/1")] == [0, 0, 0]
    assert [ranks[name] for name in ("market/0/0", "vwap/0/0", "out/0/0")] == [1, 1, 1]


def test_ranks_stay_as_they_are_when_the_one_that_died_did_not_lead() -> None:
    decision = decide(WANTED, with_worker(2, worker(PLACED[2], Phase.ENDED)), NOW)
    assert decision.reason is Reason.WORKER_LOST


def test_whoever_comes_back_does_not_take_the_lead_back() -> None:
    swapped = [(name, 1 - rank) for name, rank in FULL]
    assert decide(WANTED, seeing(record=record(swapped)), NOW).reason is Reason.SETTLED


def test_a_worker_that_dies_after_a_long_life_is_started_again_at_once_and_as_another_incarnation() -> None:
    seen = led_by_survivors(with_worker(0, worker(PLACED[0], Phase.ENDED)))
    assert started(seen) == (StartWorker(PLACED[0].worker, NODES[0], PLACED[0].replicas, attempt=2, failures=1),)


@pytest.mark.parametrize(("failures", "pause_ms"), [(1, 1_000), (2, 2_000), (3, 4_000), (5, 16_000)])
def test_a_worker_that_dies_young_is_started_again_later_and_later(failures: int, pause_ms: int) -> None:
    def after(ago_ms: int) -> tuple[StartWorker, ...]:
        return started(with_worker(2, worker(PLACED[2], Phase.ENDED, ago_ms=ago_ms, lived_ms=3_000, failures=failures)))

    assert after(pause_ms - 1) == ()
    assert [one.failures for one in after(pause_ms)] == [failures + 1]


def test_a_worker_that_always_dies_young_is_given_up() -> None:
    decision = decide(WANTED, with_worker(2, worker(PLACED[2], Phase.ENDED, ago_ms=10**6, lived_ms=3_000, failures=6)), NOW)
    assert decision.reason is Reason.WORKER_GIVEN_UP
    assert decision.actions == ()


def test_a_long_life_makes_up_for_earlier_deaths() -> None:
    seen = with_worker(2, worker(PLACED[2], Phase.ENDED, lived_ms=60_000, failures=6))
    assert [one.failures for one in started(seen)] == [1]


def test_nobody_is_started_on_a_dead_node() -> None:
    assert all(one.node != NODES[2] for one in started(with_dead_node(2, ago_ms=60_000)))


def test_a_node_that_is_gone_for_less_than_the_failure_timeout_may_come_back() -> None:
    seen = led_by_survivors(with_dead_node(0, ago_ms=4_999))
    assert decide(WANTED, seen, NOW).reason is Reason.DEGRADED


def test_replicas_of_a_dead_node_begin_where_no_other_replica_of_their_task_is() -> None:
    seen = led_by_survivors(with_dead_node(0, ago_ms=5_000))
    homes = {replica: one.node for one in started(seen) for replica in one.replicas}
    assert homes == {ReplicaName("market/0/0"): NODES[2], ReplicaName("vwap/0/0"): NODES[2], ReplicaName("out/0/0"): NODES[1]}


def test_a_refuge_is_a_worker_of_its_own_beside_those_that_work() -> None:
    seen = led_by_survivors(with_dead_node(0, ago_ms=5_000))
    assert {one.worker for one in started(seen)} == {"node-2-1", "node-3-1"}


def test_replicas_move_only_once() -> None:
    seen = led_by_survivors(with_dead_node(0, ago_ms=5_000))
    refuges = tuple(
        replace(worker(PLACED[0], Phase.STARTING), worker=one.worker, node=one.node, replicas=one.replicas) for one in started(seen)
    )
    assert started(replace(seen, workers=seen.workers + refuges)) == ()


def test_on_the_last_node_each_task_has_one_replica_and_no_useless_second() -> None:
    seen = with_dead_node(1, ago_ms=9_000, base=with_dead_node(0, ago_ms=9_000))
    [start] = started(led_by_survivors(seen))
    assert start.node == NODES[2]
    assert {replica.rpartition("/")[0] for replica in start.replicas} == {"market/0", "vwap/0"}


def test_a_worker_that_hangs_is_ended_but_one_that_somebody_has_paused_is_not() -> None:
    hung = led_by_survivors(with_worker(0, worker(PLACED[0], Phase.SILENT, ago_ms=60_000)))
    assert decide(WANTED, hung, NOW).actions == (EndWorker(PLACED[0].worker, 1),)
    paused = led_by_survivors(with_worker(0, worker(PLACED[0], Phase.PAUSED, ago_ms=10**6)))
    assert decide(WANTED, paused, NOW).actions == ()


def test_silence_counts_as_a_failure_only_after_the_failure_timeout() -> None:
    assert decide(WANTED, with_worker(0, worker(PLACED[0], Phase.SILENT, ago_ms=4_999)), NOW).actions == ()
    assert ranks_after(with_worker(0, worker(PLACED[0], Phase.SILENT, ago_ms=5_000)))["vwap/0/1"] == 0


def test_a_replica_whose_function_raised_is_reported_with_its_error_and_its_task_led_by_another() -> None:
    failed = tuple(running(name, status=Status.FAILED, error="ValueError: no price") for name in PLACED[0].replicas)
    seen = with_worker(0, replace(HEALTHY.workers[0], states=failed))
    assert ranks_after(seen)["vwap/0/1"] == 0
    decision = decide(WANTED, led_by_survivors(seen), NOW)
    assert decision.reason is Reason.TASK_FAILED
    assert "vwap/0 after epoch 100: ValueError: no price" in decision.text


def lost_for(outage_ms: int) -> Observation:
    return seeing(outages=(Outage(TaskId("vwap/0"), Instant(NOW - outage_ms)),))


def test_with_on_failure_cancel_a_task_that_nobody_can_work_for_ends_the_topology() -> None:
    cancelling = replace(WANTED, cancels=True)
    assert decide(cancelling, lost_for(4_999), NOW).actions == ()
    assert decide(cancelling, lost_for(5_000), NOW).actions == (Finish(failed=True),)
    assert decide(WANTED, lost_for(5_000), NOW).actions == ()


def test_a_record_says_why_it_was_written() -> None:
    [action] = decide(WANTED, with_worker(0, worker(PLACED[0], Phase.ENDED)), NOW).actions
    assert isinstance(action, WriteRecord)
    assert action.record.number == RECORD.number + 1
    assert action.record.reason.startswith("SurvivorsLead: others lead market/0")


def with_node_back(home: WorkerSeen, *, refuge_epoch: int = 100) -> Observation:
    """Node 1 was gone; its replicas have a refuge on node 3, and begin at home again."""
    kept = replace(home.states[0], epoch=refuge_epoch) if home.states else running(PLACED[0].replicas[0], epoch=refuge_epoch)
    refuge = WorkerSeen(
        WorkerName("node-3-1"), NODES[2], PLACED[0].replicas, 1, Phase.READY, NOW, NOW, 0, (kept, *map(running, PLACED[0].replicas[1:]))
    )
    return seeing(workers=(*HEALTHY.workers[1:], refuge, home))


def test_a_node_that_comes_back_starts_its_own_workers_beside_the_refuge() -> None:
    seen = with_node_back(worker(PLACED[0], Phase.ENDED))
    assert started(seen) == (StartWorker(PLACED[0].worker, NODES[0], PLACED[0].replicas, attempt=2, failures=1),)


def test_a_refuge_goes_on_while_its_replicas_start_at_home_or_are_behind() -> None:
    starting = with_node_back(worker(PLACED[0], Phase.STARTING))
    assert starting.homes[PLACED[0].replicas[0]].worker == "node-3-1"
    assert decide(WANTED, starting, NOW).actions == ()
    behind = with_node_back(worker(PLACED[0]), refuge_epoch=104)
    assert decide(WANTED, behind, NOW).actions == ()


def test_a_refuge_ends_when_its_replicas_are_as_far_at_home_and_is_not_started_again() -> None:
    seen = with_node_back(worker(PLACED[0]))
    decision = decide(WANTED, seen, NOW)
    assert (decision.reason, decision.actions) == (Reason.HOME_AGAIN, (EndWorker(WorkerName("node-3-1"), 1),))
    ended = replace(seen, workers=tuple(replace(one, phase=Phase.ENDED) if one.worker == "node-3-1" else one for one in seen.workers))
    assert decide(WANTED, ended, NOW).reason is Reason.SETTLED


def test_a_refuge_that_came_after_its_replicas_were_at_home_again_ends_all_the_same() -> None:
    """Its own node crashed, too, and both came back: the refuge was started again after the home, and stayed beside it for good."""
    seen = with_node_back(worker(PLACED[0]))
    *others, refuge, home = seen.workers
    decision = decide(WANTED, replace(seen, workers=(*others, home, refuge)), NOW)
    assert (decision.reason, decision.actions) == (Reason.HOME_AGAIN, (EndWorker(WorkerName("node-3-1"), 1),))


def test_a_refuge_is_where_there_is_room_and_not_where_there_are_few() -> None:
    heavy = {PLACED[2].replicas[0]: 0.9}  # alone on node 3; node 2 has three replicas
    homes = {**dict.fromkeys(PLACED[1].replicas, NODES[1]), PLACED[2].replicas[0]: NODES[2]}
    new = ReplicaName("new/0/0")
    assert placing.refuge([new], homes, NODES[1:], heavy, {}, {}) == {NODES[1]: (new,)}
    large = {NODES[1]: 1.0, NODES[2]: 100.0}
    assert placing.refuge([new], homes, NODES[1:], {**heavy, PLACED[1].replicas[0]: 0.1}, large, {}) == {NODES[2]: (new,)}


def test_a_topology_is_not_ready_before_every_planned_replica_has_done_an_epoch() -> None:
    fresh = tuple(running(name, epoch=0 if name == "vwap/0/0" else 1) for name in PLACED[0].replicas)
    seen = with_worker(0, replace(HEALTHY.workers[0], states=fresh))
    decision = decide(WANTED, seen, NOW)
    assert (decision.reason, decision.actions) == (Reason.FIRST_EPOCHS, ())
    assert decision.text == "vwap/0/0 has yet to do its first epoch"


def deliverers(first: ReplicaSeen, second: ReplicaSeen) -> Observation:
    """Of the sink `out`, on the first and on the third node."""
    seen = HEALTHY
    for place, state in ((0, first), (2, second)):
        others = tuple(one for one in seen.workers[place].states if one.replica != state.replica)
        seen = with_worker(place, replace(seen.workers[place], states=(*others, state)), seen)
    return seen


def test_who_waits_to_deliver_while_another_does_has_no_first_epoch_to_do() -> None:
    """To Kafka, say: until the first one ends, the second has nothing to do, and the topology is ready."""
    wanted = replace(WANTED, ends=frozenset({TaskId("market/0"), TaskId("out/0")}))
    waits = ReplicaSeen(ReplicaName("out/0/1"), Status.IDLE)
    assert decide(wanted, deliverers(running(ReplicaName("out/0/0")), waits), NOW).reason is Reason.SETTLED
    decision = decide(wanted, deliverers(running(ReplicaName("out/0/0"), epoch=0), waits), NOW)
    assert (decision.reason, decision.text) == (Reason.FIRST_EPOCHS, "out/0/0, out/0/1 have yet to do their first epoch")
    failed = decide(wanted, deliverers(running(ReplicaName("out/0/0")), replace(waits, status=Status.FAILED)), NOW)
    assert failed.reason is not Reason.SETTLED


def test_while_the_store_is_silent_a_lost_worker_is_started_again_though_no_record_can_be_written() -> None:
    seen = replace(with_worker(0, worker(PLACED[0], Phase.ENDED)), silent=True)
    assert decide(WANTED, seen, NOW).reason is Reason.WORKER_LOST
    again = decide(WANTED, replace(with_worker(0, worker(PLACED[0])), silent=True, rates={**(HEALTHY.rates or {}), MARKET: 190.0}), NOW)
    assert not again.needs_store
    assert decide(WANTED, replace(seen, silent=False), NOW).reason is Reason.SURVIVORS_LEAD


def test_before_its_log_is_open_a_topology_waits_for_the_store() -> None:
    assert decide(WANTED, seeing(silent=True, opened=False), NOW).reason is Reason.OPENING


def test_no_worker_is_given_up_for_a_store_that_is_silent() -> None:
    lost = worker(PLACED[2], Phase.ENDED, ago_ms=60_000, lived_ms=3_000, failures=WANTED.patience.restarts - 1)
    for _ in range(20):
        [again] = started(replace(with_worker(2, lost), silent=True))
        lost = replace(lost, attempt=again.attempt, failures=again.failures)
    assert started(with_worker(2, lost))


def test_without_any_node_a_topology_waits_or_ends_as_it_says() -> None:
    gone = seeing(nodes=tuple(replace(node, alive=False) for node in HEALTHY.nodes))
    waits = decide(WANTED, gone, NOW)
    assert (waits.reason, waits.actions) == (Reason.NO_NODE_LEFT, ())
    ends = decide(replace(WANTED, cancels=True), gone, NOW)
    assert (ends.reason, ends.actions) == (Reason.NO_NODE_LEFT, (Finish(failed=True),))
