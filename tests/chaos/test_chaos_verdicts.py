from dataclasses import replace

from levee.topology.names import TaskId
from levee_chaos import golden, safeguard, streams
from levee_chaos.safeguard import Loss
from levee_chaos.streams import Stream
from levee_spark.log.digest import lineage
from levee_spark.log.values import GENESIS, Kind, Manifest


def line(epochs: int) -> tuple[Manifest, ...]:
    found: list[Manifest] = []
    for epoch in range(1, epochs + 1):
        digest = f"d{epoch}"
        found.append(Manifest(epoch, Kind.FINAL, 3, digest, lineage(found[-1].lineage if found else GENESIS, digest), 1, "vwap/0/0"))
    return tuple(found)


LINE = line(9)
BEFORE = Stream(0, LINE[:5]).sealed


def test_a_stream_that_goes_on_has_lost_nothing() -> None:
    assert streams.complaints(BEFORE, Stream(0, LINE)) == []
    assert streams.complaints(BEFORE, Stream(0, LINE[:5])) == []
    assert streams.complaints({}, Stream(0, LINE)) == []


def test_what_was_trimmed_is_not_lost() -> None:
    assert streams.complaints(BEFORE, Stream(4, LINE[3:])) == []


def test_an_epoch_that_is_gone_is_lost() -> None:
    assert streams.complaints(BEFORE, Stream(0, (*LINE[:2], *LINE[3:]))) == ["epoch 3 is lost"]
    assert streams.complaints(BEFORE, Stream(0, (*LINE[:6], *LINE[7:]))) == ["epochs 7 to 7 are missing"]


def test_an_epoch_in_the_place_of_another_is_told_with_both_digests() -> None:
    other = replace(LINE[2], digest="dx")
    assert streams.complaints(BEFORE, Stream(0, (*LINE[:2], other, *LINE[3:]))) == ["epoch 3 is another one: d3 before, dx now"]


def test_what_came_since_must_continue_what_was_there() -> None:
    assert streams.complaints(BEFORE, Stream(0, (*LINE[:6], replace(LINE[6], lineage="other"), *LINE[7:]))) == [
        "epoch 7 does not continue epoch 6",
        "epoch 8 does not continue epoch 7",
    ]
    assert streams.complaints(BEFORE, Stream(0, (*LINE[:6], replace(LINE[6], rebased=True), *LINE[7:]))) == [
        "epoch 7 goes on from another state than that of the epoch before"
    ]
    assert streams.complaints(BEFORE, Stream(0, (*LINE[:6], replace(LINE[6], kind=Kind.SKIPPED), *LINE[7:]))) == [
        "epoch 7 was sealed as skipped: its rows are lost"
    ]


def test_what_was_so_before_the_experiment_is_not_its_fault() -> None:
    broken = (*LINE[:4], replace(LINE[4], rebased=True), *LINE[5:])
    assert streams.complaints(Stream(0, broken[:5]).sealed, Stream(0, broken)) == []


def test_the_verdict_names_the_stream() -> None:
    task = TaskId("vwap/0")
    assert streams.verdict({task: BEFORE}, {task: Stream(0, LINE[1:])}) == ["vwap/0: epoch 1 is lost"]


def test_the_longest_pause_counts_from_the_fault_to_now() -> None:
    assert streams.longest_ms([90, 110, 300], since_ms=100, until_ms=310) == 190
    assert streams.longest_ms([300, 90], since_ms=100, until_ms=310) == 200
    assert streams.longest_ms([90], since_ms=100, until_ms=310) == 210
    assert streams.longest_ms([], since_ms=100, until_ms=310) == 210


def test_output_is_compared_as_far_as_both_have_come_and_rows_of_an_epoch_in_any_order() -> None:
    expected = {1: ["a", "b"], 2: ["c"], 3: ["d"]}
    assert list(golden.differences(expected, {1: ["a", "b"], 2: ["c"]})) == []
    assert list(golden.differences({1: ["a", "b"]}, expected)) == []
    assert list(golden.differences(expected, {1: ["a"], 2: ["c", "c"], 3: ["d"]})) == [
        "epoch 1: 1 row, and 2 rows in the golden run; only there: b",
        "epoch 2: 2 rows, and 1 row in the golden run; only here: c",
    ]
    assert list(golden.differences(expected, {1: ["a", "b"], 3: ["d"]})) == ["epoch 2: 0 rows, and 1 row in the golden run; only there: c"]


def test_nothing_to_compare_is_no_agreement() -> None:
    assert list(golden.differences({}, {1: ["a"]})) == ["there is no epoch that both have, so nothing could be compared"]


def test_a_steady_state_is_lost_from_the_first_look_that_misses_it_until_it_is_back() -> None:
    loss = Loss()
    for wrong, now_s in (("", 0), ("ready: False", 1), ("ready: False", 4), ("", 5), ("lag: True", 7)):
        loss = safeguard.looked(loss, wrong, now_s)
    assert (loss.longest_s, loss.since_s, loss.at(9), loss.why) == (4, 7, 2, "lag: True")
