"""A replica computes something else than the others."""

import json
from pathlib import Path

from tests.faults.chain import LABELLED, expected
from tests.faults.plant import Plant, planted
from tests.faults.points import HELD, WRONG, Point, armed
from tests.faults.streams import breaks, check_lines, delivered

LATE_S = 1.5  # far longer than a hold: whoever is late by that much loses


def spell(plant: Plant, name: str, replica: str, text: str = "") -> Path:
    return plant.arm(f"{name}-{replica.replace('/', '-')}", text)


def test_a_wrong_row_that_loses_changes_nothing_and_one_that_wins_is_marked_as_a_break(tmp_path: Path) -> None:
    with planted(tmp_path) as plant:
        first = plant.led(LABELLED)
        [second] = {f"{LABELLED}/0", f"{LABELLED}/1"} - {first}
        wrong = spell(plant, WRONG, second, json.dumps({"then": "late", "late_s": LATE_S}))
        plant.until("a wrong row is computed", lambda _: wrong.with_suffix(".taken").exists())
        plant.until("the divergence is seen", lambda _: bool(plant.says("diverged")))
        plant.is_whole()
        assert {one["replica"] for one in plant.says("diverged")} == {second}
        assert breaks(plant.streams()) == {}
        out = delivered(tmp_path / "out")
        assert out == expected(max(out))

        first = plant.led(LABELLED)
        [second] = {f"{LABELLED}/0", f"{LABELLED}/1"} - {first}
        held = spell(plant, HELD, second)
        wrong.with_suffix(".taken").unlink()
        wrong = spell(plant, WRONG, first, json.dumps({"then": "die"}))
        died = armed(tmp_path / "faults", f"{Point.COMMITTED.value}-labelled").with_suffix(".by")
        plant.until("the wrong row is committed, and its author dies", lambda _: died.exists())
        held.unlink()
        plant.until("the others adopt", lambda _: bool(plant.says("adopts")))
        plant.is_whole()
    streams = plant.streams()
    check_lines(streams)
    wrong_at = int(wrong.with_suffix(".at").read_text())
    assert breaks(streams) == {LABELLED: [wrong_at + 1]}
    out = delivered(tmp_path / "out")
    assert out == expected(max(out), again={wrong_at: 1})
