"""Taking any rule away is noticed, so every rule is needed and every rule is tested."""

import pytest

from tests.log.mutations import MUTATIONS, Mutation
from tests.log.simulation.run import Violation, run

SOUGHT = 1_500  # a role that asks for one thing more has other runs: if the recorded seeds notice nothing any more, others do


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda one: one.name)
def test_a_rule_that_is_taken_away_is_missed(mutation: Mutation) -> None:
    assert any(is_noticed(mutation, seed) for seed in (*mutation.seeds, *range(SOUGHT))), (
        f"Rule {mutation.rule}: with '{mutation.name}' neither the seeds {mutation.seeds} nor any of the first {SOUGHT} fail. "
        f'See for yourself: python -m tests.log.replay --seed {mutation.seeds[0] if mutation.seeds else 0} --mutation "{mutation.name}"'
    )


def is_noticed(mutation: Mutation, seed: int) -> bool:
    with mutation.applied():
        try:
            run(seed, shape=mutation.shape)
        except Violation:
            return True
        except Exception:  # noqa: BLE001
            return mutation.crashes
    return False


def test_every_rule_of_the_simulation_is_taken_away_at_least_once() -> None:
    assert {mutation.rule for mutation in MUTATIONS} == {1, 2, 3, 4, 5, 6, 7}  # 8, 9 and 10 have tests of their own
