"""Every generated document is tried in the simulated world: a whole life with the fault, compared with the same one without."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from levee.fit import stage
from levee.fit.campaign import Campaign, Experiment
from levee.fit.generate import generated
from levee.fit.load import load
from levee.fit.rows import Row
from levee.fit.trial import Trial
from levee.fit.values import Fit
from levee.fit.verdicts import Verdict
from levee.lifecycle.documents import NAMES, machine
from levee.lifecycle.runner import Runner
from levee.worlds.simulated.living import deeds, life
from tests.fit.texts import fit
from tests.lifecycle.wrong import ActsFirst, Forgets

STATES = [(name, state) for name in NAMES for state in machine(name).states]
EXAMPLES = Path(__file__).parent.parent.parent / "chaos" / "fit"


def all_of(name: str, state: str | None = None) -> list[Fit]:
    return [one for one in generated(machine(name), stage.place().divisible) if state in {None, one.moment.state}]


def rows(fits: list[Fit], seed: int = 1) -> Iterator[Row]:
    return Campaign(seed).rows([Experiment(one.name, (one,), machine(one.lifecycle), one.name) for one in fits])


@pytest.mark.parametrize(("name", "state"), STATES, ids=str)
def test_whatever_fails_whenever_nobody_can_tell_afterwards(name: str, state: str) -> None:
    """And every moment comes: a campaign that knows nothing of a moment has not passed."""
    wrong = [f"{row.verdict}: {row.file}: {row.why}" for row in rows(all_of(name, state)) if row.verdict is not Verdict.PASSED]
    assert wrong == []


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.yaml")), ids=lambda file: file.stem)
def test_the_documents_in_the_repository_pass(file: Path) -> None:
    fits = load(file.read_text(encoding="utf-8")).fits
    for seed in (1, 2, 3):
        (row,) = Campaign(seed).rows([Experiment(file.name, fits, machine("job"), file.name)])
        assert (row.verdict, row.why) == (Verdict.PASSED, "")


# ---- a campaign that would pass whatever happens is none


async def nothing(_life: object, _context: object) -> None:
    """A method that forgets what it is to do."""


def crashes(state: str) -> list[Fit]:
    return [one for one in all_of("job", state) if one.fault == "crash_operator"]


@pytest.mark.parametrize(
    ("method", "state"),
    [
        *(("release_imports", "mapping"), ("forget_plan", "submitted"), ("settle_data", "submitted"), ("open_log", "instantiating")),
        *(("start_replicas", "running"), ("remove_replicas", "suspending"), ("pause_at_epoch", "suspending")),
        *(("stop_at_epoch", "canceling"), ("change_plan", "updating")),
    ],
)
def test_without_any_of_these_methods_something_goes_wrong(method: str, state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is set by a rule, too."""
    monkeypatch.setitem(deeds.METHODS, method, nothing)
    assert any(row.verdict is Verdict.FAILED for row in rows(crashes(state)))


def test_a_change_that_is_not_taken_back_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(deeds.METHODS, "revert_plan", nothing)
    text = (EXAMPLES / "dies-while-a-change-is-taken-back.yaml").read_text(encoding="utf-8")
    assert next(rows(list(load(text).fits))).verdict is Verdict.FAILED


@pytest.mark.parametrize("kind", [ActsFirst, Forgets])
def test_an_executor_that_is_wrong_is_found(kind: type[Runner], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(life, "Runner", kind)
    assert any(row.verdict is Verdict.FAILED for row in rows([*crashes("mapping"), *crashes("instantiating")]))


def test_a_moment_that_never_comes_is_inconclusive_and_says_why() -> None:
    (row,) = rows([fit(occurrence="1000", state="running", transition="edit", before="replan")])
    assert row.verdict is Verdict.INCONCLUSIVE
    assert row.why.startswith("running, edit: before replan, time 1000 has not come in 400 s")


# ---- the same campaign again


def test_the_same_seed_is_the_same_life_and_another_draws_other_timers() -> None:
    timed = fit(state="running", transition="edit", before="", after="replan", fault="crash_node", timer="{min: 0s, max: 20s}")
    told: dict[int, list[str]] = {}
    for number, seed in enumerate((1, 1, 2)):
        told[number] = []
        Trial(machine("job"), [timed], seed, real=True, say=told[number].append).run()
    assert told[0] == told[1]
    assert told[0] != told[2]


def test_a_trial_alone_ends_as_it_does_in_a_campaign() -> None:
    fits = all_of("job", "updating")[::40]
    together = list(rows(fits))
    assert together == [next(rows([one])) for one in fits]


def test_what_was_tried_before_is_not_tried_again() -> None:
    (row,) = rows([fit()])
    campaign = Campaign(1, {"known": row})
    assert list(campaign.rows([Experiment("file", (fit(),), machine("job"), "known")])) == [row]
    assert campaign.calm == {}


# ---- what there is to be tried


def test_names_and_order_follow_from_the_document() -> None:
    for name in NAMES:
        names = [one.name for one in all_of(name)]
        assert names == [one.name for one in all_of(name)]
        assert len(set(names)) == len(names)
        states = list(dict.fromkeys(one.moment.state for one in all_of(name)))
        assert states == [one for one in machine(name).states if machine(name).leaving(one)]


@pytest.mark.parametrize("name", NAMES)
def test_there_is_a_document_before_and_after_each_method_of_each_transition(name: str) -> None:
    """And one where a transition calls nothing; for every fault but those of workers, which not everywhere live."""
    moments = Counter((str(one.moment), one.fault) for one in all_of(name))
    for transition in machine(name).transitions:
        wanted = [f"{side} {method}" for method in transition.do for side in ("before", "after")] or ["while nothing is called"]
        for where in wanted:
            for fault in ("crash_operator", "silence_store", "silence_api", "crash_replica", "crash_node", "pause_node", "crash_zone"):
                assert moments[f"{transition.origin}, {transition.when}: {where}", fault] == 1
