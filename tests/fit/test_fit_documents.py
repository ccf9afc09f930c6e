"""FIT documents: what is written is read, and what names nothing, names too much or contradicts itself is refused, with the reason."""

import json
from pathlib import Path

import jsonschema
import pytest

from levee.fit import stage
from levee.fit.checks import check
from levee.fit.generate import generated
from levee.fit.library import OFFERS
from levee.fit.load import load
from levee.fit.schema import schema_text
from levee.fit.values import Side, Timer
from levee.fit.writing import fit_fields, fit_text
from levee.lifecycle.documents import machine
from levee.topology.complaint import Complaint
from levee.topology.documents import read_documents
from tests.fit.texts import DIES, changed, fit

JOB = machine("job")
EXAMPLES = sorted((Path(__file__).parent.parent.parent / "chaos" / "fit").glob("*.yaml"))


def wrongs(text: str) -> list[str]:
    """Of a file: its shape, and what it names."""
    read = load(text)
    complaints: tuple[Complaint, ...] = read.complaints or check(JOB, stage.place(), read.fits)
    return [f"{one.where}: {one.wrong}; {one.fix}" for one in complaints]


def wrong(text: str = DIES, **changes: str) -> str:
    (only,) = wrongs(changed(text, **changes))
    return only


def test_a_document_is_read_as_it_is_written() -> None:
    read = fit(occurrence="2", timer="{min: 500ms, max: 4s}", target="{node: node-2}", fault="crash_node", options="{for: 30s}")
    assert (read.moment.state, read.moment.transition, read.moment.method) == ("dispatching", "all_ready", "set_the_clock")
    assert (read.moment.side, read.moment.occurrence, read.timer) == (Side.BEFORE, 2, Timer(500, 4_000))
    assert (read.target.node, read.fault, read.for_ms) == ("node-2", "crash_node", 30_000)
    assert load(fit_text(read)).fits == (read,)


def test_a_timer_may_begin_at_once() -> None:
    assert fit(timer="{min: 0s, max: 4s}").timer == fit(timer="{max: 4s}").timer == Timer(0, 4_000)


def test_without_a_time_a_fault_lasts_as_long_as_the_library_says() -> None:
    assert {one.name: fit(fault=one.name).for_ms for one in OFFERS} == {one.name: one.for_ms for one in OFFERS}


def test_the_schema_takes_what_is_generated_and_refuses_a_misspelled_field() -> None:
    schema = json.loads(schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    for one in list(generated(JOB, stage.place().divisible))[::97]:
        document = read_documents(fit_text(one))[0].value
        jsonschema.validate(document, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document | {"ocurrence": 2}, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document | {"fault": "crash_everything"}, schema)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"stat": "running", "state": ""}, "stat: is not a known field; use 'state'"),
        ({"fault": "crash_operater"}, "fault: there is no fault 'crash_operater'; use 'crash_operator'"),
        ({"occurrence": "0"}, "occurrence: is 0, but must be at least 1"),
        ({"timer": "{min: 4s, max: 1s}"}, "timer: ends after 1 s, before it begins after 4 s; exchange min and max"),
        ({"options": "{for: soon}"}, "options.for: "),
        ({"options": "{for: 0s}"}, "options.for: is 0s, but must be more than 0"),
        ({"timer": "{min: -1s, max: 4s}"}, "timer.min: "),
    ],
)
def test_a_mistake_of_shape_is_told_with_its_place(changes: dict[str, str], told: str) -> None:
    assert wrong(**changes).startswith(f"dies-before-the-clock-is-set: {told}")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"state": "dispaching"}, "state: lifecycle job has no state 'dispaching'; use 'dispatching'"),
        ({"transition": "all_redy"}, "transition: nothing leads out of dispatching by 'all_redy'; use 'all_ready'"),
        ({"before": "set_clock"}, "before: dispatching, all_ready does not call 'set_clock'; use 'set_the_clock'"),
        ({"before": ""}, "before: no method is named; add before, during or after, with set_the_clock"),
        ({"target": "{node: node-9}", "fault": "crash_node"}, "target.node: there is no node 'node-9'; use 'node-3'"),
        ({"target": "{task: cleen/0}", "fault": "crash_worker"}, "target.task: there is no task 'cleen/0'; use 'clean/0'"),
        ({"target": "{topology: orders}"}, "target.topology: 'orders' does not live here, shop/clicks does"),
        ({"lifecycle": "bounded"}, "lifecycle: is 'bounded', and this is job"),
        (
            {"state": "submitted", "transition": "cancel", "before": "forget_plan", "occurrence": "2"},
            "occurrence: is 2, and submitted, cancel comes",
        ),
    ],
)
def test_what_names_nothing_is_refused(changes: dict[str, str], told: str) -> None:
    assert wrong(**changes).startswith(f"dies-before-the-clock-is-set: {told}")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"after": "set_the_clock"}, "before and after: name more than one moment"),
        ({"state": "cleanup", "transition": "cleaned"}, "before: 'set_the_clock' is named, and cleanup, cleaned calls nothing"),
        ({"before": "", "during": "set_the_clock"}, "during: set_the_clock is not done one by one"),
        ({"target": "{node: node-1}"}, "target.node: is said, and crash_operator hits the operator; remove it, or the fault 'crash_node'"),
        ({"target": "{zone: zone-a}", "fault": "crash_node"}, "target.zone: is said, and crash_node hits a node; use one of"),
        ({"fault": "crash_worker", "options": "{for: 5s}"}, "options.for: is 5 s, and crash_worker lasts no time; remove it"),
        ({"fault": "crash_node", "options": "{for: 1h}"}, "options.for: is 3600 s, and crash_node lasts at most 600 s"),
    ],
)
def test_what_names_too_much_is_refused(changes: dict[str, str], told: str) -> None:
    assert wrong(**changes).startswith(f"dies-before-the-clock-is-set: {told}")


