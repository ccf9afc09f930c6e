from dataclasses import replace
from pathlib import Path

from levee.worlds.local.processes import Process
from levee_chaos.fault import Kind
from levee_chaos.journal import Entry, Line, Step, Undo, done, due, read, standing, written
from levee_chaos.keeping import Keeping
from levee_chaos.waiting import lasting

EXPERIMENT, OTHER = Process(10, "100"), Process(11, "101")
PAUSE = Entry(
    "pause replica 7@1",
    Kind.PAUSE_REPLICA,
    "node-1-0",
    EXPERIMENT,
    Undo("local", "go on", {"processes": [[7, "1"], [8, "2"]]}),
    until_ms=5_000,
)
NODE = Entry("crash node 9@1", Kind.CRASH_NODE, "node-2", OTHER, Undo("local", "revive", {"folder": "/runs/clicks", "nodes": ["node-2"]}))
CRASH = Entry("crash replica 6@1", Kind.CRASH_REPLICA, "node-3-0", EXPERIMENT, None)
SLOW = Entry("slow replica 5@1", Kind.SLOW_REPLICA, "node-3-0", EXPERIMENT, Undo("local", "go on", {"processes": [[5, "1"]]}), 9_000, 0.5)


def begun(entry: Entry) -> Line:
    return Line(Step.BEGUN, entry.name, 1, entry)


def test_every_line_is_read_as_it_was_written() -> None:
    lines = [
        *map(begun, (PAUSE, NODE, CRASH, SLOW)),
        Line(Step.DONE, PAUSE.name, 2),
        Line(Step.UNDONE, PAUSE.name, 3, why="its time is over"),
    ]
    assert read("".join(map(written, lines))) == lines


def test_what_was_begun_stands_until_it_is_undone_whether_or_not_it_was_said_to_be_done() -> None:
    assert standing([begun(PAUSE)]) == {PAUSE.name: PAUSE}
    assert standing([begun(PAUSE), Line(Step.DONE, PAUSE.name, 2)]) == {PAUSE.name: PAUSE}
    assert standing([begun(PAUSE), begun(NODE), Line(Step.UNDONE, PAUSE.name, 2)]) == {NODE.name: NODE}
    assert standing([begun(PAUSE), Line(Step.FAILED, PAUSE.name, 2)]) == {}


def test_the_time_of_a_fault_counts_from_when_it_was_done() -> None:
    later = replace(PAUSE, until_ms=9_000)
    assert standing([begun(PAUSE), Line(Step.DONE, PAUSE.name, 2, later)]) == {PAUSE.name: later}


def test_a_crash_that_is_repaired_by_levee_never_stands() -> None:
    assert standing([begun(CRASH), Line(Step.DONE, CRASH.name, 2)]) == {}


def test_done_twice_is_once_and_undone_twice_is_once() -> None:
    undone = Line(Step.UNDONE, PAUSE.name, 3)
    assert standing([begun(PAUSE), begun(PAUSE)]) == {PAUSE.name: PAUSE}
    assert standing([begun(PAUSE), begun(PAUSE), undone, undone]) == {}
    assert standing([begun(PAUSE), undone, begun(PAUSE)]) == {PAUSE.name: PAUSE}


def test_a_line_that_was_torn_was_not_written() -> None:
    text = written(begun(PAUSE)) + written(Line(Step.UNDONE, PAUSE.name, 3))
    assert read(text[:-5]) == [begun(PAUSE)]


def test_the_dead_man_undoes_what_is_over_and_what_nobody_else_will() -> None:
    entries = {one.name: one for one in (PAUSE, NODE)}
    assert list(due(entries, 4_999, lambda _: True)) == []
    assert list(due(entries, 5_000, lambda _: True)) == [(PAUSE, "its time is over")]
    assert list(due(entries, 0, lambda one: one != OTHER)) == [(NODE, "the experiment's process is gone")]


def test_what_has_happened_is_what_was_seen() -> None:
    lines = [begun(PAUSE), begun(CRASH), Line(Step.DONE, CRASH.name, 7)]
    assert [line.at_utc_ms for line in done(lines)] == [7]


def test_the_file_goes_on_after_a_torn_line(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path)
    assert keeping.lines() == []
    keeping.place.mkdir()
    with keeping.held():
        keeping.begin(PAUSE)
    with keeping.journal.open("a") as file:
        file.write('{"step": "und')
    with keeping.held():
        keeping.say(Step.UNDONE, PAUSE, "for a test")
    assert [line.step for line in keeping.lines()] == [Step.BEGUN, Step.UNDONE]
    assert keeping.standing() == {}


def test_a_fault_with_a_time_of_its_own_is_waited_for_and_one_that_lasts_as_long_as_the_experiment_is_not(tmp_path: Path) -> None:
    keeping = Keeping(tmp_path)
    keeping.place.mkdir()
    keeping.begin(NODE)
    assert lasting(keeping) is None
    keeping.begin(PAUSE)
    lasts = lasting(keeping)
    assert lasts is not None
    assert lasts.where == "node-1-0"
    keeping.say(Step.UNDONE, PAUSE, "its time is over")
    assert lasting(keeping) is None
