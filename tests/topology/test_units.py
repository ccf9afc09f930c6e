"""Durations and cores: what is written, and what it means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from levee.topology.units import UnitError, parse_cores, parse_duration, parse_memory, shown_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("12us", 12e-6), ("250ms", 0.25), ("10m", 600), ("1h", 3600), ("1.5s", 1.5), ("80ns", 80e-9), ("1h30m", 5400), ("20h", 72_000)],
)
def test_a_duration_is_a_number_of_seconds(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["", "5", "s", "-1s", "1 s", "1sec", "1d", "1e3s", "0s", "0.0ms", 5, 5.0, None, True, [], "9" * 99 + "s", "1s\n"]
)
def test_what_is_no_duration_is_refused(text: object) -> None:
    with pytest.raises(UnitError):
        parse_duration(text)


@pytest.mark.parametrize(("text", "cores"), [("2", 2), (2, 2), ("500m", 0.5), ("0.5", 0.5), (0.5, 0.5), ("1500m", 1.5)])
def test_cores_are_written_as_in_kubernetes(text: object, cores: float) -> None:
    assert parse_cores(text) == cores


@pytest.mark.parametrize("text", ["", "two", "-1", -1, 0, "0", "0m", "1.5m", "2k", True, None, float("nan"), float("inf"), 10**400, "2\n"])
def test_what_is_no_number_of_cores_is_refused(text: object) -> None:
    with pytest.raises(UnitError):
        parse_cores(text)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.25, "250ms"),
        (1, "1s"),
        (1.5, "1.5s"),
        (90, "90s"),
        (600, "10m"),
        (3600, "1h"),
        (5400, "90m"),
        (12e-6, "12us"),
        (8e-8, "80ns"),
        (1e6, "1000000s"),
    ],
)
def test_a_duration_is_shown_in_the_unit_people_use(seconds: float, text: str) -> None:
    assert shown_duration(seconds) == text


@given(st.floats(min_value=1e-9, max_value=1e6, allow_nan=False))
def test_a_shown_duration_can_be_read_again(seconds: float) -> None:
    assert parse_duration(shown_duration(seconds)) == pytest.approx(seconds, rel=1e-5)


@pytest.mark.parametrize(("text", "mib"), [("512m", 512), ("2g", 2048), ("1Gi", 1024), ("1536Mi", 1536)])
def test_memory_is_written_as_in_spark_or_in_kubernetes(text: str, mib: int) -> None:
    assert parse_memory(text) == mib


@pytest.mark.parametrize("text", ["", "1", 1, "1k", "0g", "1.5g", "511m", "-1g", None, "1g\n"])
def test_what_is_no_memory_or_too_little_is_refused(text: object) -> None:
    with pytest.raises(UnitError):
        parse_memory(text)
