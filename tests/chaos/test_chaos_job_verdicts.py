"""What an experiment has shown, from its journal: who has not survived is told from whom nothing was done to."""

from typing import Any

import pytest

from levee.experiments.orders import LAST_WORDS_MAX, events_in, last_words
from levee.experiments.status import ExperimentStatus
from levee_chaos import toolkit
from levee_chaos.findings import Seen
from levee_chaos.verdict import verdict

REFUSED = (
    "chaoslib.exceptions.ActivityFailed: levee_chaos.refusals.Refused: levee-chaos: nothing was done.\n  role: there is no primary now."
)
NO_EFFECT = "chaoslib.exceptions.ActivityFailed: levee_chaos.refusals.NoEffect: crash replica: after 10 s there was no effect"
STEADY = {"steady_state_met": True, "probes": []}
LATE = {"activity": {"name": "2-lag-below"}, "status": "succeeded", "output": False, "tolerance_met": False}
UNSTEADY = {"steady_state_met": False, "probes": [LATE]}
STEPS = ("1-crash-replica",)


def run(name: str, module: str = "actions", func: str = "crash_replica", **more: Any) -> Any:
    kind = "probe" if module == "probes" else "action"
    activity = {"name": name, "type": kind, "provider": {"module": f"levee_chaos.{module}", "func": func}}
    return {"activity": activity, "status": "succeeded", "output": None, "end": "2026-01-01T00:00:00+00:00", **more}


def failed(name: str, why: str, module: str = "actions", func: str = "crash_replica") -> Any:
    return run(name, module, func, status="failed", exception=[why])


CRASH = run("1-crash-replica", output={"met": "node-1-0 on node-1 with vwap/0/0", "name": "x"})
RECOVERS = run("it-recovers", "probes", "recovered", output=12.3456)
GAP = run("how-long-no-epoch-came", "probes", "recovery_time", output=0.25)


def journal(*runs: Any, before: Any = STEADY, after: Any = STEADY, status: str = "completed", deviated: bool = False) -> Any:
    return {
        "status": status,
        "deviated": deviated,
        "steady_states": {"before": before, "after": after},
        "run": list(runs),
        "rollbacks": [],
    }


WELL = journal(CRASH, RECOVERS, GAP)
CASES: list[tuple[str, Seen, str, str, str]] = [
    ("it survived", Seen(WELL, steps=STEPS), "Passed", "Survived", "before and after 1 fault; all worked again after 12.346 s"),
    (
        "an epoch is lost",
        Seen(WELL, steps=STEPS, lost=2, changed=1),
        "Failed",
        "EpochsLost",
        "2 epochs are lost, 1 are not what they were",
    ),
    ("an epoch is another one", Seen(WELL, lost=0, changed=1), "Failed", "EpochsChanged", "1 are not what they were"),
    (
        "it did not come back",
        Seen(journal(CRASH, failed("it-recovers", "ActivityFailed: a.B: it has not recovered", "probes", "recovered"), status="failed")),
        "Failed",
        "NotRecovered",
        "it-recovers: it has not recovered",
    ),
    ("it is late afterwards", Seen(journal(CRASH, RECOVERS, after=UNSTEADY)), "Failed", "NotSteadyAfter", "2-lag-below: False"),
    (
        "a probe between failed",
        Seen(journal(CRASH, failed("2-goes-on", "ActivityFailed: a.B: it has not gone on", "probes", "goes_on"), status="failed")),
        "Failed",
        "StepFailed",
        "2-goes-on: it has not gone on",
    ),
    (
        "its moment never came",
        Seen(journal(failed("1-crash-replica-waits", REFUSED, "triggers", "at_epoch"), status="interrupted"), steps=STEPS),
        "Inconclusive",
        "NeverFired",
        "1-crash-replica-waits: levee-chaos: nothing was done.",
    ),
    (
        "it was not steady before",
        Seen(journal(before=UNSTEADY, after=None, status="failed")),
        "Inconclusive",
        "NotSteadyBefore",
        "nothing was done: 2-lag-below: False",
    ),
    (
        "the first fault was refused",
        Seen(journal(failed("1-crash-replica", REFUSED), status="interrupted")),
        "Refused",
        "StepRefused",
        "there is no primary now",
    ),
    (
        "the second fault was refused",
        Seen(journal(CRASH, failed("2-crash-replica", REFUSED), status="interrupted")),
        "Inconclusive",
        "StepRefused",
        "2-crash-replica",
    ),
    (
        "a fault had no effect",
        Seen(journal(failed("1-crash-replica", NO_EFFECT), status="interrupted")),
        "Inconclusive",
        "StepFailed",
        "there was no effect",
    ),
    (
        "it could not begin",
        Seen(journal(before=None, after=None, status="interrupted"), last_words="there is no topology 'clicks'"),
        "Refused",
        "CannotBegin",
        "there is no topology 'clicks'",
    ),
    (
        "it was lost for too long",
        Seen(
            journal(CRASH, run("it-recovers", "probes", "recovered", status=None), after=None, status="interrupted"),
            told=[{"event": "aborts", "reason": "SteadyStateLost", "why": "ready: False"}],
        ),
        "Aborted",
        "SteadyStateLost",
        "ready: False",
    ),
    ("it was stopped", Seen(journal(CRASH, after=None, status="interrupted"), stopped=True), "Aborted", "Stopped", "it was stopped"),
    ("its process was killed", Seen(None, last_words="nothing more"), "Inconclusive", "Died", "without a journal: nothing more"),
    ("it was killed when it was to stop", Seen(None, stopped=True), "Aborted", "Stopped", "it was stopped"),
    (
        "somebody pressed Ctrl-C",
        Seen(journal(CRASH, after=None, status="interrupted")),
        "Inconclusive",
        "Interrupted",
        "Chaos Toolkit calls it interrupted",
    ),
]


