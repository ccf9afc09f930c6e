"""Workers die, at every moment of an epoch; nothing is lost, nothing is doubled."""

from pathlib import Path

from tests.faults.plant import check_undisturbed, planted
from tests.faults.points import Point


def test_a_worker_killed_at_any_moment_of_an_epoch_costs_no_row_and_doubles_none(tmp_path: Path) -> None:
    with planted(tmp_path) as plant:
        for point in (Point.READING, Point.COMPUTED, Point.WRITTEN, Point.COMMITTED):
            plant.kill_at(point)
            plant.goes_on()
            plant.is_whole()
        forking = plant.arm(f"{Point.FORKING.value}-total")
        plant.kill_at(Point.PUBLISHING)
        plant.until("the restarted worker dies while forking", lambda _: forking.with_suffix(".by").exists())
        plant.is_whole()
    check_undisturbed(tmp_path, plant.streams())
