"""The control plane under whatever may befall it, in virtual time: random applications, rates and faults, a controller that crashes between
any two actions, decides by what is no longer so, acts late and twice.

A failing seed replays: python -m tests.worlds.simulated.replay --seed 17 --log
"""

from collections import Counter
from collections.abc import Iterable

import pytest

from levee.control import decide, following, rules
from levee.control.decide import Rule
from tests.worlds.simulated import replay
from tests.worlds.simulated.trial import Violation, run

SEEDS, CHUNK = 2_000, 100


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_no_misfortune_leaves_a_task_without_its_replicas_or_a_promise_unkept(first: int) -> None:
    for seed in range(first, first + CHUNK):
        must_hold(seed)


def must_hold(seed: int) -> None:
    try:
        run(seed)
    except Exception as error:  # noqa: BLE001  (any error here is one of the control plane's, or of the simulation)
        kind = "" if isinstance(error, Violation) else f"{type(error).__name__}: "
        again = f"python -m tests.worlds.simulated.replay --seed {seed}"
        pytest.fail(f"{kind}{error}\nReplay it: {again}\nEvery decision: {again} --log", pytrace=False)


def run_all(seeds: Iterable[int]) -> None:
    for seed in seeds:
        run(seed)


def test_the_same_seed_is_the_same_run() -> None:
    told: list[list[str]] = [[], []]
    assert run(17, told[0].append) == run(17, told[1].append)
    assert told[0] == told[1]


def test_the_misfortunes_do_happen() -> None:
    """A simulation in which nothing ever goes wrong proves nothing."""
    seen: Counter[str] = Counter()
    for seed in range(40):
        seen += run(seed).seen
    befell = {"crash", "delay", "repeat", "late act", "node", "replica", "worker", "worker, silent", "worker, hangs", "steady"}
    assert befell <= set(seen)
    assert {"WriteRecord", "WriteAnchor", "StartWorker", "EndWorker"} <= set(seen)


@pytest.mark.parametrize(
    "rule",
    [
        rules.open_the_log,
        rules.let_survivors_lead,
        rules.start_what_is_planned,
        rules.replace_lost_workers,
        rules.end_what_hangs,
        rules.leave_refuges,
        rules.set_the_clock,
        following.follow_rates,
    ],
    ids=lambda rule: rule.__name__,
)
def test_without_any_of_the_rules_that_repair_or_follow_some_seed_fails(rule: Rule, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "RULES", tuple(one for one in decide.RULES if one is not rule))
    with pytest.raises(AssertionError):
        run_all(range(40))


def test_a_seed_is_replayed_with_what_it_stands_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert replay.main(["--seed", "3", "--log"]) == 0
    told = capsys.readouterr().out
    for words in ("graph:", "faults:", "controller:", "record 1:", "holds:"):
        assert words in told


def test_a_seed_that_fails_says_so_when_it_is_replayed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "RULES", tuple(one for one in decide.RULES if one is not rules.start_what_is_planned))
    assert replay.main(["--seed", "3"]) == 1
    assert "violated:" in capsys.readouterr().out
