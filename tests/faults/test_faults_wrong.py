"""A replica computes something else than the others."""

import json
from pathlib import Path

import pytest

from levee.control.names import ReplicaName
from levee.control.seen import Status
from levee.worlds.local.run import Turn
from tests.faults.chain import LABELLED, Wish, expected
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


def wins_wrongly(plant: Plant, then: str) -> tuple[int, str]:
    """The epoch at which the leader commits a wrong row, and who else there is."""
    first = plant.led(LABELLED)
    [second] = {f"{LABELLED}/0", f"{LABELLED}/1"} - {first}
    held = spell(plant, HELD, second)
    wrong = spell(plant, WRONG, first, json.dumps({"then": then}))
    plant.until("a wrong row is computed", lambda _: wrong.with_suffix(".at").exists())
    at = int(wrong.with_suffix(".at").read_text())
    plant.until("it is committed", lambda _: plant.streams()[LABELLED][-1].epoch >= at)
    held.unlink()
    wrong.with_suffix(".taken").unlink()
    return at, second


@pytest.mark.parametrize("policy", ["resync", "fail"])
def test_where_a_wrong_winner_lives_the_stream_is_its_own_and_the_other_follows_it(tmp_path: Path, policy: str) -> None:
    with planted(tmp_path, Wish(policies=f", onDivergence: {policy}")) as plant:
        wrong_at, second = wins_wrongly(plant, "live")
        plant.until("the divergence is seen", lambda _: bool(plant.says("diverged")))
        plant.until(
            "the other has taken over its state",
            lambda _: any(one["replica"] == second and int(str(one["epoch"])) >= wrong_at for one in plant.says("forked")),
        )
        plant.is_whole()
        assert {(one["replica"], one["epoch"]) for one in plant.says("diverged")} == {(second, wrong_at)}
        assert not plant.says("adopts")
        assert {one["replica"] for one in plant.says("failed")} == ({second} if policy == "fail" else set())
        assert all(one["level"] == "warning" and "digest" in str(one["detail"]) for one in plant.says("diverged"))
    streams = plant.streams()
    check_lines(streams)
    assert breaks(streams) == {}  # it is one execution, though a wrong one
    out = delivered(tmp_path / "out")
    assert out == expected(max(out), again={wrong_at: 1})


def diverged(turn: Turn) -> bool:
    states = [turn.seen.states().get(ReplicaName(f"{LABELLED}/{one}")) for one in range(2)]
    return all(one is not None and one.status is Status.FAILED and one.error.startswith("diverged at epoch") for one in states)


def test_where_a_wrong_winner_is_gone_and_breaks_are_forbidden_the_stream_ends_there_until_they_are_allowed(tmp_path: Path) -> None:
    with planted(tmp_path, Wish(policies=", onDivergence: fail")) as plant:
        wrong_at, _ = wins_wrongly(plant, "die")
        plant.until("nobody can go on", diverged)
        assert plant.streams()[LABELLED][-1].epoch == wrong_at
        plant.until("the sink has what came before", lambda _: plant.delivered_epoch() == wrong_at)
    with planted(tmp_path, Wish()) as plant:
        assert plant.delivered_epoch() > wrong_at
    streams = plant.streams()
    check_lines(streams)
    assert breaks(streams) == {LABELLED: [wrong_at + 1]}
    out = delivered(tmp_path / "out")
    assert out == expected(max(out), again={wrong_at: 1})
