"""The store fails now and then, the disk is full for a while, and a clock jumps."""

import json
from pathlib import Path

from tests.faults.plant import check_undisturbed, planted
from tests.faults.points import FULL, JUMP, SHAKY, armed

JUMP_MS = 30_000
SHAKES = {"before": 0.03, "after": 0.03, "delay_ms_max": 5}


def test_store_errors_a_jumping_clock_and_a_full_disk_cost_no_row_and_double_none(tmp_path: Path) -> None:
    (tmp_path / "faults").mkdir()
    armed(tmp_path / "faults", SHAKY).write_text(json.dumps(SHAKES))
    with planted(tmp_path) as plant:
        plant.arm(f"{JUMP}-node-1", str(JUMP_MS))
        plant.goes_on(12)
        full = plant.arm(FULL)
        standing = plant.delivered_epoch()
        for _ in range(8):
            next(plant.turns)
        assert plant.delivered_epoch() <= standing + 1  # one may have been under way
        full.unlink()
        plant.is_whole()
    check_undisturbed(tmp_path, plant.streams())
