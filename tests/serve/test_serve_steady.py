"""What moves all the time is written only when it matters."""

import pytest

from levee.serve.status import stamped


@pytest.mark.parametrize(("before", "now", "told"), [(None, 2, 2), (0, 3, 0), (3, 0, 3), (0, 4, 4), (100, 140, 100), (100, 10, 10)])
def test_a_lag_is_told_anew_when_it_is_another_one(before: int | None, now: int, told: int) -> None:
    known = {} if before is None else {"lagEpochs": before}
    assert stamped({"conditions": [], "lagEpochs": now}, known, 1, "now")["lagEpochs"] == told


def test_a_topology_that_does_not_run_has_no_lag() -> None:
    assert "lagEpochs" not in stamped({"conditions": []}, {"lagEpochs": 7}, 1, "now")