@pytest.mark.parametrize(
    ("target", "told"),
    [
        ("{task: clean/0, replica: count/0/1}", "target.replica: 'count/0/1' is none of clean/0"),
        ("{replica: clean/0/0, node: node-3}", "target.node: 'node-3' is not where clean/0/0 is planned; use node-1"),
    ],
)
def test_nouns_that_do_not_go_together_are_refused(target: str, told: str) -> None:
    assert wrong(target=target, fault="crash_worker").startswith(f"dies-before-the-clock-is-set: {told}")


def test_all_mistakes_are_told_at_once() -> None:
    told = wrongs(changed(state="dispaching", target="{task: nobody/0}", fault="crash_replica", options="{for: 1h}"))
    assert [one.split(": ")[1] for one in told] == ["state", "options.for", "target.task"]


def test_a_second_fault_at_the_moment_when_the_operator_dies_is_refused() -> None:
    second = changed(fit="loses-a-node", fault="crash_node")
    (told,) = wrongs(f"{DIES}---\n{second}")
    assert told.startswith("loses-a-node: comes when dies-before-the-clock-is-set has ended the operator")
    assert wrongs(f"{second}---\n{DIES}") == []
    assert wrongs(f"{DIES}---\n{changed(second, timer='{max: 4s}')}") == []


def test_documents_that_contradict_each_other_are_refused() -> None:
    crash, pause = changed(fit="one", fault="crash_node"), changed(fit="other", fault="pause_node")
    assert wrongs(f"{crash}---\n{pause}")[0].startswith("other: is pause_node at the moment when one is crash_node, of the same target")
    assert wrongs(f"{DIES}---\n{DIES}")[0].startswith("dies-before-the-clock-is-set: is the name of two documents")
    elsewhere = changed(fit="elsewhere", fault="crash_node", target="{topology: clicks}", occurrence="2")
    here = changed(fit="here", fault="crash_node", target="{topology: shop/clicks}")
    assert "write them into two files" in wrongs(f"{here}---\n{elsewhere}")[0]


@pytest.mark.parametrize("text", ["", "[]", "fit: [", "\tfit: x", "42", "fit: \x00", "- fit: x"])
def test_what_is_no_document_is_told_and_not_raised(text: str) -> None:
    assert wrongs(text)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_the_documents_in_the_repository_are_in_order(file: Path) -> None:
    assert wrongs(file.read_text(encoding="utf-8")) == []


def test_there_are_documents_in_the_repository() -> None:
    assert len(EXAMPLES) >= 3


def test_what_is_written_says_nothing_that_goes_without_saying() -> None:
    fields = fit_fields(fit())
    assert {name for name, value in fields.items() if value} == {"fit", "lifecycle", "state", "transition", "before", "fault"}
