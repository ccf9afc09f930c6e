"""An answer of Prometheus is read strictly: what is not a rate for certain is none, and never zero."""

import json
import math
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levee.topology.names import TaskId
from levee.worlds.prometheus.question import PART, Part, question
from levee.worlds.prometheus.reading import Reading, Unreadable, error_in, read

NOW, WINDOW = 1_700_000_000.5, 60
KEY = ("shop/clicks", TaskId("market/0"))
GOOD: Mapping[Part, str | None] = {
    Part.RATE: "512.5",
    Part.RESETS: "0",
    Part.SEEN: f"{NOW - 7}",
    Part.BEGAN: f"{NOW - 65}",
    Part.LED: "1",
}


def series(replica: int = 0, task: str = "market/0", pod: str = "a", **parts: str | None) -> list[dict[str, Any]]:
    """A replica whose parts are as they should be, but for what is said; None: it is not there."""
    return with_parts({Part(name): value for name, value in parts.items()}, replica, task, pod)


def with_parts(parts: Mapping[Part, str | None], replica: int = 0, task: str = "market/0", pod: str = "a") -> list[dict[str, Any]]:
    told = {**GOOD, **parts}
    labels = {"topology": "shop/clicks", "task": task, "replica": f"{task}/{replica}", "pod": pod, "instance": "10.0.0.7:8080"}
    return [{"metric": labels | {PART: part}, "value": [NOW, value]} for part, value in told.items() if value is not None]


def answer(*found: list[dict[str, Any]], **more: Any) -> bytes:
    data = {"resultType": "vector", "result": [one for part in found for one in part]}
    return json.dumps({"status": "success", "data": data, **more}).encode()


def reading(*found: list[dict[str, Any]]) -> Reading:
    return read(answer(*found), WINDOW)


def test_a_rate_is_that_of_the_replica_that_was_active_all_the_time() -> None:
    found = reading(series(0), series(1, led="0", rate="0"), series(0, task="market/1", rate="1e3"))
    assert found == Reading(NOW, {KEY: 512.5, (KEY[0], TaskId("market/1")): 1000.0})


def test_of_several_that_are_active_the_highest_counts() -> None:
    assert reading(series(0, rate="500"), series(1, rate="520")).rates == {KEY: 520.0}


def test_a_rate_of_zero_that_was_measured_is_one() -> None:
    assert reading(series(rate="0")).rates == {KEY: 0.0}


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ({"seen": None}, "was not scraped lately"),
        ({"seen": f"{NOW - 31}"}, "was not scraped lately"),
        ({"seen": "NaN"}, "was not scraped lately"),
        ({"resets": "1"}, "has begun anew within 60 s"),
        ({"resets": None}, "has begun anew within 60 s"),
        ({"rate": "NaN"}, "has the rate nan"),
        ({"rate": "+Inf"}, "has the rate inf"),
        ({"rate": "-3"}, "has the rate -3.0"),
        ({"rate": None}, "has not been scraped for 60 s yet"),
        ({"began": None}, "has not been scraped for 60 s yet"),
        ({"led": "0"}, "did not lead for all of 60 s"),
        ({"led": None}, "did not lead for all of 60 s"),
        ({"led": "NaN"}, "did not lead for all of 60 s"),
    ],
)
def test_what_cannot_be_trusted_is_no_rate_and_says_why(parts: dict[str, str | None], why: str) -> None:
    found = reading(with_parts({Part(name): value for name, value in parts.items()}))
    assert found.rates == {}
    assert found.wrong == {KEY: f"market/0/0 {why}"}


def test_a_counter_that_began_anew_does_no_harm_where_another_replica_counted_on() -> None:
    found = reading(series(0, resets="2", rate="9999"), series(1, rate="500"))
    assert (found.rates, found.wrong) == ({KEY: 500.0}, {})


def test_what_is_wrong_with_the_active_one_is_told_before_what_is_wrong_with_a_standby() -> None:
    for parts in ([series(0, resets="1"), series(1, led="0")], [series(1, led="0"), series(0, resets="1")]):
        assert reading(*parts).wrong == {KEY: "market/0/0 has begun anew within 60 s"}


def test_a_standby_that_took_over_has_no_rate_before_it_was_active_for_the_whole_window() -> None:
    found = reading(series(0, seen=None), series(1, led="0", rate="80"))
    assert found.rates == {}


