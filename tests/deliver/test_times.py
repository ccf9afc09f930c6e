"""Times as texts, also where there are no time zones, as in an image."""

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from levee_spark.deliver.times import iso

AT = datetime(2005, 12, 1, 14, 30, 5, 7, UTC)


@pytest.mark.parametrize(
    ("unit", "zone", "text"),
    [
        ("us", "UTC", "2005-12-01T14:30:05.000007Z"),
        ("us", "Nowhere/At_all", "2005-12-01T14:30:05.000007Z"),  # nobody knows it: nothing may ask
        ("us", None, "2005-12-01T14:30:05.000007"),
        ("s", "UTC", "2005-12-01T14:30:05Z"),
    ],
)
def test_a_time_is_that_of_utc_whatever_zone_it_is_shown_in(unit: str, zone: str | None, text: str) -> None:
    moments = pa.array([AT.replace(microsecond=0 if unit == "s" else 7), None], pa.timestamp(unit, "UTC")).cast(pa.timestamp(unit))
    column = pa.chunked_array([moments.view(pa.int64()).view(pa.timestamp(unit, zone))])
    assert iso(column).to_pylist() == [text, None]
