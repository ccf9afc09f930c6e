"""The epoch log keeps its promises on a store that delays, loses, repeats and comes back from the dead."""

import pytest

from tests.log.mutations import SHAPES
from tests.log.simulation.run import Violation, run

SEEDS, CHUNK, SHAPED = 2_000, 50, 25


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_no_misfortune_breaks_a_stream_or_stops_it(first: int) -> None:
    for seed in range(first, first + CHUNK):
        must_hold(seed, "as_drawn")


@pytest.mark.parametrize("shape", [name for name in SHAPES if name != "as_drawn"])
def test_no_rare_misfortune_does_so_either(shape: str) -> None:
    for seed in range(SHAPED):
        must_hold(seed, shape)


def must_hold(seed: int, shape: str) -> None:
    try:
        run(seed, shape=SHAPES[shape])
    except Exception as error:  # noqa: BLE001  (any error of a role is one of the protocol's)
        kind = "" if isinstance(error, Violation) else f"{type(error).__name__}: "
        again = f"python -m tests.log.replay --seed {seed} --shape {shape}"
        pytest.fail(f"{kind}{error}\nReplay it: {again}\nEvery request: {again} --log", pytrace=False)


def test_the_same_seed_is_the_same_run() -> None:
    assert run(17) == run(17)


def test_the_misfortunes_do_happen() -> None:
    """A simulation in which nothing ever goes wrong proves nothing."""
    seen: set[str] = {name for seed in range(12) for name in run(seed, shape=SHAPES["importing"]).reports}
    assert "imports lost" in seen
    for seed in range(0, 200, 3):
        outcome = run(seed)
        seen |= {name for name, count in (outcome.reports | outcome.kinds).items() if count}
    assert {"diverged", "adopts", "skips", "forks again", "begins again", "revived", "rebased", "skipped", "failed", "final"} <= seen