def test_the_series_of_a_worker_that_is_gone_is_not_that_of_its_successor() -> None:
    found = reading(series(pod="a", seen=None, rate="300"), series(pod="b", began=None, rate="10"))
    assert found.rates == {}


def test_what_is_no_source_is_not_spoken_of() -> None:
    assert reading(series(task="vwap/0", rate=None, resets=None, seen=None, began=None)) == Reading(NOW)


def test_no_data_is_no_rate() -> None:
    found = reading()
    assert (found.rates, found.wrong) == ({}, {})


def sample(**changes: Any) -> bytes:
    [one, *_] = series()
    return answer([one | changes])


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html><title>Sign in</title></html>",
        b"\xff\xfe",
        b"[]",
        b"null",
        b"3",
        b'{"status": "success"}',
        b'{"status": "success", "data": null}',
        b'{"status": "success", "data": {"resultType": "matrix", "result": []}}',
        b'{"status": "success", "data": {"resultType": "vector"}}',
        b'{"status": "success", "data": {"resultType": "vector", "result": {}}}',
        b'{"status": "Success", "data": {"resultType": "vector", "result": []}}',
        b"[" * 100_000,
        answer([{"metric": {}}]),
        answer(["value"]),  # type: ignore[list-item]
        sample(value=[NOW]),
        sample(value=[NOW, 512.5]),
        sample(value=[f"{NOW}", "512.5"]),
        sample(value=[True, "512.5"]),
        sample(value=[10**400, "512.5"]),
        sample(value=[math.nan, "512.5"]),
        sample(value=[NOW, "512.5", "3"]),
        sample(value=[NOW, ""]),
        sample(value=[NOW, " 1"]),
        sample(value=[NOW, "1_000"]),
        sample(value=[NOW, "0x10"]),
        sample(value=[NOW, "infinity"]),
        sample(value=[NOW, "\u0661"]),
        sample(value=None, values=[[NOW, "1"]]),
        sample(metric={PART: "other"}),
        sample(metric={PART: "rate", "task": 7}),
        sample(metric={PART: ["rate"]}),
        sample(metric=None),
        answer(series(), series()),
        answer(series(), [one | {"value": [NOW + 1, one["value"][1]]} for one in series(1)]),
    ],
)
def test_what_is_not_as_the_protocol_says_is_not_used_at_all(body: bytes) -> None:
    with pytest.raises(Unreadable):
        read(body, WINDOW)


def test_an_error_and_a_warning_are_told_in_their_own_words() -> None:
    error = b'{"status": "error", "errorType": "timeout", "error": "query timed out"}'
    with pytest.raises(Unreadable, match="timeout: query timed out"):
        read(error, WINDOW)
    with pytest.raises(Unreadable, match=r"it warns: .*store-1 is silent"):
        read(answer(series(), warnings=["store-1 is silent"]), WINDOW)
    assert read(answer(series(), infos=["fine"]), WINDOW).rates == {KEY: 512.5}
    assert (error_in(error), error_in(b"<html>"), error_in(b"7")) == ("timeout: query timed out", "", "")


def test_the_question_asks_for_all_parts_over_the_same_window() -> None:
    text = question(90, {})
    assert all(f'"{part}"' in text for part in Part)
    assert text.count("90s") == 4
    assert text.count("[60s]") == 0


values = st.sampled_from(("0", "1", "512.5", "NaN", "+Inf", "-Inf", "-1", f"{NOW}", f"{NOW - 100}"))


@given(st.dictionaries(st.sampled_from(Part), values))
def test_whatever_is_missing_or_wrong_a_rate_is_told_only_with_all_that_makes_it_one(parts: dict[Part, str]) -> None:
    found = reading(with_parts({part: parts.get(part) for part in Part}))
    for rate in found.rates.values():
        assert rate == float(parts[Part.RATE]) >= 0
        assert (parts[Part.RESETS], parts[Part.LED]) == ("0", "1")
        assert Part.BEGAN in parts
        assert float(parts[Part.SEEN]) >= NOW - WINDOW / 2


@given(
    st.binary(max_size=60)
    | st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(("status", "data", "result", "resultType", "success", "metric", "value")), inner, max_size=4)
        ),
    ).map(lambda told: json.dumps(told).encode())
)
def test_nonsense_is_unreadable_and_nothing_worse(body: bytes) -> None:
    with pytest.raises(Unreadable):
        read(body, WINDOW)
