"""What people read of a topology: one sentence for each way in which it may be well or not."""

from dataclasses import replace

import pytest

from levee.control.actions import Decision, Reason
from levee.control.names import Instant
from levee.control.seen import Observation
from levee.lifecycle.documents import machine
from levee.lifecycle.names import Instant as Wall
from levee.lifecycle.names import StateName
from levee.lifecycle.position import Failing, Position, Record, beginning, restored
from levee.serve.status import Said, Scene, conditions, fields, stamped
from levee.worlds.plans import Worth

WORTH = Worth(guarantee=2 / 3, cost=57.60001, gap=0.0, optimiser="completeness", says="")
NEW = Scene(1, beginning(machine("job"), Wall(0)), None, ("", ""))


def in_state(state: str) -> Position:
    return restored(Record(StateName(state), Wall(0)), Wall(0))


def said(scene: Scene) -> dict[str, tuple[str, str, str]]:
    return {one.kind: (one.status, one.reason, one.message) for one in conditions(scene)}


def test_a_new_topology_says_that_nothing_has_happened_yet() -> None:
    assert said(NEW) == {
        "Ready": ("False", "Submitted", "it is submitted"),
        "Planned": ("Unknown", "NotYet", "it has not been planned yet"),
        "Healthy": ("Unknown", "NotRunning", "it does not run"),
        "GuaranteeMet": ("Unknown", "NotRunning", "it does not run yet"),
    }


def test_a_refused_resource_says_what_is_wrong_with_it() -> None:
    refused = replace(NEW, position=in_state("failed"), trouble=("Invalid", "spec.sinks: is empty"))
    assert said(refused)["Ready"] == ("False", "Invalid", "spec.sinks: is empty")
    assert said(refused)["Planned"] == ("False", "Invalid", "spec.sinks: is empty")


def test_a_refused_edit_says_that_the_last_good_resource_goes_on() -> None:
    edited = replace(NEW, position=in_state("running"), worth=WORTH, trouble=("NoPlan", "there is no room"))
    assert said(edited)["Planned"] == ("False", "NoPlan", "there is no room; it goes on as its last good resource said")


@pytest.mark.parametrize("state", ["suspended", "failed", "canceled", "completed"])
def test_what_is_over_is_not_told_as_not_begun(state: str) -> None:
    before = Said("Planned", "True", "PlanFound", "a guarantee of 0.667")
    told = said(replace(NEW, position=in_state(state), planned_before=before))
    assert told["Planned"] == ("True", "PlanFound", "a guarantee of 0.667")
    assert told["GuaranteeMet"] == ("Unknown", state.capitalize(), f"nothing of it runs: it is {state}")


@pytest.mark.parametrize(
    ("worth", "message"),
    [
        (WORTH, "a guarantee of 0.667 by completeness, proven to be the best"),
        (replace(WORTH, gap=0.012), "a guarantee of 0.667 by completeness, at most 1.2% from the best"),
        (replace(WORTH, guarantee=None, gap=None, optimiser="none"), "no guarantee by none, the best found"),
    ],
)
def test_a_plan_says_what_it_promises_and_how_sure_it_is(worth: Worth, message: str) -> None:
    assert said(replace(NEW, worth=worth))["Planned"] == ("True", "PlanFound", message)


@pytest.mark.parametrize(("until", "reason"), [(Wall(5), "Retrying"), (None, "Failed")])
def test_what_failed_says_whether_it_is_tried_again(until: Wall | None, reason: str) -> None:
    failing = replace(in_state("mapping"), failing=Failing("map_streams: no such bucket", until))
    assert said(replace(NEW, position=failing))["Ready"] == ("False", reason, "map_streams: no such bucket")


def test_what_waits_for_something_else_has_not_failed() -> None:
    failing = replace(in_state("mapping"), failing=Failing("map_streams: shop/prices is not there yet", Wall(5), counted=False))
    assert said(replace(NEW, position=failing))["Ready"] == ("False", "Waiting", "map_streams: shop/prices is not there yet")


def test_plans_are_shown_in_few_digits() -> None:
    assert fields(replace(NEW, worth=WORTH))["plan"] == {"guarantee": 0.6666, "cost": 57.6, "gap": 0.0, "optimiser": "completeness"}


def test_a_condition_keeps_its_time_while_its_status_does() -> None:
    first = stamped(fields(NEW), {}, 1, "t1")
    later = stamped(fields(replace(NEW, position=in_state("mapping"), worth=WORTH)), first, 2, "t2")
    times = {one["type"]: one["lastTransitionTime"] for one in later["conditions"]}
    assert times == {"Ready": "t1", "Planned": "t2", "Healthy": "t1", "GuaranteeMet": "t1"}
    assert all(one["observedGeneration"] == 2 for one in later["conditions"])


def test_messages_fit_into_the_resource() -> None:
    long = replace(NEW, trouble=("Invalid", "x" * 100_000))
    assert all(len(one["message"]) <= 32_768 for one in fields(long)["conditions"])


def test_a_silent_store_is_no_good_health() -> None:
    running = replace(NEW, position=in_state("running"), seen=Observation(), decision=Decision(Reason.SETTLED), now=Instant(1))
    assert said(running)["Healthy"] == ("True", "Settled", "all is well")
    assert said(replace(running, silent="timed out"))["Healthy"] == ("False", "StoreSilent", "the store does not answer: timed out")


def test_a_task_that_stands_still_for_a_damaged_stream_is_no_good_health() -> None:
    decision = Decision(Reason.STREAM_DAMAGED, "sums/0 stands still: epoch 285 of trades/0 cannot be read")
    running = replace(NEW, position=in_state("running"), seen=Observation(), decision=decision, now=Instant(1))
    assert said(running)["Healthy"] == ("False", "StreamDamaged", decision.text)
