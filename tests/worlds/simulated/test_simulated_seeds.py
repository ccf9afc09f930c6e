"""The control plane under whatever may befall it, in virtual time: random applications, rates and faults, a controller that crashes between
any two actions, decides by what is no longer so, acts late and twice, and at times does not know the rates, or only those of some sources.

A failing seed replays: python -m tests.worlds.simulated.replay --seed 17 --log
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import pytest

from levee.control import decide, findings, following, rules
from levee.control.course import taken_back
from levee.control.decide import Rule
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.control.wanted import Wanted
from levee.topology.names import TaskId
from levee.worlds.measuring import Told
from levee.worlds.prometheus import following as prometheus
from levee.worlds.prometheus.following import OfTopology
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
    befell = {
        "crash",
        "delay",
        "repeat",
        "late act",
        "node",
        "replica",
        "worker",
        "worker, silent",
        "worker, hangs",
        "steady",
        "unknown",
        "held",
    }
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


def of_zero(self: OfTopology, sources: Sequence[TaskId], _: Observation) -> Told:
    latest = self.following.latest()
    rates = {} if isinstance(latest, str) else latest.rates
    return Told({task: rates.get((self.topology, task), 0.0) for task in sources})


def of_those_that_are_known(self: OfTopology, sources: Sequence[TaskId], _: Observation) -> Told:
    latest = self.following.latest()
    known = (
        {}
        if isinstance(latest, str)
        else {task: latest.rates[self.topology, task] for task in sources if (self.topology, task) in latest.rates}
    )
    return Told(known, "" if known else "nothing is known")


@pytest.mark.parametrize("told", [of_zero, of_those_that_are_known], ids=lambda told: told.__name__)
def test_where_a_rate_that_is_not_known_is_taken_for_one_some_seed_fails(told: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OfTopology, "told", told)
    with pytest.raises(Violation, match="rates are unknown"):
        run_all(range(40))


def test_where_old_answers_count_for_ever_some_seed_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prometheus, "KEPT_TIMES", 1_000_000)
    with pytest.raises(Violation, match="rates are unknown"):
        run_all(range(40))


def test_where_nobody_says_that_rates_are_unknown_some_seed_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decide, "RULES", tuple(one for one in decide.RULES if one is not findings.miss_rates))
    with pytest.raises(Violation, match="rates are unknown, and it says Settled"):
        run_all(range(40))


def at_once(wanted: Wanted, seen: Observation, now: Instant) -> bool:
    vain = taken_back(seen.course, wanted.configurations)
    return vain is None or now - vain >= wanted.patience.dwell_ms


def test_who_goes_down_as_soon_as_rates_are_known_again_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "may_go_down", at_once)
    with pytest.raises(Violation, match="the rates were unknown"):
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