@pytest.mark.parametrize(("seen", "phase", "reason", "message"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_each_way_to_end_has_its_own_word(seen: Seen, phase: str, reason: str, message: str) -> None:
    found = verdict(seen)
    assert (found.phase.value, found.reason) == (phase, reason)
    assert message in found.message


@pytest.mark.parametrize("seen", [case[1] for case in CASES], ids=[case[0] for case in CASES])
def test_whatever_it_says_fits_the_status(seen: Seen) -> None:
    told = verdict(seen).document()
    ExperimentStatus.model_validate(
        {name: told[name] for name in ("message", "reason", "undone", "figures")} | {"phase": told["phase"]}, strict=False
    )
    assert all(one["phase"] in {"Waiting", "Done", "Failed", "NeverFired"} for one in told["steps"])


def test_figures_are_what_was_measured_and_nothing_else() -> None:
    looked = {"event": "looked", "longestLossS": 3.5}
    assert verdict(Seen(WELL, [looked], STEPS, lost=0, changed=0)).figures == {
        "faults": 1,
        "recoverySeconds": 12.346,
        "gapSeconds": 0.25,
        "lostSeconds": 3.5,
        "epochsLost": 0,
        "epochsChanged": 0,
    }
    assert verdict(Seen(None)).figures == {"faults": 0}


def test_what_is_undone_is_no_fault() -> None:
    undo = run("2-undo", func="undo_faults")
    assert verdict(Seen(journal(CRASH, undo, RECOVERS))).figures["faults"] == 1


def test_each_step_says_how_far_it_is_and_whom_it_met() -> None:
    waits = failed("3-c-waits", REFUSED, "triggers", "at_epoch")
    found = verdict(Seen(journal(CRASH, failed("2-b", NO_EFFECT), waits), steps=(*STEPS, "2-b", "3-c", "4-d"))).steps
    assert [(one["name"], one["phase"]) for one in found] == [
        ("1-crash-replica", "Done"),
        ("2-b", "Failed"),
        ("3-c", "NeverFired"),
        ("4-d", "Waiting"),
    ]
    assert found[0]["met"] == "node-1-0 on node-1 with vwap/0/0"
    assert found[1]["why"] == "crash replica: after 10 s there was no effect"


# ---- the way to whoever reads it


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], ""),
        (["[2026-11-19 13:15:05 INFO] Experiment ended"], "Experiment ended"),
        (
            [
                "[2026-11-19 13:15:05 CRITICAL] levee-chaos: which topology?",
                "  topology: 'clicks' does not run.",
                "    Fix: start it.",
                "[2026-11-19 13:15:05 INFO] Let's rollback...",
                "[2026-11-19 13:15:05 ERROR]   => failed: it has failed",
            ],
            "levee-chaos: which topology? topology: 'clicks' does not run. Fix: start it.",
        ),
        (["[2026-11-19 13:15:05 ERROR] one", "[2026-11-19 13:15:05 ERROR] two", "Traceback"], "two Traceback"),
        (["Killed"], "Killed"),
    ],
)
def test_the_gravest_of_what_chaos_toolkit_has_said_is_told(lines: list[str], said: str) -> None:
    assert toolkit.last_words(lines) == said


def test_last_words_fit_into_what_the_kubelet_keeps() -> None:
    many = [{"name": f"step-{number}", "phase": "Done", "met": "x" * 100} for number in range(64)]
    told = verdict(Seen(WELL)).document() | {"steps": many}
    [kept] = events_in(last_words(told).replace("{", '{"event": "x", ', 1))
    assert len(last_words(told)) <= LAST_WORDS_MAX
    assert (kept["phase"], kept["steps"]) == ("Passed", [])
    assert last_words(told | {"steps": many[:2]}).count("step-") == 2


def test_what_is_cut_off_or_somebody_elses_is_no_event() -> None:
    assert events_in('{"event": "began"}\n[2026 INFO] something\n{"level": "info"}\n{"event": "en') == [{"event": "began"}]
