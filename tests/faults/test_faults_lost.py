"""Replicas are paused, die together or go down with their node."""

from pathlib import Path

from levee.worlds.local import faults
from levee.worlds.local.faults import Kind
from tests.faults.chain import TOTAL
from tests.faults.plant import check_undisturbed, planted


def test_a_paused_primary_two_dead_replicas_and_a_lost_node_change_no_epoch(tmp_path: Path) -> None:
    with planted(tmp_path) as plant:
        paused = plant.led(TOTAL)
        hit = plant.inflict(Kind.PAUSE_REPLICA, paused)
        plant.until("another leads", lambda _: plant.primary(TOTAL) not in {None, paused})
        plant.goes_on(8)
        before = plant.streams()
        faults.go_on(hit)
        plant.is_whole()
        after = plant.streams()
        assert all(after[task][: len(line)] == line for task, line in before.items())

        for number in range(2):
            plant.inflict(Kind.KILL_REPLICA, f"{TOTAL}/{number}")
        plant.until("both are gone", lambda turn: all(worker.attempt == 2 for worker in turn.seen.workers))
        plant.is_whole()

        plant.inflict(Kind.KILL_NODE, "node-2")
        plant.until("everybody is on the other node", lambda turn: {home.node for home in turn.seen.homes.values()} == {"node-1"})
        plant.is_whole()
    check_undisturbed(tmp_path, plant.streams())
