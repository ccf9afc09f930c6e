"""What holds for whatever the controller sees."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from levee.control.actions import StartWorker, WriteRecord
from levee.control.decide import decide
from levee.control.names import Instant
from levee.control.seen import NodeSeen, Observation, Phase, ReplicaSeen, Status, WorkerSeen
from tests.control.stage import FULL, HIGH, LOW, MARKET, NODES, NOW, PLACED, WANTED, record

times = st.sampled_from((0, 1_000, 5_000, 60_000, 10**6))


@st.composite
def workers(draw: st.DrawFn, index: int) -> WorkerSeen:
    placed = PLACED[index]
    phase = draw(st.sampled_from(Phase))
    since = Instant(NOW - draw(times))
    states = tuple(
        ReplicaSeen(name, draw(st.sampled_from(Status)), epoch=draw(st.integers(0, 9)), lag_epochs=draw(st.sampled_from((0, 50))))
        for name in placed.replicas
    )
    failures = draw(st.integers(0, 7))
    shown = () if phase is Phase.STARTING else states
    return WorkerSeen(placed.worker, placed.node, placed.replicas, 1, phase, since, Instant(since - draw(times)), failures, shown)


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    configuration = draw(st.sampled_from((LOW, HIGH)))
    alive = draw(st.lists(st.booleans(), min_size=3, max_size=3))
    seen = [draw(workers(index)) for index in range(3)]
    named = draw(st.permutations(FULL))[: draw(st.integers(0, len(FULL)))]
    opened = draw(st.booleans())
    return Observation(
        nodes=tuple(NodeSeen(node, lives, Instant(NOW - draw(times))) for node, lives in zip(NODES, alive, strict=True)),
        workers=tuple(one if lives else replace(one, phase=Phase.ENDED) for one, lives in zip(seen, alive, strict=True)),
        record=record(named, stopped=draw(st.booleans())) if opened or draw(st.booleans()) else None,
        opened=opened,
        anchored=opened and draw(st.booleans()),
        configuration=configuration if opened else None,
        rates=draw(st.sampled_from((None, {MARKET: 50.0}, {MARKET: 150.0}))),
        stop_epoch=draw(st.sampled_from((None, 5))),
    )


@given(observations())
def test_deciding_twice_agrees(seen: Observation) -> None:
    assert decide(WANTED, seen, NOW) == decide(WANTED, seen, NOW)


@given(observations())
def test_workers_start_on_living_nodes_only_and_never_beside_their_own_replicas(seen: Observation) -> None:
    living = {node.node for node in seen.nodes if node.alive}
    working = {
        replica for worker in seen.workers if worker.node in living and worker.phase is not Phase.ENDED for replica in worker.replicas
    }
    for action in decide(WANTED, seen, NOW).actions:
        if isinstance(action, StartWorker):
            assert action.node in living
            assert not working & set(action.replicas)


@given(observations())
def test_a_record_names_each_replica_once_and_ranks_a_task_from_zero_without_gaps(seen: Observation) -> None:
    for action in decide(WANTED, seen, NOW).actions:
        if isinstance(action, WriteRecord):
            names = [name for name, _ in action.record.live.ranks]
            assert len(names) == len(set(names))
            for replicas in WANTED.replicas.values():
                ranks = sorted(rank for name, rank in action.record.live.ranks if name in replicas)
                assert ranks == list(range(len(ranks)))


@given(observations())
def test_a_record_that_was_written_is_not_written_again(seen: Observation) -> None:
    """Else the ranks would never come to rest. Another configuration may have the same ones: that is another decision."""
    for action in decide(WANTED, seen, NOW).actions:
        if isinstance(action, WriteRecord):
            after = replace(seen, record=action.record, configuration=action.configuration, opened=True)
            again = [one for one in decide(WANTED, after, NOW).actions if isinstance(one, WriteRecord)]
            assert all((one.configuration, one.record.live) != (action.configuration, action.record.live) for one in again)
